// Who runs: the entities of a run, and the choice among them.
#define _GNU_SOURCE
#include "internal.h"

#include <errno.h>
#include <execinfo.h>
#include <malloc.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// A thread that runs one entity after another.
typedef struct worker {
  sem_t wake;
  entity *entity;
} worker;

__thread entity *self;

// One entity runs at a time, and a semaphore passes the turn, so what follows needs no lock.
static entity entities[SCHEDULER_MOST_ENTITIES];
static int entity_count;
static worker *idle[SCHEDULER_MOST_ENTITIES];
static int idle_count;

static pthread_t controller;  // Calls `scheduler_run`.
static sem_t done;
static scheduler_status status;
static bool is_setting_up, is_finished = true, has_diverged;

static scheduler_choice choices[SCHEDULER_MOST_CHOICES];
static void *stacks[SCHEDULER_MOST_CHOICES][SCHEDULER_STACK + 1];
static size_t choice_count;
static uint8_t given[SCHEDULER_MOST_CHOICES];
static size_t given_count;
static bool keeps_stacks;

// MARK: Random choices

static uint32_t random_state;
static bool has_priorities;
static size_t random_length;
static uint32_t priorities[SCHEDULER_MOST_ENTITIES];
static size_t changes[2];

static uint32_t next_random(void) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 17;
  return random_state ^= random_state << 5;
}

void scheduler_set_random(uint32_t seed, size_t length) {
  random_state = seed ? seed * 0x9E3779B9u | 1 : 0;
  random_length = length ? length : 1;
  has_priorities = seed % 2 == 1;
  if (!seed) return;
  next_random();
  for (int i = 0; i < 2; i++) changes[i] = next_random() % random_length;
}

static int choose_at_random(uint32_t enabled, int usual, bool can_go_on) {
  if (has_priorities) {
    // Probabilistic concurrency testing: a fault that needs two particular exchanges is found with a probability of at
    // least one in (entities × steps), however many orders there are.
    if (can_go_on && (choice_count == changes[0] || choice_count == changes[1]))
      priorities[usual] = choice_count == changes[0] ? 1 : 2;
    int best = usual;
    for (int i = 0; i < entity_count; i++)
      if ((enabled >> i & 1) && priorities[i] > priorities[best]) best = i;
    return best;
  }
  if (can_go_on && next_random() % 4 != 0) return usual;
  int n = next_random() % __builtin_popcount(enabled);
  while (n--) enabled &= enabled - 1;
  return __builtin_ctz(enabled);
}

// MARK: The choice

static bool can_go_on(entity *e) {
  if (e->state != READY && e->state != STOPPED) return false;
  // A controlled thread never waits for a real lock: it is not chosen before the lock is free.
  if (e->next.kind == SCHEDULER_LOCK && scheduler_is_locked_by_other(e->waits_for, e)) return false;
  if (e->is_on_main_actor && e->state == READY)
    for (int i = 0; i < e->id; i++)
      if (entities[i].is_on_main_actor && entities[i].state != ENDED) return false;
  return true;
}

void scheduler_finish(scheduler_status result) {
  if (is_finished) return;
  is_finished = true;
  status = result;
  sem_post(&done);
}

// Returns the one that goes on, or null if none can.
static entity *choose(entity *stopped) {
  if (is_finished) return NULL;
  uint32_t enabled = 0;
  for (int i = 0; i < entity_count; i++)
    if (can_go_on(&entities[i])) enabled |= 1u << i;
  if (!enabled) {
    scheduler_status result = has_diverged ? SCHEDULER_DIVERGED : SCHEDULER_OK;
    for (int i = 0; i < entity_count; i++)
      if (entities[i].state != ENDED) result = SCHEDULER_DEADLOCK;
    scheduler_finish(result);
    return NULL;
  }
  if (choice_count == SCHEDULER_MOST_CHOICES) {
    scheduler_finish(SCHEDULER_ENDLESS);
    return NULL;
  }
  bool could_go_on = stopped && (enabled >> stopped->id & 1);
  int chosen = could_go_on ? stopped->id : __builtin_ctz(enabled);
  if (choice_count >= given_count) {
    if (random_state) chosen = choose_at_random(enabled, chosen, could_go_on);
  } else if (enabled >> given[choice_count] & 1) {
    chosen = given[choice_count];
  } else {
    has_diverged = true;
    given_count = choice_count;
  }
  void **stack = stacks[choice_count];
  stack[0] = NULL;
  if (keeps_stacks && stopped && could_go_on) {
    // The unwinder allocates and locks.
    stopped->without_points++;
    stack[backtrace(stack, SCHEDULER_STACK)] = NULL;
    stopped->without_points--;
  }
  choices[choice_count++] = (scheduler_choice){
    .stopped = stopped ? (int8_t)stopped->id : -1,
    .chosen = (uint8_t)chosen,
    .is_preemption = could_go_on && chosen != stopped->id,
    .could_go_on = could_go_on,
    .enabled = enabled,
    .at = stopped ? stopped->next : (scheduler_point){0},
    .next = entities[chosen].next,
  };
  return &entities[chosen];
}

// MARK: Passing the turn

// All threads share a processor. One runs at a time anyway, and to pass the turn is faster so.
static void share_processor(void) {
  static int processor = -1;
  if (processor < 0) processor = sched_getcpu();
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(processor, &set);
  pthread_setaffinity_np(pthread_self(), sizeof set, &set);
}

static void *work(void *argument);

static void wake(entity *e) {
  if (!e->worker) {
    if (idle_count) {
      e->worker = idle[--idle_count];
    } else {
      e->worker = calloc(1, sizeof(worker));
      sem_init(&e->worker->wake, 0, 0);
      pthread_t thread;
      pthread_create(&thread, NULL, work, e->worker);
    }
    e->worker->entity = e;
  }
  sem_post(&e->worker->wake);
}

static void wait_for_turn(entity *e) {
  while (sem_wait(&e->worker->wake) && errno == EINTR) {}
  e->state = RUNNING;
}

void scheduler_point_reached(scheduler_point next, void *waits_for) {
  entity *e = self;
  if (!e || e->without_points) return;
  e->next = next;
  e->waits_for = waits_for;
  e->state = STOPPED;
  entity *chosen = choose(e);
  if (chosen == e) {
    e->state = RUNNING;
    return;
  }
  if (chosen) wake(chosen);
  wait_for_turn(e);
}

static void *work(void *argument) {
  worker *w = argument;
  share_processor();
  while (true) {
    while (sem_wait(&w->wake) && errno == EINTR) {}
    entity *e = w->entity;
    e->state = RUNNING;
    self = e;
    e->body(e->context);
    self = NULL;
    e->state = ENDED;
    e->next = (scheduler_point){.kind = SCHEDULER_END};
    e->worker = NULL;
    idle[idle_count++] = w;
    entity *chosen = choose(e);
    if (chosen) wake(chosen);
  }
}

bool scheduler_is_setting_up(void) {
  return is_setting_up && pthread_equal(pthread_self(), controller);
}

entity *scheduler_add(const char *name, void (*body)(void *), void *context, bool is_on_main_actor) {
  if (is_finished || (!self && !scheduler_is_setting_up())) return NULL;
  if (entity_count == SCHEDULER_MOST_ENTITIES) {
    fprintf(stderr, "error: a scenario has more than %d threads and jobs\n", SCHEDULER_MOST_ENTITIES);
    _exit(70);
  }
  entity *e = &entities[entity_count];
  *e = (entity){
    .id = entity_count, .body = body, .context = context, .is_on_main_actor = is_on_main_actor};
  snprintf(e->name, sizeof e->name, "%s", name);
  if (random_state) priorities[entity_count] = 3 + next_random() % 0xFFFFFF;
  entity_count++;
  return e;
}

// MARK: A run

scheduler_status scheduler_run(
  const uint8_t *prefix, size_t count, void (*set_up)(void *), void *context) {
  memcpy(given, prefix, count);
  given_count = count;
  choice_count = 0;
  entity_count = 0;
  has_diverged = false;
  forget_locks();
  forget_tasks();
  forget_timers();
  status = SCHEDULER_OK;
  is_finished = false;
  is_setting_up = true;
  set_up(context);
  is_setting_up = false;
  entity *first = choose(NULL);
  if (first) wake(first);
  struct timespec end;
  clock_gettime(CLOCK_REALTIME, &end);
  end.tv_sec += 20;
  while (sem_timedwait(&done, &end)) {
    if (errno == EINTR) continue;
    is_finished = true;
    return SCHEDULER_HANG;
  }
  return status;
}

void scheduler_thread(const char *name, void (*body)(void *), void *context) {
  if (scheduler_add(name, body, context, false))
    scheduler_point_reached(
      (scheduler_point){.kind = SCHEDULER_ENQUEUED, .caller = __builtin_return_address(0)}, NULL);
}

void scheduler_step(const char *name) {
  scheduler_point_reached(
    (scheduler_point){
      .kind = SCHEDULER_STEP, .caller = __builtin_return_address(0), .name = name},
    NULL);
}

// MARK: A crash

static char crash_text[256];

void scheduler_set_crash_text(const char *text) {
  snprintf(crash_text, sizeof crash_text, "%s", text);
}

static void crashed(int number) {
  static char text[SCHEDULER_MOST_CHOICES * 4 + 512];
  int n = snprintf(
    text, sizeof text, "✘ %s: signal %d in %s, with --replay \"", crash_text, number,
    self ? self->name : "no entity");
  for (size_t i = 0; i < choice_count && n < (int)sizeof text - 8; i++)
    n += snprintf(text + n, sizeof text - n, i ? " %d" : "%d", choices[i].chosen);
  n += snprintf(text + n, sizeof text - n, "\"\n");
  (void)!write(1, text, n);
  _exit(1);
}

// MARK: Interface

void scheduler_start(void) {
  controller = pthread_self();
  share_processor();
  sem_init(&done, 0, 0);
  find_images();
  take_over_locks();
  take_over_tasks();
  int signals[] = {SIGILL, SIGTRAP, SIGABRT, SIGSEGV, SIGBUS};
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) signal(signals[i], crashed);
}

void scheduler_set_stacks(bool on) { keeps_stacks = on; }
int scheduler_current(void) { return self ? self->id : -1; }
const char *scheduler_name(int entity) { return entities[entity].name; }
int scheduler_entity_count(void) { return entity_count; }
size_t scheduler_choice_count(void) { return choice_count; }
const scheduler_choice *scheduler_choices(void) { return choices; }
void *const *scheduler_stack(size_t choice) { return stacks[choice]; }
bool scheduler_has_ended(int entity) { return entities[entity].state == ENDED; }
scheduler_point scheduler_waits_at(int entity) { return entities[entity].next; }

size_t scheduler_bytes_in_use(void) {
  struct mallinfo2 information = mallinfo2();
  return information.uordblks + information.hblkhd;
}

// Time: it stands still until a timer rings, and a timer may ring at any point, in any order. Each one is an entity, which
// moves the clock to its own time when it runs. So no order depends on how long anything takes.
//
// The timers are those of Dispatch's sources, for the library's alarms, and the runtime's, for `Task.sleep`.
#define _GNU_SOURCE
#include "internal.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>

#define swiftcall __attribute__((swiftcall))

// In nanoseconds. It also goes on from run to run: the library keeps what it knows of the time.
static int64_t now = 1000000000000;

static bool is_controlled(void) { return self || scheduler_is_setting_up(); }

int clock_gettime(clockid_t clock, struct timespec *time) {
  static int (*real)(clockid_t, struct timespec *);
  if (!real) real = dlsym(RTLD_NEXT, "clock_gettime");
  if (!is_controlled()) return real(clock, time);
  time->tv_sec = now / 1000000000;
  time->tv_nsec = now % 1000000000;
  return 0;
}

static void advance(int64_t time) {
  if (now < time) now = time;
}

// MARK: The timers of Dispatch's sources

typedef struct {
  void *source;
  void *handler;  // A block.
  int64_t time;
  entity *pending;
  int rings;      // In this run.
} timer;

static timer timers[8];
static int timer_count;

// An alarm that sets itself again each time that it rings would never let a run end.
static const int most_rings = 4;

void forget_timers(void) {
  now += 3600000000000;
  for (int i = 0; i < timer_count; i++) {
    timers[i].pending = NULL;
    timers[i].rings = 0;
  }
}

extern void *_Block_copy(const void *block);

void dispatch_source_set_event_handler(void *source, void *handler) {
  if (timer_count == 8) abort();
  timers[timer_count++] = (timer){.source = source, .handler = _Block_copy(handler)};
}

static void ring(void *argument) {
  timer *t = argument;
  t->pending = NULL;
  t->rings++;
  advance(t->time);
  void (*invoke)(void *) = ((void (**)(void *))t->handler)[2];
  invoke(t->handler);
}

void dispatch_source_set_timer(void *source, uint64_t start, uint64_t interval, uint64_t leeway) {
  (void)interval, (void)leeway;
  // The second timer of each alarm, which follows the wall clock, would only ring twice.
  bool is_of_wall_clock = start >> 63;
  for (int i = 0; i < timer_count && !is_of_wall_clock; i++) {
    timer *t = &timers[i];
    if (t->source != source || t->rings == most_rings) continue;
    t->time = (int64_t)start;
    if (!t->pending) t->pending = scheduler_add("alarm", ring, t, false);
  }
}

// MARK: The runtime's

typedef struct {
  void *job;
  int64_t time;
} sleep;

typedef swiftcall void (*delay_original)(uint64_t delay, void *job);
typedef swiftcall void (*delay_hook)(uint64_t delay, void *job, delay_original original);
typedef swiftcall void (*deadline_original)(
  long long seconds, long long nanoseconds, long long tolerance_seconds,
  long long tolerance_nanoseconds, int clock, void *job);
typedef swiftcall void (*deadline_hook)(
  long long seconds, long long nanoseconds, long long tolerance_seconds,
  long long tolerance_nanoseconds, int clock, void *job, deadline_original original);
extern delay_hook swift_task_enqueueGlobalWithDelay_hook;
extern deadline_hook swift_task_enqueueGlobalWithDeadline_hook;

static void wake(void *argument) {
  sleep s = *(sleep *)argument;
  free(argument);
  advance(s.time);
  run_job(s.job);
}

static bool add_sleep(void *job, int64_t time) {
  sleep *s = malloc(sizeof *s);
  *s = (sleep){job, time};
  if (scheduler_add("sleep", wake, s, false)) return true;
  free(s);
  scheduler_finish(SCHEDULER_FOREIGN);
  return false;
}

static swiftcall void enqueue_with_delay(uint64_t delay, void *job, delay_original original) {
  if (!add_sleep(job, now + (int64_t)delay)) original(delay, job);
}

static swiftcall void enqueue_with_deadline(
  long long seconds, long long nanoseconds, long long tolerance_seconds,
  long long tolerance_nanoseconds, int clock, void *job, deadline_original original) {
  if (!add_sleep(job, seconds * 1000000000 + nanoseconds))
    original(seconds, nanoseconds, tolerance_seconds, tolerance_nanoseconds, clock, job);
}

void take_over_timers(void) {
  swift_task_enqueueGlobalWithDelay_hook = enqueue_with_delay;
  swift_task_enqueueGlobalWithDeadline_hook = enqueue_with_deadline;
}

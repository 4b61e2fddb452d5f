// Time: it stands still until a timer rings, and a timer may ring at any point, in any order. Each one is an entity, which
// moves the clock to its own time when it runs. So no order depends on how long anything takes.
//
// The timers are those of Dispatch's sources, for the library's alarms, and the runtime's, for `Task.sleep`.
#define _GNU_SOURCE
#include "internal.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>

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

void scheduler_pass_time(int64_t nanoseconds) { advance(now + nanoseconds); }

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
static int most_rings;

void forget_timers(void) {
  now += 3600000000000;
  most_rings = 4;
  for (int i = 0; i < timer_count; i++) {
    timers[i].pending = NULL;
    timers[i].rings = 0;
  }
}

void scheduler_set_most_rings(int count) { most_rings = count; }

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
  void (*run)(void *);
  int64_t time;
} sleep;

static void wake(void *argument) {
  sleep s = *(sleep *)argument;
  free(argument);
  advance(s.time);
  s.run(s.job);
}

// What `Task.sleep` calls.
void dispatch_after_f(uint64_t when, void *queue, void *context, void (*work)(void *)) {
  static void (*real)(uint64_t, void *, void *, void (*)(void *));
  if (!real) real = dlsym(RTLD_NEXT, "dispatch_after_f");
  if (is_in_runtime(__builtin_return_address(0))) {
    sleep *s = malloc(sizeof *s);
    // The highest two bits name the clock.
    *s = (sleep){context, work, (int64_t)(when & (1ull << 62) - 1)};
    if (scheduler_add("sleep", wake, s, false)) return;
    free(s);
    scheduler_finish(SCHEDULER_FOREIGN);
  }
  real(when, queue, context, work);
}

// The jobs of the Swift runtime: each is an entity from the moment at which it is made ready, as on a pool without a limit
// that takes them in any order. An actor needs nothing of its own, because its jobs come the same way.
#define _GNU_SOURCE
#include "internal.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#define swiftcall __attribute__((swiftcall))

typedef struct { void *identity, *implementation; } executor;
typedef swiftcall void (*original_enqueue)(void *job);
typedef swiftcall void (*enqueue_hook)(void *job, original_enqueue original);

extern swiftcall void swift_job_run(void *job, executor on);
extern swiftcall uint64_t swift_task_getJobTaskId(void *job);
extern char _dispatch_main_q;
extern enqueue_hook swift_task_enqueueGlobal_hook;

static void run_job(void *job) { swift_job_run(job, (executor){0, 0}); }

// MARK: Names

typedef struct {
  uint64_t id;
  char name[32];
} named_task;

static named_task tasks[128];
static int task_count;
static int wake_ups_under_lock;
static __thread const char *next_name;

void scheduler_name_next_task(const char *name) { next_name = name; }

int scheduler_wake_ups_under_lock(void) { return wake_ups_under_lock; }

// A task keeps its name when it is woken.
static const char *name_of(void *job) {
  uint64_t id = swift_task_getJobTaskId(job);
  for (int i = 0; i < task_count; i++)
    if (tasks[i].id == id) return tasks[i].name;
  if (task_count == 128) return "task";
  named_task *task = &tasks[task_count++];
  task->id = id;
  if (next_name) snprintf(task->name, sizeof task->name, "%s", next_name);
  else snprintf(task->name, sizeof task->name, "task %d", task_count);
  next_name = NULL;
  return task->name;
}

// MARK: In place of the runtime's pool, and of Dispatch's queues

typedef struct {
  void (*run)(void *);
  void *job;
} late_job;

// Made ready by what looks at a run that has ended.
static late_job late_jobs[256];
static int late_count;
static pthread_t controller;
static bool is_between_runs;

void forget_tasks(void) {
  is_between_runs = false;
  task_count = late_count = wake_ups_under_lock = 0;
  next_name = NULL;
}

int scheduler_drain(void) {
  is_between_runs = true;
  int i = 0;
  for (; i < late_count; i++) late_jobs[i].run(late_jobs[i].job);
  late_count = 0;
  return i;
}

// Returns whether this thread is controlled.
static bool enqueue(void *job, void (*run)(void *), bool is_on_main_actor, void *caller) {
  if (scheduler_add(name_of(job), run, job, is_on_main_actor)) {
    wake_ups_under_lock += scheduler_held_locks(false) > 0;
    scheduler_point_reached(
      (scheduler_point){.kind = SCHEDULER_ENQUEUED, .caller = caller}, NULL);
    return true;
  }
  if (is_between_runs && pthread_equal(pthread_self(), controller) && late_count < 256) {
    late_jobs[late_count++] = (late_job){run, job};
    return true;
  }
  // Something in the scenario is not controlled, and can be in another order each time.
  scheduler_finish(SCHEDULER_FOREIGN);
  return false;
}

static swiftcall void enqueue_global(void *job, original_enqueue original) {
  if (!enqueue(job, run_job, false, __builtin_return_address(0))) original(job);
}

// The runtime's executor of the main actor is Dispatch's main queue, and some jobs of the pool go to another queue directly.
void dispatch_async_f(void *queue, void *context, void (*work)(void *)) {
  static void (*real)(void *, void *, void (*)(void *));
  if (!real) real = dlsym(RTLD_NEXT, "dispatch_async_f");
  void *caller = __builtin_return_address(0);
  bool is_on_main_actor = queue == &_dispatch_main_q;
  if (!is_in_runtime(caller) || !enqueue(context, work, is_on_main_actor, caller))
    real(queue, context, work);
}

void take_over_tasks(void) {
  controller = pthread_self();
  swift_task_enqueueGlobal_hook = enqueue_global;
}

// What the files of the scheduler share.
#pragma once

#include "include/CScheduler.h"

#include <pthread.h>

typedef enum { READY, STOPPED, RUNNING, ENDED } entity_state;

typedef struct entity {
  int id;
  char name[32];
  entity_state state;
  bool is_on_main_actor;  // Such jobs run one at a time, in order.
  int without_points;     // While it is more than zero.
  scheduler_point next;
  void *waits_for;        // The lock of `next`.
  void (*body)(void *);
  void *context;
  struct worker *worker;
} entity;

// The entity that runs on this thread. Only threads with one are controlled.
extern __thread entity *self;

// Makes an entity, or returns null: outside of a run, or on a thread that is not controlled.
entity *scheduler_add(const char *name, void (*body)(void *), void *context, bool is_on_main_actor);

// The running entity stops here, and another one may go on.
void scheduler_point_reached(scheduler_point next, void *waits_for);

// Ends the run, with the entities as they are.
void scheduler_finish(scheduler_status status);

// Whether an entity may lock.
bool scheduler_is_locked_by_other(void *lock, entity *e);

// Whether this thread is preparing a run.
bool scheduler_is_setting_up(void);

// Whether an address of code is in the program, and not in a shared library.
bool is_in_program(void *address);

// The same for the Swift runtime's library of tasks.
bool is_in_runtime(void *address);

// What each file does once, and before each run.
void find_images(void);
void take_over_locks(void);
void take_over_tasks(void);
void forget_locks(void);
void forget_tasks(void);
void forget_timers(void);

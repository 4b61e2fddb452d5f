// A scheduler that decides, in place of the system, in which order the steps of a program run.
//
// An entity is a thread of a scenario, a job of the Swift runtime, or a timer. One runs at a time. It may be exchanged for
// another only at a point: `points.c` says what is one, and why.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// What an entity does next at the point where it stopped.
typedef enum {
  SCHEDULER_BEGIN,     // It has not begun.
  SCHEDULER_LOCK,      // It is about to lock.
  SCHEDULER_TRY_LOCK,  // It is about to try to lock.
  SCHEDULER_UNLOCKED,  // It has unlocked, and goes on.
  SCHEDULER_ENQUEUED,  // It has made another entity ready, and goes on.
  SCHEDULER_STEP,      // It is at a step that the scenario named.
  SCHEDULER_END,       // It has ended.
} scheduler_kind;

typedef struct {
  scheduler_kind kind;
  uint16_t lock;      // Numbered in the order of first use in a run, from 1.
  void *caller;       // The code that stopped there.
  const char *name;   // Of a step.
} scheduler_point;

// One choice: who stopped, and who goes on.
typedef struct {
  int8_t stopped;          // -1 at the beginning.
  uint8_t chosen;
  bool is_preemption;      // The one that stopped could have gone on.
  bool could_go_on;        // The one that stopped.
  uint32_t enabled;        // All that could go on.
  scheduler_point at;      // Where the one that stopped was.
  scheduler_point next;    // What the chosen one does next.
} scheduler_choice;

typedef enum {
  SCHEDULER_OK,
  SCHEDULER_DEADLOCK,   // No entity can go on, and some have not ended.
  SCHEDULER_RELOCK,     // A thread locks what it holds.
  SCHEDULER_HANG,       // The running entity reaches no point.
  SCHEDULER_DIVERGED,   // The choices do not fit: something other than them decides what happens.
  SCHEDULER_ENDLESS,    // Too many steps.
  SCHEDULER_FOREIGN,    // A thread that is not controlled made a task ready.
} scheduler_status;

enum { SCHEDULER_MOST_ENTITIES = 32, SCHEDULER_MOST_CHOICES = 4096, SCHEDULER_STACK = 24 };

// Takes over the process. Once, before the first run.
void scheduler_start(void);

// Runs `set_up` on this thread and without points, then what it has made ready, until all have ended. Follows the given
// choices; after them, the stopped entity goes on, or if it cannot, the oldest one that can.
scheduler_status scheduler_run(
  const uint8_t *choices, size_t count, void (*set_up)(void *), void *context);

// In the next run, the choices after the given ones are random; 0 ends that. Even seeds choose at each point, odd ones
// give each entity a priority, which changes at two points of the first `length`.
void scheduler_set_random(uint32_t seed, size_t length);

// In the next run, `scheduler_stack` is kept for each choice, which takes time.
void scheduler_set_stacks(bool on);

// After a run, until the next one: runs on this thread what is made ready by it. Returns how many jobs.
int scheduler_drain(void);

// Makes a thread: while a run is set up, or in an entity, where that is a point.
void scheduler_thread(const char *name, void (*body)(void *), void *context);

// Names the task of the next job that this thread makes ready.
void scheduler_name_next_task(const char *name);

// A point of the scenario's own. The name must stay valid.
void scheduler_step(const char *name);

// Time passes, without a point.
void scheduler_pass_time(int64_t nanoseconds);

// In this run, each alarm may ring so often; 4 otherwise. For one that sets itself again each time.
void scheduler_set_most_rings(int count);

// The entity that runs, or -1.
int scheduler_current(void);
const char *scheduler_name(int entity);
int scheduler_entity_count(void);

// How many locks the running entity holds: of the program, or of the Swift runtime.
int scheduler_held_locks(bool of_runtime);

// How often in this run a job was made ready under a lock of the program.
int scheduler_wake_ups_under_lock(void);

// The choices of the last run.
size_t scheduler_choice_count(void);
const scheduler_choice *scheduler_choices(void);

// Where an entity waits that has not ended, after a deadlock.
bool scheduler_has_ended(int entity);
scheduler_point scheduler_waits_at(int entity);

// The callers of the point where the entity of a choice stopped, innermost first. Ends with a null.
void *const *scheduler_stack(size_t choice);

// The function that contains an address, as the linker names it, or a null; only for the program's own functions.
const char *scheduler_symbol(void *address);

// What a crash prints before the choices of its run.
void scheduler_set_crash_text(const char *text);

// The bytes that malloc has given out.
size_t scheduler_bytes_in_use(void);

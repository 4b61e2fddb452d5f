// A C library that calls back with a context pointer, as badly as C libraries do.

#ifndef HOSTILE_C_LIBRARY_H
#define HOSTILE_C_LIBRARY_H

typedef void (*hostile_callback)(void *context, int status, const char *text);

// Calls `should_stop` before each of `steps` steps, on the caller's thread, until it returns something else
// than 0. Returns how many steps it took.
int hostile_work(int steps, int (*should_stop)(void *context), void *context);

// What a job does once it is cancelled.
typedef enum {
  HOSTILE_JOB_CALLS_BACK_IN_CANCEL,  // calls back before the cancel returns, on the thread that cancels
  HOSTILE_JOB_CALLS_BACK_LATER,      // goes on for a while, and calls back on a thread of its own
  HOSTILE_JOB_NEVER_CALLS_BACK,      // ends without a call
  HOSTILE_JOB_REFUSES,               // does not begin, and never calls back: the start returns a status
} hostile_job_behavior;

typedef struct hostile_job hostile_job;

// Begins a job that counts up in `buffer` until it is finished or cancelled, on a thread of its own. Returns 0, or
// another status if it refuses: then there is no job.
int hostile_job_start(hostile_job_behavior behavior, hostile_callback callback, void *context,
                      int *buffer, hostile_job **job);

// Ends the work, and calls back with status 0.
void hostile_job_finish(hostile_job *job);

// Tells the job to stop. The callback, if one comes, has status 1. Nothing happens if it has finished.
void hostile_job_cancel(hostile_job *job);

// Whether the job does not touch its buffer any more.
int hostile_job_is_over(hostile_job *job);

// Waits until the job's thread has ended, and releases the job.
void hostile_job_destroy(hostile_job *job);

#endif

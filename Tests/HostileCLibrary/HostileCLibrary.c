#include "HostileCLibrary.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

int hostile_work(int steps, int (*should_stop)(void *context), void *context) {
  int step = 0;
  while (step < steps && !should_stop(context)) step++;
  return step;
}

struct hostile_job {
  hostile_job_behavior behavior;
  hostile_callback callback;
  void *context;
  int *buffer;
  pthread_t thread;
  atomic_int is_finished, is_cancelled, is_over;
};

static void *run_job(void *argument) {
  hostile_job *job = argument;
  while (!atomic_load(&job->is_finished) && !atomic_load(&job->is_cancelled)) {
    (*job->buffer)++;
    sched_yield();
  }
  int is_finished = atomic_load(&job->is_finished);
  if (!is_finished && job->behavior == HOSTILE_JOB_CALLS_BACK_LATER) {
    for (int i = 0; i < 100; i++) {
      (*job->buffer)++;
      sched_yield();
    }
  }
  atomic_store(&job->is_over, 1);
  if (is_finished) {
    job->callback(job->context, 0, "done");
  } else if (job->behavior == HOSTILE_JOB_CALLS_BACK_LATER) {
    job->callback(job->context, 1, NULL);
  }
  return NULL;
}

int hostile_job_start(hostile_job_behavior behavior, hostile_callback callback, void *context,
                      int *buffer, hostile_job **job) {
  if (behavior == HOSTILE_JOB_REFUSES) return 7;
  hostile_job *new = calloc(1, sizeof *new);
  new->behavior = behavior;
  new->callback = callback;
  new->context = context;
  new->buffer = buffer;
  pthread_create(&new->thread, NULL, run_job, new);
  *job = new;
  return 0;
}

void hostile_job_finish(hostile_job *job) { atomic_store(&job->is_finished, 1); }

void hostile_job_cancel(hostile_job *job) {
  atomic_store(&job->is_cancelled, 1);
  if (job->behavior != HOSTILE_JOB_CALLS_BACK_IN_CANCEL) return;
  while (!atomic_load(&job->is_over)) sched_yield();
  if (!atomic_load(&job->is_finished)) job->callback(job->context, 1, NULL);
}

int hostile_job_is_over(hostile_job *job) { return atomic_load(&job->is_over); }

void hostile_job_destroy(hostile_job *job) {
  pthread_join(job->thread, NULL);
  free(job);
}

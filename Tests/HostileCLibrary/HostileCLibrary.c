#include "HostileCLibrary.h"

#include <pthread.h>
#include <stdlib.h>

typedef struct {
  hostile_behavior behavior;
  hostile_callback callback;
  hostile_destroy destroy;
  void *context;
} fetch;

static void *call_back(void *argument) {
  fetch *call = argument;
  call->callback(call->context, 0, "text");
  return NULL;
}

static void perform(fetch *call) {
  pthread_t other;
  switch (call->behavior) {
  case HOSTILE_NOW:
  case HOSTILE_LATER:
    call_back(call);
    break;
  case HOSTILE_TWICE:
    call_back(call);
    call_back(call);
    break;
  case HOSTILE_TWICE_AT_ONCE:
    pthread_create(&other, NULL, call_back, call);
    call_back(call);
    pthread_join(other, NULL);
    break;
  case HOSTILE_AFTER_DESTROY:
    if (call->destroy) call->destroy(call->context);
    call_back(call);
    break;
  case HOSTILE_ONLY_DESTROY:
    break;
  case HOSTILE_FAIL:
    call->callback(call->context, 7, NULL);
    break;
  case HOSTILE_WITH_OTHER_CONTEXT:
    call->callback(NULL, 0, "text");
    call->callback((void *)~0UL, 0, "text");
    call_back(call);
    break;
  }
  if (call->destroy) call->destroy(call->context);
}

static void *perform_on_thread(void *argument) {
  perform(argument);
  free(argument);
  return NULL;
}

void hostile_fetch(hostile_behavior behavior, hostile_callback callback, hostile_destroy destroy,
                   void *context) {
  fetch call = {behavior, callback, destroy, context};
  if (behavior == HOSTILE_NOW || behavior == HOSTILE_FAIL) {
    perform(&call);
    return;
  }
  fetch *copy = malloc(sizeof call);
  *copy = call;
  pthread_t thread;
  pthread_create(&thread, NULL, perform_on_thread, copy);
  pthread_detach(thread);
}

int hostile_work(int steps, int (*should_stop)(void *context), void *context) {
  int step = 0;
  while (step < steps && !should_stop(context)) step++;
  return step;
}

// A C library that calls back with a context pointer, as badly as C libraries do.

#ifndef HOSTILE_C_LIBRARY_H
#define HOSTILE_C_LIBRARY_H

typedef void (*hostile_callback)(void *context, int status, const char *text);
typedef void (*hostile_destroy)(void *context);

typedef enum {
  HOSTILE_NOW,                 // calls back before it returns
  HOSTILE_LATER,               // calls back on a thread of its own
  HOSTILE_TWICE,               // calls back twice on a thread of its own
  HOSTILE_TWICE_AT_ONCE,       // calls back from two threads at once
  HOSTILE_AFTER_DESTROY,       // destroys the context, and calls back then
  HOSTILE_ONLY_DESTROY,        // destroys the context and never calls back
  HOSTILE_FAIL,                // calls back with a status that is not 0, and no text
  HOSTILE_WITH_OTHER_CONTEXT,  // calls back with NULL and with a context that nobody gave it
} hostile_behavior;

// Every call ends with a call of `destroy`, if there is one; HOSTILE_NOW and HOSTILE_FAIL before it
// returns, the others on a thread of their own.
void hostile_fetch(hostile_behavior behavior, hostile_callback callback, hostile_destroy destroy,
                   void *context);

// Calls `should_stop` before each of `steps` steps, on the caller's thread, until it returns something else
// than 0. Returns how many steps it took.
int hostile_work(int steps, int (*should_stop)(void *context), void *context);

#endif

// What is a point, and why.
//
// | point | because |
// |---|---|
// | before a lock, and an attempt to lock | what another thread does under it first may decide what is found there |
// | after an unlock | between two critical sections, and before what follows the last one, anything may happen |
// | after a task is made ready | it may go on before the thread that woke it |
// | a thread is made, and `scheduler_step` | the scenario says so |
// | an entity ends, or waits | another one has to go on |
//
// Between two points, an entity is not exchanged: what the runtime does with atomics, and `Mutex`, are single steps.
//
// The functions here have the names of those of the C library and the Swift runtime. The linker prefers the program's, for
// the program itself and for the shared libraries of the runtime. So it is the unchanged code of the library that is
// stopped, and that of the runtime where a task is cancelled or woken.
#define _GNU_SOURCE
#include "internal.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// MARK: Whose locks

typedef struct { uintptr_t start, end; } image;
static image program, concurrency, foundation;

static int find_image(struct dl_phdr_info *info, size_t size, void *count) {
  (void)size;
  image found = {UINTPTR_MAX, 0};
  for (int i = 0; i < info->dlpi_phnum; i++) {
    if (info->dlpi_phdr[i].p_type != PT_LOAD) continue;
    uintptr_t start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
    uintptr_t end = start + info->dlpi_phdr[i].p_memsz;
    if (start < found.start) found.start = start;
    if (end > found.end) found.end = end;
  }
  if ((*(int *)count)++ == 0) program = found;
  // The lock of each task's status, under which cancellation handlers run.
  if (strstr(info->dlpi_name, "libswift_Concurrency")) concurrency = found;
  // `NSLock`.
  if (strstr(info->dlpi_name, "libFoundation.so")) foundation = found;
  return 0;
}

void find_images(void) {
  int count = 0;
  dl_iterate_phdr(find_image, &count);
}

static bool contains(image i, void *address) {
  return (uintptr_t)address >= i.start && (uintptr_t)address < i.end;
}

bool is_in_program(void *address) { return contains(program, address); }
bool is_in_runtime(void *address) { return contains(concurrency, address); }

// The locks of the core runtime, for metadata, and those of other libraries are no points: nothing in a scenario depends
// on their order.
static bool has_points(void *caller) {
  return is_in_program(caller) || is_in_runtime(caller) || contains(foundation, caller);
}

// MARK: Who holds what

typedef struct {
  void *lock;
  entity *owner;
  int depth;
  bool is_of_runtime;
} held_lock;

static held_lock held[64];
static int held_count;

// Numbers for the words of a failure, in the order of first use: an address would differ from run to run.
static void *numbered[1024];
static int numbered_count;

void forget_locks(void) { held_count = numbered_count = 0; }

static uint16_t number_of(void *lock) {
  for (int i = numbered_count - 1; i >= 0; i--)
    if (numbered[i] == lock) return (uint16_t)(i + 1);
  if (numbered_count == 1024) return 0;
  numbered[numbered_count++] = lock;
  return (uint16_t)numbered_count;
}

static held_lock *find_held(void *lock) {
  for (int i = 0; i < held_count; i++)
    if (held[i].lock == lock) return &held[i];
  return NULL;
}

bool scheduler_is_locked_by_other(void *lock, entity *e) {
  held_lock *h = find_held(lock);
  return h && h->owner != e;
}

static void note_locked(entity *e, void *lock, void *caller) {
  held_lock *h = find_held(lock);
  if (h) {
    h->depth++;
  } else if (held_count < 64) {
    held[held_count++] = (held_lock){lock, e, 1, is_in_runtime(caller)};
  } else {
    fprintf(stderr, "error: more than 64 locks are held\n");
    _exit(70);
  }
}

int scheduler_held_locks(bool of_runtime) {
  int count = 0;
  for (int i = 0; i < held_count; i++)
    count += self && held[i].owner == self && held[i].is_of_runtime == of_runtime;
  return count;
}

// MARK: In place of the system's functions

static int (*real_lock)(pthread_mutex_t *);
static int (*real_trylock)(pthread_mutex_t *);
static int (*real_unlock)(pthread_mutex_t *);
static void (*real_once)(void *, void (*)(void *), void *);

void take_over_locks(void) {
  // `real_lock` last: it says that the others are there.
  real_unlock = dlsym(RTLD_NEXT, "pthread_mutex_unlock");
  real_trylock = dlsym(RTLD_NEXT, "pthread_mutex_trylock");
  real_once = dlsym(RTLD_NEXT, "swift_once");
  real_lock = dlsym(RTLD_NEXT, "pthread_mutex_lock");
}

int pthread_mutex_lock(pthread_mutex_t *lock) {
  if (!real_lock) take_over_locks();
  entity *e = self;
  if (!e) return real_lock(lock);
  void *caller = __builtin_return_address(0);
  held_lock *h = find_held(lock);
  bool holds_it = h && h->owner == e;
  scheduler_point point = {.kind = SCHEDULER_LOCK, .caller = caller};
  if (holds_it && (lock->__data.__kind & 3) != PTHREAD_MUTEX_RECURSIVE) {
    point.lock = number_of(lock);
    e->next = point;
    scheduler_finish(SCHEDULER_RELOCK);
    while (true) pause();
  }
  // Also where it would not be a point, if another holds the lock: that one must go on first.
  if (!holds_it && (has_points(caller) || h)) {
    point.lock = number_of(lock);
    scheduler_point_reached(point, lock);
  }
  note_locked(e, lock, caller);
  return real_lock(lock);
}

int pthread_mutex_trylock(pthread_mutex_t *lock) {
  if (!real_lock) take_over_locks();
  entity *e = self;
  if (!e) return real_trylock(lock);
  void *caller = __builtin_return_address(0);
  if (has_points(caller))
    scheduler_point_reached(
      (scheduler_point){
        .kind = SCHEDULER_TRY_LOCK, .lock = number_of(lock), .caller = caller},
      NULL);
  if (scheduler_is_locked_by_other(lock, e)) return EBUSY;
  int result = real_trylock(lock);
  if (result == 0) note_locked(e, lock, caller);
  return result;
}

int pthread_mutex_unlock(pthread_mutex_t *lock) {
  if (!real_lock) take_over_locks();
  entity *e = self;
  if (!e) return real_unlock(lock);
  void *caller = __builtin_return_address(0);
  int result = real_unlock(lock);
  held_lock *h = find_held(lock);
  if (!h || --h->depth > 0) return result;
  *h = held[--held_count];
  if (has_points(caller))
    scheduler_point_reached(
      (scheduler_point){
        .kind = SCHEDULER_UNLOCKED, .lock = number_of(lock), .caller = caller},
      NULL);
  return result;
}

// A global is initialized without points: a second thread that needs it would wait for real.
void swift_once(void *predicate, void (*function)(void *), void *context) {
  if (!real_lock) take_over_locks();
  entity *e = self;
  if (e) e->without_points++;
  real_once(predicate, function, context);
  if (e) e->without_points--;
}

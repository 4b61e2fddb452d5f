#ifndef MALLOC_COUNTER_H
#define MALLOC_COUNTER_H

#include <stddef.h>

// How many times the current thread has allocated memory, and how many bytes it has asked for.
// Allocations are counted where glibc is the C library, elsewhere both are 0.
size_t malloc_count(void);
size_t malloc_bytes_requested(void);

// The bytes that malloc has handed out and not got back.
size_t malloc_bytes_in_use(void);

#endif

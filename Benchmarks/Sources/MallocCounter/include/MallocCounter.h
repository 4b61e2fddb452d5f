#ifndef MALLOC_COUNTER_H
#define MALLOC_COUNTER_H

#include <stddef.h>

// How many times memory was allocated, and how many bytes were asked for, since the program began.
// Allocations are counted where glibc is the C library, elsewhere both are 0.
size_t malloc_count(void);
size_t malloc_bytes_requested(void);

// The bytes that malloc has handed out and not got back.
size_t malloc_bytes_in_use(void);

#endif

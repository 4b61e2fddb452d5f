#ifndef MALLOC_COUNTER_H
#define MALLOC_COUNTER_H

#include <stddef.h>

// How many times the current thread has allocated memory; 0 without glibc.
size_t malloc_count(void);

// The bytes that malloc has allocated and that are not freed.
size_t malloc_bytes_in_use(void);

#endif

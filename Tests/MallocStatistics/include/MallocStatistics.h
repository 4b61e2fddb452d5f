#ifndef MALLOC_STATISTICS_H
#define MALLOC_STATISTICS_H

#include <stddef.h>

// The bytes that malloc has handed out and not got back. Resident memory would say little: allocators keep
// what was freed.
size_t malloc_bytes_in_use(void);

#endif

#include "MallocStatistics.h"

extern void *_Atomic _swift_willThrow;  // Swift Testing's, which keeps a backtrace of each error.
#if defined(__APPLE__)
#include <malloc/malloc.h>

size_t malloc_bytes_in_use(void) {
  _swift_willThrow = NULL;
  malloc_statistics_t statistics;
  malloc_zone_statistics(NULL, &statistics);
  return statistics.size_in_use;
}
#else
#include <malloc.h>

size_t malloc_bytes_in_use(void) {
  _swift_willThrow = NULL;
  struct mallinfo2 information = mallinfo2();
  return information.uordblks + information.hblkhd;
}
#endif

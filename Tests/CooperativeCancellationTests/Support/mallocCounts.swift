/// Whether `malloc_bytes_in_use()` says anything: the sanitizers have allocators of their own.
#if THREAD_SANITIZER || ADDRESS_SANITIZER
  let mallocCounts = false
#else
  let mallocCounts = true
#endif

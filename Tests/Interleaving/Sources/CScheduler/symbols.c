// The names of the program's functions, for the words of a failure.
#define _GNU_SOURCE
#include "internal.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

// From the symbol table of the file, which also has what is not exported.
const char *scheduler_symbol(void *address) {
  static const char *file;
  if (!is_in_program(address)) return NULL;
  if (!file) {
    int descriptor = open("/proc/self/exe", O_RDONLY);
    struct stat information;
    if (descriptor < 0 || fstat(descriptor, &information)) return NULL;
    void *mapped = mmap(NULL, information.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    close(descriptor);
    if (mapped == MAP_FAILED) return NULL;
    file = mapped;
  }
  extern const ElfW(Ehdr) __ehdr_start;  // Where the program is in memory.
  uintptr_t offset = (uintptr_t)address - (uintptr_t)&__ehdr_start;
  const ElfW(Ehdr) *header = (const void *)file;
  const ElfW(Shdr) *sections = (const void *)(file + header->e_shoff);
  for (int i = 0; i < header->e_shnum; i++) {
    if (sections[i].sh_type != SHT_SYMTAB) continue;
    const ElfW(Sym) *symbols = (const void *)(file + sections[i].sh_offset);
    const char *names = file + sections[sections[i].sh_link].sh_offset;
    for (size_t j = 0; j < sections[i].sh_size / sizeof *symbols; j++)
      if (ELF64_ST_TYPE(symbols[j].st_info) == STT_FUNC && symbols[j].st_value <= offset &&
          offset < symbols[j].st_value + symbols[j].st_size)
        return names + symbols[j].st_name;
  }
  return NULL;
}

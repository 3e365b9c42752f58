// A disk that does not give some of a file: reads of MERO_BAD_FILE beyond its first page fail with
// EIO, as long as the file MERO_BAD_FILE with ".bad" behind its name is there.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static int is_bad(int file, off_t offset) {
  const char *path = getenv("MERO_BAD_FILE");
  char flag[4096];
  struct stat bad, here;
  if (!path || offset < 4096 || fstat(file, &here) != 0 || stat(path, &bad) != 0) return 0;
  if (here.st_ino != bad.st_ino || here.st_dev != bad.st_dev) return 0;
  snprintf(flag, sizeof flag, "%s.bad", path);
  return access(flag, F_OK) == 0;
}

#define FAIL(file, offset)                                                                         \
  if (is_bad(file, offset)) {                                                                      \
    errno = EIO;                                                                                   \
    return -1;                                                                                     \
  }

ssize_t read(int file, void *bytes, size_t count) {
  static ssize_t (*real)(int, void *, size_t);
  if (!real) real = dlsym(RTLD_NEXT, "read");
  FAIL(file, lseek(file, 0, SEEK_CUR))
  return real(file, bytes, count);
}

ssize_t pread64(int file, void *bytes, size_t count, off64_t offset) {
  static ssize_t (*real)(int, void *, size_t, off64_t);
  if (!real) real = dlsym(RTLD_NEXT, "pread64");
  FAIL(file, offset)
  return real(file, bytes, count, offset);
}

ssize_t pread(int file, void *bytes, size_t count, off_t offset) {
  return pread64(file, bytes, count, offset);
}

/* Loaded in front of the program by tests (LD_PRELOAD): the wall clock shows what a file says, and the disk refuses to sync or
   does not come to read while other files are there. The program needs no door for it, so that release builds are tested as
   they are.

   PHAROS_TEST_CLOCK: a file of two 64-bit numbers, 1 and Unix milliseconds for a clock that stands still, or 0 and
   milliseconds that are added to the machine's clock. PHAROS_TEST_NO_SYNC: the file that makes syncs of the event
   log fail with EIO. PHAROS_TEST_NO_READ: the file that makes reading of segments of events wait until it is gone. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static volatile int64_t *said;
static int (*machine)(clockid_t, struct timespec *);

static void look(void) {
  machine = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
  const char *file = getenv("PHAROS_TEST_CLOCK");
  int descriptor = file ? open(file, O_RDONLY | O_CLOEXEC) : -1;
  if (descriptor < 0)
    return;
  void *page = mmap(NULL, 16, PROT_READ, MAP_SHARED, descriptor, 0);
  close(descriptor);
  if (page != MAP_FAILED)
    said = page;
}

int clock_gettime(clockid_t id, struct timespec *time) {
  pthread_once(&once, look);
  int done = machine(id, time);
  if (done == 0 && said && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE)) {
    int64_t nanos = said[1] * 1000000;
    if (said[0] == 0)
      nanos += (int64_t)time->tv_sec * 1000000000 + time->tv_nsec;
    time->tv_sec = nanos / 1000000000;
    time->tv_nsec = nanos % 1000000000;
  }
  return done;
}

/* Whether a file that says so is there, and the descriptor is one of a file below a directory of that name. */
static int told(const char *variable, int descriptor, const char *directory) {
  const char *file = getenv(variable);
  if (!file || access(file, F_OK) != 0)
    return 0;
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t length = readlink(link, path, sizeof path - 1);
  path[length < 0 ? 0 : length] = 0;
  return strstr(path, directory) != NULL;
}

static int sync_or_not(int descriptor, const char *name) {
  if (told("PHAROS_TEST_NO_SYNC", descriptor, "/spool")) {
    errno = EIO;
    return -1;
  }
  int (*disk)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
  return disk(descriptor);
}

int fdatasync(int descriptor) { return sync_or_not(descriptor, "fdatasync"); }

int fsync(int descriptor) { return sync_or_not(descriptor, "fsync"); }

/* On machines with 64 bits both names mean the same. */
ssize_t pread64(int descriptor, void *into, size_t length, off_t at) {
  while (told("PHAROS_TEST_NO_READ", descriptor, "/segments/"))
    usleep(10000);
  ssize_t (*disk)(int, void *, size_t, off_t) =
      (ssize_t(*)(int, void *, size_t, off_t))dlsym(RTLD_NEXT, "pread64");
  return disk(descriptor, into, length, at);
}

ssize_t pread(int descriptor, void *into, size_t length, off_t at) {
  return pread64(descriptor, into, length, at);
}

// The kernel's clocks as somebody sets them while a program runs: preloaded into that program alone,
// since the clocks of a machine are everybody's. The program under test is the real one; what is
// imitated is what the kernel answers it:
//
// - CLOCK_REALTIME (clock_gettime, gettimeofday, time) is off by the first number of the file that
//   MERO_CLOCK names, CLOCK_BOOTTIME by the second, in nanoseconds;
// - a change of the first ends a read of a timer with TFD_TIMER_CANCEL_ON_SET with ECANCELED, as
//   timerfd_create(2) has it for a clock that was set;
// - a timer on CLOCK_BOOTTIME fires when that clock, as it is shown, says so.
//
// CLOCK_MONOTONIC is as it is: to move the other two is what a suspended machine sees when it wakes.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum { REALTIME, BOOTTIME, CLOCKS, TIMERS = 4096 };
static const int64_t second = 1000000000;

static volatile int64_t *offsets;  // in the file
static int64_t seen[CLOCKS];

struct timer {
  int clock;
  int flags;  // 0 where no timer has this descriptor, -1 where it is on no clock's time
  struct itimerspec wanted;
  int cancelled;
};
static struct timer timers[TIMERS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static int which(clockid_t clock) {
  if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE) return REALTIME;
  return clock == CLOCK_BOOTTIME ? BOOTTIME : -1;
}

static void move(struct timespec *time, int64_t by) {
  int64_t sum = (int64_t)time->tv_sec * second + time->tv_nsec + by;
  if (sum < 1) sum = 1;
  time->tv_sec = sum / second;
  time->tv_nsec = sum % second;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  static __typeof__(&clock_gettime) real;
  if (!real) real = REAL(clock_gettime);
  int result = real(clock, time), index = which(clock);
  if (result == 0 && index >= 0 && offsets) move(time, offsets[index]);
  return result;
}

int gettimeofday(struct timeval *time, void *zone) {
  (void)zone;
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  time->tv_sec = now.tv_sec;
  time->tv_usec = now.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *out) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (out) *out = now.tv_sec;
  return now.tv_sec;
}

int timerfd_create(int clock, int flags) {
  int number = REAL(timerfd_create)(clock, flags);
  if (number >= 0 && number < TIMERS && which(clock) >= 0) {
    pthread_mutex_lock(&lock);
    memset(&timers[number], 0, sizeof timers[number]);
    timers[number].clock = clock;
    timers[number].flags = -1;  // not armed yet
    pthread_mutex_unlock(&lock);
  }
  return number;
}

static int is_ours(int number) {
  return number >= 0 && number < TIMERS && timers[number].flags != 0 &&
         which(timers[number].clock) >= 0;
}

// With the lock: as the kernel has to be told, whose clocks are not off.
static int arm(int number, struct itimerspec *old) {
  struct timer *timer = &timers[number];
  struct itimerspec told = timer->wanted;
  int is_set = told.it_value.tv_sec || told.it_value.tv_nsec;
  if (is_set && (timer->flags & TFD_TIMER_ABSTIME)) {
    move(&told.it_value, -offsets[which(timer->clock)]);
  }
  return REAL(timerfd_settime)(number, timer->flags, &told, old);
}

int timerfd_settime(int number, int flags, const struct itimerspec *new, struct itimerspec *old) {
  if (!offsets || number < 0 || number >= TIMERS || !timers[number].flags) {
    return REAL(timerfd_settime)(number, flags, new, old);
  }
  pthread_mutex_lock(&lock);
  timers[number].flags = flags ? flags : -1;
  timers[number].wanted = *new;
  timers[number].cancelled = 0;
  int result = flags ? arm(number, old) : REAL(timerfd_settime)(number, flags, new, old);
  pthread_mutex_unlock(&lock);
  return result;
}

ssize_t read(int number, void *bytes, size_t count) {
  static __typeof__(&read) real;
  if (!real) real = REAL(read);
  if (is_ours(number) && timers[number].cancelled) {
    pthread_mutex_lock(&lock);
    timers[number].cancelled = 0;
    arm(number, NULL);
    pthread_mutex_unlock(&lock);
    errno = ECANCELED;
    return -1;
  }
  return real(number, bytes, count);
}

int close(int number) {
  if (number >= 0 && number < TIMERS) timers[number].flags = 0;
  return REAL(close)(number);
}

// A clock was set: what the kernel does to timers at that moment.
static void changed(int index) {
  for (int number = 0; number < TIMERS; number++) {
    struct timer *timer = &timers[number];
    if (!is_ours(number) || timer->flags == -1 || which(timer->clock) != index) continue;
    if (index == REALTIME && (timer->flags & TFD_TIMER_CANCEL_ON_SET)) {
      struct itimerspec now = {.it_value = {.tv_nsec = 1}};
      timer->cancelled = 1;
      REAL(timerfd_settime)(number, 0, &now, NULL);
    } else {
      arm(number, NULL);
    }
  }
}

static void *watch(void *nothing) {
  struct timespec pause = {.tv_nsec = 5000000};
  for (;; nanosleep(&pause, NULL)) {
    for (int index = 0; index < CLOCKS; index++) {
      if (offsets[index] == seen[index]) continue;
      pthread_mutex_lock(&lock);
      seen[index] = offsets[index];
      changed(index);
      pthread_mutex_unlock(&lock);
    }
  }
  return nothing;
}

__attribute__((constructor)) static void begin(void) {
  const char *path = getenv("MERO_CLOCK");
  int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  if (file < 0) return;
  void *memory = mmap(NULL, sizeof(int64_t) * CLOCKS, PROT_READ, MAP_SHARED, file, 0);
  REAL(close)(file);
  if (memory == MAP_FAILED) return;
  offsets = memory;
  for (int index = 0; index < CLOCKS; index++) seen[index] = offsets[index];
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  pthread_create(&thread, NULL, watch, NULL);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

// Shows the thread sanitizer what a contended `Synchronization.Mutex` orders.
//
// Its fast paths are atomics in the code that uses it, which the sanitizer sees. Where two threads
// meet, the lock goes from one to the other in the kernel (FUTEX_LOCK_PI), called by a library
// that is not built with the sanitizer: then everything under the lock would be reported as a
// race. This is loaded before that library and takes the place of its three slow paths.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

// The program's, when it is built with the sanitizer; its children are not.
__attribute__((weak)) void __tsan_acquire(void *address);
__attribute__((weak)) void __tsan_release(void *address);

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

typedef SWIFT void Lock(uint32_t thread, SELF void *handle);
typedef SWIFT bool TryLock(SELF void *handle);
typedef SWIFT void Unlock(SELF void *handle);

static Lock *lock_next;
static TryLock *try_lock_next;
static Unlock *unlock_next;

__attribute__((constructor)) static void find(void) {
  lock_next = (Lock *)dlsym(RTLD_NEXT, LOCK);
  try_lock_next = (TryLock *)dlsym(RTLD_NEXT, TRY_LOCK);
  unlock_next = (Unlock *)dlsym(RTLD_NEXT, UNLOCK);
}

SWIFT void seen_lock(uint32_t thread, SELF void *handle) __asm__(LOCK);
SWIFT void seen_lock(uint32_t thread, SELF void *handle) {
  lock_next(thread, handle);
  if (__tsan_acquire) __tsan_acquire(handle);
}

SWIFT bool seen_try_lock(SELF void *handle) __asm__(TRY_LOCK);
SWIFT bool seen_try_lock(SELF void *handle) {
  bool locked = try_lock_next(handle);
  if (locked && __tsan_acquire) __tsan_acquire(handle);
  return locked;
}

SWIFT void seen_unlock(SELF void *handle) __asm__(UNLOCK);
SWIFT void seen_unlock(SELF void *handle) {
  if (__tsan_release) __tsan_release(handle);
  unlock_next(handle);
}

// What Glibc's module hides: functions behind feature macros, and macros that are not constants.
#pragma once
#include <fcntl.h>
#include <getopt.h>
#include <linux/inet_diag.h>
#include <linux/landlock.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <malloc.h>
#include <pthread.h>
#include <spawn.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/vfs.h>
#include <sys/timex.h>
#include <sys/types.h>
#include <unistd.h>

// Declared by glibc only with _GNU_SOURCE. Defining that here would make this module's
// types differ from those of Swift's Glibc module, so the declarations are repeated.
extern int accept4(int, struct sockaddr *, socklen_t *, int);
extern long syscall(long, ...);
extern int pthread_setname_np(pthread_t, const char *);

// The part of O_TMPFILE that is not O_DIRECTORY: hidden without _GNU_SOURCE.
#define CLINUX_TMPFILE 020000000

struct clinux_ucred {
  pid_t pid;
  uid_t uid;
  gid_t gid;
};

static inline int clinux_accept4(int descriptor, int flags) {
  return accept4(descriptor, (struct sockaddr *)0, (socklen_t *)0, flags);
}

// One field of the union, so that the loop reads and writes 64 plain bits.
static inline struct epoll_event clinux_epoll_event(uint32_t events, uint64_t data) {
  struct epoll_event event;
  event.events = events;
  event.data.u64 = data;
  return event;
}

// SO_PEERCRED fills a struct ucred, which is declared only with _GNU_SOURCE.
static inline int clinux_peer_credentials(int descriptor, struct clinux_ucred *credentials) {
  socklen_t length = sizeof(*credentials);
  return getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, credentials, &length);
}

// One message each way of sock_diag(7). What follows an answer is of no interest here.
struct clinux_socket_question {
  struct nlmsghdr header;
  struct inet_diag_req_v2 request;
};
struct clinux_socket_answer {
  struct nlmsghdr header;
  struct inet_diag_msg message;
};

// No wrapper in glibc 2.36. The descriptor is close-on-exec from birth.
static inline int clinux_pidfd_open(pid_t pid) { return (int)syscall(SYS_pidfd_open, pid, 0); }

extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *, int);
// A macro of spawn.h that is hidden without _GNU_SOURCE.
#define CLINUX_SPAWN_SETSID 0x80

// Not wrapped by glibc 2.36. Memory that only this process's mappings show: not in core dumps,
// not through ptrace, not even to the kernel's own direct map.
static inline int clinux_memfd_secret(void) {
  return (int)syscall(SYS_memfd_secret, 0x80000 /* O_CLOEXEC */);
}

static inline int clinux_memfd_create(const char *name) {
  return (int)syscall(SYS_memfd_create, name, 3U /* MFD_CLOEXEC | MFD_ALLOW_SEALING */);
}

// From here on nobody can change the size of a memfd, nor take that back. glibc declares seals only
// with _GNU_SOURCE, and linux/fcntl.h cannot stand beside its fcntl.h.
enum {
  CLINUX_ADD_SEALS = 1033,
  CLINUX_GET_SEALS = 1034,
  CLINUX_SIZE_SEALS = 1 | 2 | 4, /* F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW */
};
static inline int clinux_seal_size(int descriptor) {
  return fcntl(descriptor, CLINUX_ADD_SEALS, CLINUX_SIZE_SEALS);
}
static inline int clinux_has_sealed_size(int descriptor) {
  int seals = fcntl(descriptor, CLINUX_GET_SEALS);
  return seals != -1 && (seals & CLINUX_SIZE_SEALS) == CLINUX_SIZE_SEALS;
}

// SECRETMEM_MAGIC of linux/magic.h, which has it since 5.14.
static inline int clinux_is_secret_memory(int descriptor) {
  struct statfs status;
  return fstatfs(descriptor, &status) == 0 && status.f_type == 0x5345434d;
}

// A descriptor that names a file and opens nothing; O_PATH is declared only with _GNU_SOURCE.
static inline int clinux_open_path(const char *path) {
  return open(path, 010000000 /* O_PATH */ | O_CLOEXEC);
}

// Landlock has no wrappers in glibc.
static inline int clinux_landlock_abi(void) {
  return (int)syscall(SYS_landlock_create_ruleset, (void *)0, 0, LANDLOCK_CREATE_RULESET_VERSION);
}
static inline int clinux_landlock_create(uint64_t access) {
  struct landlock_ruleset_attr attributes = {.handled_access_fs = access};
  // The first field alone: what every kernel with Landlock knows.
  return (int)syscall(SYS_landlock_create_ruleset, &attributes, sizeof(uint64_t), 0);
}
static inline int clinux_landlock_allow(int ruleset, int parent, uint64_t access) {
  struct landlock_path_beneath_attr rule = {.allowed_access = access, .parent_fd = parent};
  return (int)syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
}
static inline int clinux_landlock_restrict(int ruleset) {
  return (int)syscall(SYS_landlock_restrict_self, ruleset, 0);
}
// Needed by an unprivileged process before it restricts itself.
static inline int clinux_set_no_new_privileges(void) {
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

// Swift takes globals that C may change for unsafe; these are read right after getopt_long.
static inline const char *clinux_optarg(void) { return optarg; }
static inline int clinux_optind(void) { return optind; }
static inline int clinux_optopt(void) { return optopt; }
// getopt_long(3): 0 makes glibc begin anew with another command line.
static inline void clinux_getopt_begin(int says_what_is_wrong) {
  optind = 0;
  opterr = says_what_is_wrong;
}

// What ioctl, which is variadic, tells of a terminal: its columns, 0 where they are not known.
static inline int clinux_terminal_columns(int descriptor) {
  struct winsize size;
  return ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

// prctl is variadic, which Swift cannot call.
static inline int clinux_set_not_dumpable(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }
static inline int clinux_is_dumpable(void) { return prctl(PR_GET_DUMPABLE, 0, 0, 0, 0); }

// Where the Swift runtime puts the jobs of no executor (its Concurrency.h). Its convention is
// Swift's, which for two pointers and no result is C's.
typedef void (*clinux_enqueue_global)(void *job, void *original);
extern clinux_enqueue_global swift_task_enqueueGlobal_hook;
static inline void clinux_take_global_jobs(clinux_enqueue_global take) {
  swift_task_enqueueGlobal_hook = take;
}

// glibc's allocator (mallopt(3), malloc_trim(3)).
static inline void clinux_keep_large_pieces_apart(int bytes) { mallopt(M_MMAP_THRESHOLD, bytes); }
static inline void clinux_keep_free_at_most(int bytes) { mallopt(M_TRIM_THRESHOLD, bytes); }
static inline void clinux_share_one_heap(void) { mallopt(M_ARENA_MAX, 1); }
static inline void clinux_malloc_trim(void) { malloc_trim(0); }

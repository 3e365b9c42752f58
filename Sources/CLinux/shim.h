// What Glibc's module hides: functions behind feature macros, and macros that are not constants.
#pragma once
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>

// Declared by glibc only with _GNU_SOURCE. Defining that here would make this module's
// types differ from those of Swift's Glibc module, so the declaration is repeated.
extern int accept4(int, struct sockaddr *, socklen_t *, int);

static inline int clinux_accept4(int descriptor, int flags) {
  return accept4(descriptor, (struct sockaddr *)0, (socklen_t *)0, flags);
}

#include "ccurl.h"

#include <dlfcn.h>
#include <pthread.h>

// The macros that check the types of variadic calls name the functions themselves.
#undef curl_easy_setopt
#undef curl_easy_getinfo
#undef curl_multi_setopt

// libcurl's functions, with the types that its own headers give them.
#define FUNCTIONS(F)                                                                               \
  F(global_init) F(easy_init) F(easy_cleanup) F(easy_pause) F(easy_strerror) F(easy_setopt)        \
  F(easy_getinfo) F(slist_append) F(slist_free_all) F(multi_init) F(multi_cleanup)                 \
  F(multi_add_handle) F(multi_remove_handle) F(multi_socket_action) F(multi_info_read)             \
  F(multi_setopt)

#define MEMBER(name) __typeof__(&curl_##name) name;
static struct { FUNCTIONS(MEMBER) } curl;
static _Bool is_loaded;

// Never unloaded and never cleaned up: its memory goes with the process, and a clean-up at exit
// would race with that of OpenSSL.
static void load(void) {
  // The name that a program linked with it would have.
  void *library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
  if (!library) return;
#define FIND(name)                                                                                 \
  if (!(curl.name = (__typeof__(curl.name))dlsym(library, "curl_" #name))) return;
  FUNCTIONS(FIND)
  is_loaded = curl.global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
}

_Bool ccurl_load(void) {
  // Tried again after a failure: it may have been a lack of descriptors or memory, which passes.
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&lock);
  if (!is_loaded) load();
  _Bool loaded = is_loaded;
  pthread_mutex_unlock(&lock);
  return loaded;
}

CURL *ccurl_easy_init(void) { return curl.easy_init(); }
void ccurl_easy_cleanup(CURL *easy) { curl.easy_cleanup(easy); }
CURLcode ccurl_easy_pause(CURL *easy, int what) { return curl.easy_pause(easy, what); }
const char *ccurl_easy_strerror(CURLcode code) {
  return is_loaded ? curl.easy_strerror(code) : "libcurl (libcurl.so.4) cannot be loaded";
}
struct curl_slist *ccurl_slist_append(struct curl_slist *list, const char *line) {
  return curl.slist_append(list, line);
}
void ccurl_slist_free_all(struct curl_slist *list) { curl.slist_free_all(list); }

CURLcode ccurl_set_long(CURL *easy, CURLoption option, long value) {
  return curl.easy_setopt(easy, option, value);
}
CURLcode ccurl_set_offset(CURL *easy, CURLoption option, curl_off_t value) {
  return curl.easy_setopt(easy, option, value);
}
CURLcode ccurl_set_string(CURL *easy, CURLoption option, const char *value) {
  return curl.easy_setopt(easy, option, value);
}
CURLcode ccurl_set_pointer(CURL *easy, CURLoption option, const void *value) {
  return curl.easy_setopt(easy, option, value);
}
CURLcode ccurl_set_list(CURL *easy, CURLoption option, struct curl_slist *value) {
  return curl.easy_setopt(easy, option, value);
}
CURLcode ccurl_set_write(CURL *easy, CURLoption option, curl_write_callback value) {
  return curl.easy_setopt(easy, option, value);
}
CURLcode ccurl_set_prerequest(CURL *easy, curl_prereq_callback value) {
  return curl.easy_setopt(easy, CURLOPT_PREREQFUNCTION, value);
}
CURLcode ccurl_set_resolver_start(CURL *easy, curl_resolver_start_callback value) {
  return curl.easy_setopt(easy, CURLOPT_RESOLVER_START_FUNCTION, value);
}
CURLcode ccurl_set_open_socket(CURL *easy, curl_opensocket_callback value) {
  return curl.easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, value);
}
CURLcode ccurl_get_offset(CURL *easy, CURLINFO info, curl_off_t *value) {
  return curl.easy_getinfo(easy, info, value);
}
CURLcode ccurl_get_long(CURL *easy, CURLINFO info, long *value) {
  return curl.easy_getinfo(easy, info, value);
}

CURLM *ccurl_multi_init(void) { return curl.multi_init(); }
CURLMcode ccurl_multi_cleanup(CURLM *multi) { return curl.multi_cleanup(multi); }
CURLMcode ccurl_multi_add_handle(CURLM *multi, CURL *easy) {
  return curl.multi_add_handle(multi, easy);
}
CURLMcode ccurl_multi_remove_handle(CURLM *multi, CURL *easy) {
  return curl.multi_remove_handle(multi, easy);
}
CURLMcode ccurl_multi_socket_action(CURLM *multi, curl_socket_t socket, int events, int *running) {
  return curl.multi_socket_action(multi, socket, events, running);
}
CURLMsg *ccurl_multi_info_read(CURLM *multi, int *left) {
  return curl.multi_info_read(multi, left);
}
CURLMcode ccurl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
  return curl.multi_setopt(multi, option, value);
}
CURLMcode ccurl_multi_set_pointer(CURLM *multi, CURLMoption option, void *value) {
  return curl.multi_setopt(multi, option, value);
}
CURLMcode ccurl_multi_set_socket(CURLM *multi, curl_socket_callback value) {
  return curl.multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, value);
}
CURLMcode ccurl_multi_set_timer(CURLM *multi, curl_multi_timer_callback value) {
  return curl.multi_setopt(multi, CURLMOPT_TIMERFUNCTION, value);
}

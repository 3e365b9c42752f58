// libcurl, loaded when it is first needed: it brings thirty libraries with it, and a daemon that
// waits for apps has no use for any of them. Types and constants are libcurl's own; functions have
// typed names of ours, since Swift cannot call variadic ones either.
#pragma once
#include <curl/curl.h>

// Whether libcurl is there, and ready. Everything else may be called after this has answered true,
// from any one thread at a time.
_Bool ccurl_load(void);

CURL *ccurl_easy_init(void);
void ccurl_easy_cleanup(CURL *easy);
CURLcode ccurl_easy_pause(CURL *easy, int what);
// Also before `ccurl_load`, and where that failed.
const char *ccurl_easy_strerror(CURLcode code);
struct curl_slist *ccurl_slist_append(struct curl_slist *list, const char *line);
void ccurl_slist_free_all(struct curl_slist *list);

CURLcode ccurl_set_long(CURL *easy, CURLoption option, long value);
CURLcode ccurl_set_offset(CURL *easy, CURLoption option, curl_off_t value);
CURLcode ccurl_set_string(CURL *easy, CURLoption option, const char *value);
CURLcode ccurl_set_pointer(CURL *easy, CURLoption option, const void *value);
CURLcode ccurl_set_list(CURL *easy, CURLoption option, struct curl_slist *value);
CURLcode ccurl_set_write(CURL *easy, CURLoption option, curl_write_callback value);
CURLcode ccurl_set_prerequest(CURL *easy, curl_prereq_callback value);
CURLcode ccurl_set_resolver_start(CURL *easy, curl_resolver_start_callback value);
CURLcode ccurl_set_open_socket(CURL *easy, curl_opensocket_callback value);
CURLcode ccurl_get_offset(CURL *easy, CURLINFO info, curl_off_t *value);
CURLcode ccurl_get_long(CURL *easy, CURLINFO info, long *value);

CURLM *ccurl_multi_init(void);
CURLMcode ccurl_multi_cleanup(CURLM *multi);
CURLMcode ccurl_multi_add_handle(CURLM *multi, CURL *easy);
CURLMcode ccurl_multi_remove_handle(CURLM *multi, CURL *easy);
CURLMcode ccurl_multi_socket_action(CURLM *multi, curl_socket_t socket, int events, int *running);
CURLMsg *ccurl_multi_info_read(CURLM *multi, int *left);
CURLMcode ccurl_multi_set_long(CURLM *multi, CURLMoption option, long value);
CURLMcode ccurl_multi_set_pointer(CURLM *multi, CURLMoption option, void *value);
CURLMcode ccurl_multi_set_socket(CURLM *multi, curl_socket_callback value);
CURLMcode ccurl_multi_set_timer(CURLM *multi, curl_multi_timer_callback value);

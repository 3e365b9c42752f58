// libcurl, and typed inline functions for its variadic ones, which Swift cannot call.
#pragma once
#include <curl/curl.h>

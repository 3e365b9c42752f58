// malloc_trim, which is not in Glibc's module.
#pragma once
#include <malloc.h>

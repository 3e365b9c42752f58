// inih, the configuration parser.
#pragma once
#include <ini.h>

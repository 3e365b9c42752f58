// SQLite, as Debian ships it.
#pragma once
#include <sqlite3.h>

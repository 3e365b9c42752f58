// SQLite, as Debian ships it, and functions for what Swift does not see of it.
#pragma once
#include <sqlite3.h>

// SQLITE_TRANSIENT, a cast that Swift does not see: SQLite makes its own copy.
static inline int csqlite_bind_text(sqlite3_stmt *statement, int index, const char *text,
                                    sqlite3_uint64 count) {
  return sqlite3_bind_text64(statement, index, text, count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

static inline int csqlite_bind_blob(sqlite3_stmt *statement, int index, const void *bytes,
                                    sqlite3_uint64 count) {
  return sqlite3_bind_blob64(statement, index, bytes, count, SQLITE_TRANSIENT);
}

// A variadic call: whether the last close of a database writes its log back and removes it.
static inline int csqlite_keep_log_on_close(sqlite3 *connection, int keep) {
  return sqlite3_db_config(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, keep, (int *)0);
}

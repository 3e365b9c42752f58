import CLinux

/// How the C library's allocator keeps what this process has freed.
package enum ProcessMemory {
  /// From here on large pieces go back to the kernel when they are freed, and threads share one
  /// heap: glibc's own rules keep a whole burst for the next one, and a heap for each thread
  /// (mallopt(3)).
  ///
  /// - Precondition: called while there is one thread.
  package static func keepSmall() {
    // Setting it also keeps glibc from raising it at each large piece that is freed.
    clinux_keep_large_pieces_apart(128 * 1024)
    clinux_keep_free_at_most(256 * 1024)
    clinux_share_one_heap()
  }

  /// Gives free pages back, also those between pieces that are in use (malloc_trim(3)). A look at
  /// the whole heap: for after a burst.
  package static func giveBack() { clinux_malloc_trim() }
}

// SPDX-License-Identifier: Apache-2.0
//
// Files and folders that must not outlive the work they are for. There are
// three ways for a process to end, and each has someone who removes them:
//
//   by itself        the destructor of TemporaryPath
//   by a signal      the signal's handler, with `removeTemporaryPaths`
//   by SIGKILL       the next process that works there, with
//                    `removeAbandoned`: whoever makes a temporary file holds a
//                    lock on it (flock), which the kernel releases however the
//                    holder ends

#ifndef SHARDSMITH_SUPPORT_TEMPORARYPATH_H
#define SHARDSMITH_SUPPORT_TEMPORARYPATH_H

#include <string>

namespace shardsmith {

/// Removes the file at `path`, or the folder with the files in it, when the
/// scope ends or a handler of signals says so.
class TemporaryPath {
public:
  explicit TemporaryPath(std::string path);
  ~TemporaryPath();
  TemporaryPath(const TemporaryPath &) = delete;
  TemporaryPath &operator=(const TemporaryPath &) = delete;

  const std::string &path() const { return where; }
  /// What was there has got its final name: nothing is left to remove.
  void release();

private:
  std::string where;
  /// Position in the table that handlers read, −1: the table was full.
  int slot = -1;
};

/// Removes what the living TemporaryPaths name. Safe in handlers of signals.
void removeTemporaryPaths() noexcept;

/// Locks an open temporary file or folder for as long as it is open. False: it
/// has just been taken for an abandoned one and removed; make another.
bool lockTemporary(int file);

/// Removes the entries of `folder` whose names start with `prefix` and that
/// nobody holds a lock on.
void removeAbandoned(const std::string &folder, const std::string &prefix);

} // namespace shardsmith

#endif // SHARDSMITH_SUPPORT_TEMPORARYPATH_H

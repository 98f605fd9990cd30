// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_RUNTIME_FILES_FOLDERLOCK_H
#define SHARDSMITH_LIB_RUNTIME_FILES_FOLDERLOCK_H

#include "../FileDescriptor.h"
#include "shardsmith/Support/TemporaryPath.h"

#include <optional>
#include <string>

namespace shardsmith::runtime {

/// Keeps a folder of checkpoints for one run at a time. FOLDER/run.lock says
/// which host and process that is; a lock on the file (flock), which the kernel
/// releases however the process ends, says whether it still runs. A file that a
/// killed run has left is therefore taken over.
class FolderLock {
public:
  FolderLock() = default;
  /// Throws a Failure that names the other run if there is one.
  explicit FolderLock(const std::string &folder);

private:
  bool tryLock(const std::string &path);

  FileDescriptor file;
  std::optional<TemporaryPath> removal;
};

} // namespace shardsmith::runtime

#endif // SHARDSMITH_LIB_RUNTIME_FILES_FOLDERLOCK_H

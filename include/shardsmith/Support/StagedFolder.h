// SPDX-License-Identifier: Apache-2.0
//
// Several files of a folder replaced together. They are made aside, in a hidden
// folder of their own, which one renaming then turns from "being made" to
// "made":
//
//   DIR/.shardsmith-making-123-0/program   being made: DIR is what it was
//                 │ rename
//   DIR/.shardsmith-made/program           made: all of it belongs to DIR, and
//                 │ rename                 whoever comes next moves the rest
//   DIR/program
//
// A process that is killed before the first renaming leaves the old files, one
// that is killed after it leaves the new ones: every command that opens a build
// folder begins with `finishStaged`.
//
// Exchanging DIR itself for a new folder (renameat2 with RENAME_EXCHANGE) would
// leave no moment between the files at all. But shells stand in DIR, it may be
// a mount point or a link, its parent may be out of reach, and users keep
// checkpoints and logs in it.

#ifndef SHARDSMITH_SUPPORT_STAGEDFOLDER_H
#define SHARDSMITH_SUPPORT_STAGEDFOLDER_H

#include "shardsmith/Support/AtomicFile.h"
#include "shardsmith/Support/TemporaryPath.h"

#include <optional>
#include <string>

namespace shardsmith {

class StagedFolder {
public:
  /// Finishes or removes what others have left in `folder`, makes the folder
  /// if it is missing, and a hidden one in it. `problem` says why it could
  /// not; then the object is good for nothing.
  StagedFolder(const std::string &folder, std::string &problem);
  ~StagedFolder();
  StagedFolder(const StagedFolder &) = delete;
  StagedFolder &operator=(const StagedFolder &) = delete;

  /// Where to make the file that will be `name` in the folder.
  std::string pathOf(const std::string &name) const;

  /// The folder shall have no file of that name any more. Returns false with
  /// errno set if that cannot be noted.
  bool remove(const std::string &name) const;

  /// Puts all files that were made in place of the old ones. Returns an empty
  /// string, or a sentence that says why the old ones are still there. Files
  /// that the disk gets later are lost if the machine fails at once, and only
  /// then.
  std::string publish(Flush flush = Flush::AtOnce);

private:
  std::string makeStage();
  std::string whyNotReplaceable() const;
  std::string flush() const;

  std::string folder;
  bool madeFolder = false;
  /// Open while the files are made: the lock that says that we live.
  int lock = -1;
  std::optional<TemporaryPath> stage;
};

/// Moves the files of a build that was made but not yet moved, if there is one.
void finishStaged(const std::string &folder, Flush flush = Flush::AtOnce);

} // namespace shardsmith

#endif // SHARDSMITH_SUPPORT_STAGEDFOLDER_H

// SPDX-License-Identifier: Apache-2.0
//
// The folder of a program and its plan, in the terms of commands: failures are
// thrown.

#ifndef SHARDSMITH_DRIVER_BUILDFOLDER_H
#define SHARDSMITH_DRIVER_BUILDFOLDER_H

#include "shardsmith/Support/StagedFolder.h"

#include <functional>
#include <string>
#include <string_view>

namespace shardsmith {

/// Files made aside that take their places together.
class BuildFolder {
public:
  explicit BuildFolder(const std::string &folder);

  std::string pathOf(const char *file) const { return staged.pathOf(file); }
  void write(const char *file, const std::string &text) const;
  void writeExecutable(const char *file, const std::string &text) const;
  /// A file that `make` hands over piece by piece.
  void writePieces(
      const char *file,
      const std::function<void(const std::function<void(std::string_view)> &)>
          &make) const;
  /// The folder shall have no such file any more.
  void remove(const char *file);
  /// A command that is told to stop does not wait for the disk.
  void publish();

private:
  std::string problem;
  StagedFolder staged;
};

/// Before long work: throws Failure if no file could take the place of what is
/// at `path`, be it a device that could be written to.
void requireReplaceable(const std::string &path);

/// Throws Failure if the folder's program was built for another plan than its
/// plan.json. Without one of the two there is nothing to compare.
void requireProgramOfPlan(const std::string &folder);

} // namespace shardsmith

#endif // SHARDSMITH_DRIVER_BUILDFOLDER_H

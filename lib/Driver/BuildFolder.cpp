// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Driver/BuildFolder.h"

#include "shardsmith/Driver/ReopenedPlan.h"
#include "shardsmith/Driver/ResourceWatch.h"
#include "shardsmith/Driver/Session.h"
#include "shardsmith/Driver/Stages.h"
#include "shardsmith/Support/OutputTarget.h"
#include "shardsmith/Support/ProgramManifest.h"

#include <filesystem>
#include <fmt/format.h>
#include <fstream>

namespace shardsmith {

BuildFolder::BuildFolder(const std::string &folder) : staged(folder, problem) {
  if (!problem.empty())
    fail(ExitCode::Environment, problem);
}

void BuildFolder::write(const char *file, const std::string &text) const {
  std::string failure = writeFileAtomically(pathOf(file), text, Flush::Later);
  if (!failure.empty())
    fail(ExitCode::Environment, failure);
}

void BuildFolder::writeExecutable(const char *file,
                                  const std::string &text) const {
  namespace fs = std::filesystem;
  write(file, text);
  std::error_code error;
  fs::permissions(pathOf(file),
                  fs::perms::owner_exec | fs::perms::group_exec |
                      fs::perms::others_exec,
                  fs::perm_options::add, error);
  if (error)
    fail(ExitCode::Environment, pathOf(file) + ": " + error.message());
}

void BuildFolder::writePieces(
    const char *file,
    const std::function<void(const std::function<void(std::string_view)> &)>
        &make) const {
  std::ofstream stream(pathOf(file), std::ios::binary);
  make([&](std::string_view piece) {
    stream.write(piece.data(), std::streamsize(piece.size()));
    if (!stream)
      fail(ExitCode::Environment, "cannot write '" + pathOf(file) + "'");
  });
  stream.close();
  if (!stream)
    fail(ExitCode::Environment, "cannot write '" + pathOf(file) + "'");
}

void BuildFolder::remove(const char *file) {
  if (!staged.remove(file))
    fail(ExitCode::Environment, "cannot write '" + pathOf(file) + "'");
}

void BuildFolder::publish() {
  problem =
      staged.publish(ResourceWatch::mustHurry() ? Flush::Later : Flush::AtOnce);
  if (!problem.empty())
    fail(ExitCode::Environment, problem);
}

void requireReplaceable(const std::string &path) {
  requireWritable(path);
  if (findOutputTarget(path).isStream)
    fail(ExitCode::Environment,
         fmt::format("cannot replace '{}': it is a device or pipe", path));
}

void requireProgramOfPlan(const std::string &folder) {
  std::string program = inFolder(folder, folder::kProgram);
  std::string planFile = inFolder(folder, folder::kPlan);
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(program, ignored) ||
      !std::filesystem::exists(planFile, ignored))
    return;
  std::string error;
  std::optional<std::string> built = planHashOfProgram(program, error);
  if (!built)
    fail(ExitCode::BadInput, error);
  std::string planned = requireProgramPlan(planFile).program->hash();
  if (planned != *built)
    fail(ExitCode::BadInput,
         fmt::format("{0}: the program was built for plan {1}, but {2} is plan "
                     "{3}; build it again with 'shardsmith compile {0}'",
                     folder, *built, folder::kPlan, planned));
}

} // namespace shardsmith

// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Support/ProgramManifest.h"

#include "shardsmith/Support/Json.h"
#include "shardsmith/Support/ReadFile.h"

#include <nlohmann/json.hpp>

namespace shardsmith {
namespace {

/// How the manifest of every program begins; it ends as a C string does.
constexpr std::string_view kBeginning = R"({"format":"shardsmith-program/)";

} // namespace

std::optional<std::string> manifestOfProgram(const std::string &path,
                                             std::string &error) {
  std::optional<std::string> program = readFile(path, error);
  if (!program)
    return std::nullopt;
  size_t begin = program->find(kBeginning);
  size_t end = begin == std::string::npos ? begin : program->find('\0', begin);
  if (end == std::string::npos) {
    error = "'" + path + "' is no program that 'shardsmith compile' has built";
    return std::nullopt;
  }
  return program->substr(begin, end - begin);
}

std::optional<std::string> planHashOfProgram(const std::string &path,
                                             std::string &error) {
  std::optional<std::string> text = manifestOfProgram(path, error);
  if (!text)
    return std::nullopt;
  std::optional<nlohmann::json> manifest = parseJson(*text, error);
  if (manifest && manifest->contains("plan_hash") &&
      manifest->at("plan_hash").is_string())
    return manifest->at("plan_hash").get<std::string>();
  error = "'" + path + "': its manifest names no plan";
  return std::nullopt;
}

} // namespace shardsmith

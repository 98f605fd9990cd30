// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Runtime/Files/Checkpoint.h"

#include "shardsmith/Runtime/Rank/Context.h"

#include <charconv>
#include <filesystem>
#include <memory>
#include <optional>

namespace shardsmith::runtime {
namespace {

constexpr std::string_view format = "shardsmith-checkpoint/1";
constexpr std::string_view prefix = "step-";
constexpr std::string_view suffix = ".safetensors";

bool isSaved(const Argument &argument) {
  return argument.role == Role::Param || argument.role == Role::State;
}

/// The steps in the name of a checkpoint, nothing for other names.
std::optional<int64_t> stepsInName(const std::string &name) {
  if (!name.starts_with(prefix) || !name.ends_with(suffix))
    return std::nullopt;
  std::string_view digits(name);
  digits.remove_prefix(prefix.size());
  digits.remove_suffix(suffix.size());
  int64_t steps = 0;
  const char *begin = std::to_address(digits.begin());
  const char *end = std::to_address(digits.end());
  auto [stop, error] = std::from_chars(begin, end, steps);
  if (error != std::errc() || stop != end)
    return std::nullopt;
  return steps;
}

std::optional<int64_t> newestCheckpoint(const std::string &folder) {
  std::optional<int64_t> newest;
  std::error_code error;
  for (const auto &entry : std::filesystem::directory_iterator(folder, error)) {
    std::optional<int64_t> steps =
        stepsInName(entry.path().filename().string());
    if (steps && (!newest || *steps > *newest))
      newest = steps;
  }
  return newest;
}

std::string checkpointPath(const std::string &folder, int64_t steps) {
  return fmt::format("{}/{}{:08}{}", folder, prefix, steps, suffix);
}

} // namespace

void removePartialCheckpoints(const std::string &folder) {
  constexpr std::string_view partial = ".partial";
  std::error_code error;
  for (const auto &entry : std::filesystem::directory_iterator(folder, error)) {
    std::string name = entry.path().filename().string();
    if (!name.ends_with(partial))
      continue;
    name.resize(name.size() - partial.size());
    if (stepsInName(name))
      std::filesystem::remove(entry.path(), error);
  }
}

void writeState(smith_context &context, const std::string &path,
                const Metadata &metadata, const uint8_t *arena) {
  std::vector<TensorPart> parts;
  for (const Argument &argument : context.manifest.arguments)
    if (isSaved(argument))
      parts.push_back({argument.name, argument.type, context.shardOf(argument),
                       context.placeOf(argument, arena)});
  writeSafeTensors(context, path, parts, metadata);
}

void writeCheckpoint(smith_context &context, const std::string &folder,
                     int64_t completedSteps, const uint8_t *arena) {
  Metadata metadata{{"format", std::string(format)},
                    {"model_hash", context.manifest.modelHash},
                    {"step", std::to_string(completedSteps)}};
  writeState(context, checkpointPath(folder, completedSteps), metadata, arena);
}

namespace {

/// Throws a Failure with the first tensor that differs if the checkpoint is of
/// another model.
void requireModel(const SafeTensorsFile &file, const Manifest &manifest) {
  auto hash = file.metadata().find("model_hash");
  bool isKnown = hash != file.metadata().end();
  if (isKnown && hash->second == manifest.modelHash)
    return;
  std::string difference;
  for (const Argument &argument : manifest.arguments)
    if (difference.empty() && isSaved(argument))
      difference = file.whatDiffers(argument);
  if (difference.empty())
    difference = "tensors have the same names and shapes, the graphs differ";
  fail(ExitCode::BadInput,
       "{}: checkpoint of model {}, but this program trains model {} ({}): {}",
       file.path(), isKnown ? hash->second : "unknown", manifest.modelHash,
       manifest.modelName, difference);
}

} // namespace

int64_t resumeCheckpoint(const smith_context &context,
                         const std::string &folder, uint8_t *arena) {
  std::optional<int64_t> steps = newestCheckpoint(folder);
  if (!steps)
    fail(ExitCode::BadInput, "{}: no checkpoint {}….{} to resume from", folder,
         prefix, suffix.substr(1));
  SafeTensorsFile file(checkpointPath(folder, *steps));
  requireModel(file, context.manifest);
  for (const Argument &argument : context.manifest.arguments)
    if (isSaved(argument))
      file.read(argument, context.shardOf(argument),
                context.placeOf(argument, arena));
  return *steps;
}

} // namespace shardsmith::runtime

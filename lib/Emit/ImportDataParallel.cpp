// SPDX-License-Identifier: Apache-2.0
//
// What scripts of Horovod and MXNet decide: how many data ranks there are, and
// how many sequences each has.

#include "ImportReaders.h"
#include "shardsmith/Strategy/Axes.h"
#include "shardsmith/Support/Quantity.h"

#include <algorithm>
#include <fmt/format.h>

namespace shardsmith::emit {
namespace {

constexpr std::string_view store = "SHARDSMITH_KVSTORE";
constexpr std::string_view devices = "SHARDSMITH_DEVICES_PER_MACHINE";
constexpr std::string_view batch = "SHARDSMITH_BATCH_SIZE";
constexpr std::string_view passes = "SHARDSMITH_BACKWARD_PASSES_PER_STEP";

/// Variables that are set, and the numbers of ranks and machines, which have
/// one dash, become options of the line.
void setOptions(CommandLine &line) {
  const std::vector<std::string> words = line.words();
  for (size_t i = 0; i < words.size(); ++i) {
    size_t equals = words[i].find('=');
    if (words[i].starts_with("SHARDSMITH_") && equals != std::string::npos)
      line.set(words[i].substr(0, equals), {words[i].substr(equals + 1)});
    if ((words[i] == "-np" || words[i] == "-n") && i + 1 < words.size())
      line.set(words[i], {words[i + 1]});
  }
}

bool hasWord(const CommandLine &line, std::string_view word) {
  return std::ranges::find(line.words(), word) != line.words().end();
}

/// The number of data ranks. Fails with a sentence.
std::optional<int64_t> ranksOf(CommandLine &line, std::string &error) {
  bool isHorovod = hasWord(line, "horovodrun");
  std::string_view needed = isHorovod ? "-np" : devices;
  if (!line.has(needed)) {
    error = fmt::format("{} is not set, which says how many data ranks there "
                        "are",
                        needed);
    return std::nullopt;
  }
  int64_t ranks = line.number(needed, 1);
  // Of servers there are as many as of machines.
  return isHorovod ? ranks : ranks * line.number("-n", 1);
}

} // namespace

std::optional<ImportedPlan> importDataParallel(CommandLine &line,
                                               std::string &error) {
  setOptions(line);
  bool isMXNet = line.has(store);
  if (!isMXNet && !hasWord(line, "horovodrun"))
    return std::nullopt;
  std::optional<int64_t> ranks = ranksOf(line, error);
  if (!ranks)
    return std::nullopt;
  ImportedPlan plan;
  plan.target = isMXNet ? "mxnet" : "horovod";
  for (const DegreeTraits &traits : allDegrees())
    if (traits.degree != Degree::VirtualStages)
      plan.add(traits.abbreviation, traits.degree == Degree::Data ? *ranks : 1);
  if (line.has(batch)) {
    int64_t microBatch = line.number(batch, 1);
    plan.add("mbs", microBatch);
    auto ofRank = checkedMultiply(microBatch, line.number(passes, 1));
    plan.globalBatch = checkedMultiply(ofRank.value_or(0), *ranks).value_or(0);
  }
  plan.add("zero", 0);
  // Recomputation is code there.
  plan.add("recompute", "none");
  plan.add("order", "tp-cp-dp-pp");
  return plan;
}

} // namespace shardsmith::emit

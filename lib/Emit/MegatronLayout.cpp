// SPDX-License-Identifier: Apache-2.0

#include "MegatronPlan.h"

#include <fmt/format.h>

namespace shardsmith::emit {
namespace {

std::string stageText(const StageContent &stage) {
  std::string text = stage.hasEmbedding ? "E" : "";
  if (stage.layers() >= 4)
    text += fmt::format("t*{}", stage.layers());
  else
    text.append(size_t(stage.layers()), 't');
  return text + (stage.hasHead ? "L" : "");
}

} // namespace

std::string megatronLayout(const std::vector<StageContent> &stages) {
  std::string text;
  for (size_t i = 0; i < stages.size();) {
    std::string stage = stageText(stages[i]);
    size_t end = i;
    while (end < stages.size() && stageText(stages[end]) == stage)
      ++end;
    // No bar follows the last stage, so it is never part of a repetition.
    size_t repeated = end - i - (end == stages.size() ? 1 : 0);
    if (repeated > 1)
      text += fmt::format("({}|)*{}", stage, repeated);
    else if (repeated == 1)
      text += stage + "|";
    if (end == stages.size())
      text += stage;
    i = end;
  }
  return text;
}

} // namespace shardsmith::emit

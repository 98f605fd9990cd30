// SPDX-License-Identifier: Apache-2.0

#include "DataParallel.h"

#include <algorithm>
#include <fmt/format.h>

namespace shardsmith::emit {

void requireDataRanksAlone(const EmitInput &input, Refusals &refusals) {
  const Strategy &strategy = input.strategy();
  refusals.requireOnly({Degree::Data}, strategy);
  refusals.requireEvenBatch(input);
  if (strategy.zeroStage > 0)
    refusals.add(fmt::format("zero={}", strategy.zeroStage), "zero=0");
  refusals.requireNoRecompute(strategy);
}

int64_t localRanks(const EmitInput &input) {
  return std::min(input.devicesPerNode, input.strategy().data);
}

std::string horovodrunLine(const EmitInput &input) {
  return fmt::format("exec horovodrun -np {} -H \"${{HOSTS:-localhost:{}}}\" "
                     "\"$@\"\n",
                     input.strategy().data, localRanks(input));
}

} // namespace shardsmith::emit

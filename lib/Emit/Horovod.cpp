// SPDX-License-Identifier: Apache-2.0
//
// A script that starts horovod/horovod for a plan of data ranks alone.

#include "Heading.h"
#include "Targets.h"

#include <algorithm>
#include <fmt/format.h>

namespace shardsmith::emit {
namespace {

constexpr std::string_view scriptName = "horovod.sh";

void check(const EmitInput &input, Refusals &refusals) {
  const Strategy &strategy = input.strategy();
  refusals.requireOnly({Degree::Data}, strategy);
  refusals.requireEvenBatch(input);
  if (strategy.zeroStage > 0)
    refusals.add(fmt::format("zero={}", strategy.zeroStage), "zero=0");
  refusals.requireNoRecompute(strategy);
}

} // namespace

void emitHorovod(const EmitInput &input, Emission &emission) {
  Refusals refusals(emission.obstacles);
  check(input, refusals);
  const Strategy &strategy = input.strategy();
  int64_t local = std::min(input.devicesPerNode, strategy.data);
  std::string text =
      "#!/bin/sh\n" +
      commentsOf(headingOf(
          input,
          fmt::format("HOSTS=host1:{0},host2:{0} sh {1} python TRAIN.py …, "
                      "with batches of {2} and backward_passes_per_step={3}",
                      local, scriptName, strategy.microBatch,
                      microBatchesOf(input))));
  // Gradients are summed over all micro-batches before they are exchanged.
  text += fmt::format("export SHARDSMITH_BATCH_SIZE={}\n"
                      "export SHARDSMITH_BACKWARD_PASSES_PER_STEP={}\n"
                      "exec horovodrun -np {} -H \"${{HOSTS:-localhost:{}}}\" "
                      "\"$@\"\n",
                      strategy.microBatch, microBatchesOf(input), strategy.data,
                      local);
  emission.files.push_back({std::string(scriptName), std::move(text), true});
}

} // namespace shardsmith::emit

// SPDX-License-Identifier: Apache-2.0
//
// A script that starts horovod/horovod for a plan of data ranks alone.

#include "DataParallel.h"
#include "Heading.h"
#include "Targets.h"

#include <fmt/format.h>

namespace shardsmith::emit {
namespace {

constexpr std::string_view horovodFile = "horovod.sh";

} // namespace

void emitHorovod(const EmitInput &input, Emission &emission) {
  Refusals refusals(emission.obstacles);
  requireDataRanksAlone(input, refusals);
  int64_t microBatch = input.strategy().microBatch;
  std::string text =
      "#!/bin/sh\n" +
      commentsOf(headingOf(
          input,
          fmt::format("HOSTS=host1:{0},host2:{0} sh {1} python TRAIN.py …, "
                      "with batches of {2} and backward_passes_per_step={3}",
                      localRanks(input), horovodFile, microBatch,
                      microBatchesOf(input))));
  // Gradients are summed over all micro-batches before they are exchanged.
  text += fmt::format("export SHARDSMITH_BATCH_SIZE={}\n"
                      "export SHARDSMITH_BACKWARD_PASSES_PER_STEP={}\n",
                      microBatch, microBatchesOf(input)) +
          horovodrunLine(input);
  emission.files.push_back({std::string(horovodFile), std::move(text), true});
}

} // namespace shardsmith::emit

// SPDX-License-Identifier: Apache-2.0
//
// Sections of a configuration of huggingface/nanotron that a plan decides; the
// others are the model's and the data's.

#include "Heading.h"
#include "Targets.h"

#include <array>
#include <fmt/format.h>

namespace shardsmith::emit {
namespace {

constexpr std::string_view nanotronFile = "nanotron.yaml";

void check(const EmitInput &input, Refusals &refusals) {
  const Strategy &strategy = input.strategy();
  std::optional<Transformer> chain = refusals.requireTransformer(input);
  if (!chain)
    return;
  requireLayouts({}, input, refusals);
  refusals.requireOrder(strategy, std::array{usualDeviceOrder()});
  refusals.requireOnly({Degree::Tensor, Degree::Data, Degree::Pipeline},
                       strategy);
  refusals.requireEvenBatch(input);
  refusals.requireOneZeroGroup(strategy);
  if (strategy.zeroStage > 1)
    refusals.add(fmt::format("zero={}", strategy.zeroStage), "zero=1");
  if (strategy.pipeline > 1)
    refusals.add(fmt::format("the {} stages of pipeline={}, which nanotron "
                             "cuts by costs of its own",
                             strategy.stages.size(), strategy.pipeline),
                 "pp=1");
  if (commonRecompute(strategy, *chain) != Recompute::None)
    refusals.add("recompute, which its configuration does not have",
                 "recompute=none");
}

} // namespace

void emitNanotron(const EmitInput &input, Emission &emission) {
  Refusals refusals(emission.obstacles);
  check(input, refusals);
  const Strategy &strategy = input.strategy();
  std::string text = commentsOf(headingOf(
      input, fmt::format("torchrun {} run_train.py --config-file FILE, these "
                         "sections in place of FILE's",
                         torchrunSizes(input))));
  text += fmt::format("parallelism:\n"
                      "  dp: {}\n"
                      "  pp: {}\n"
                      "  tp: {}\n"
                      "  pp_engine: 1f1b\n"
                      "  tp_mode: {}\n"
                      "  tp_linear_async_communication: false\n"
                      "  expert_parallel_size: 1\n"
                      "tokens:\n"
                      "  sequence_length: {}\n"
                      "  micro_batch_size: {}\n"
                      "  batch_accumulation_per_replica: {}\n"
                      "optimizer:\n"
                      "  zero_stage: {}\n",
                      strategy.data, strategy.pipeline, strategy.tensor,
                      splitsPositions(input) ? "REDUCE_SCATTER" : "ALL_REDUCE",
                      input.workload.sequenceLength, strategy.microBatch,
                      microBatchesOf(input), strategy.zeroStage);
  emission.files.push_back({std::string(nanotronFile), std::move(text)});
}

} // namespace shardsmith::emit

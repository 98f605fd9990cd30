// SPDX-License-Identifier: Apache-2.0

#include "VerifyBlock.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace shardsmith::workload {
namespace {

std::string verifySegments(const Workload &workload) {
  for (size_t i = 0; i < workload.segments.size(); ++i) {
    const Segment &segment = workload.segments[i];
    if (segment.block >= workload.blocks.size())
      return fmt::format("segment {} repeats block {}, but there are {}", i,
                         segment.block, workload.blocks.size());
    if (segment.count < 1)
      return fmt::format("segment {} has {} repetitions: expected one or more",
                         i, segment.count);
    const Block &block = workload.blocks[segment.block];
    const ParameterNames &names = segment.parameterNames;
    if (names.repetitions() != segment.count)
      return fmt::format("segment {} has {} repetitions but {} lists of "
                         "parameter names",
                         i, segment.count, names.repetitions());
    if (names.parameters() != block.parameters.size())
      return fmt::format("segment {} lists {} parameter names, but block "
                         "\"{}\" has {} parameters",
                         i, names.parameters(), block.name,
                         block.parameters.size());
    for (size_t position = 0; position < names.parameters(); ++position)
      if (names.namesOf(position) != segment.count)
        return fmt::format("segment {} has {} repetitions but {} names of "
                           "parameter {}",
                           i, segment.count, names.namesOf(position), position);
  }
  return "";
}

/// What one unit hands out is what the next one takes.
std::string verifyLink(const Block &from, const Block &to) {
  if (from.outputs.size() != to.inputs.size())
    return fmt::format("block \"{}\" has {} outputs, but \"{}\" behind it has "
                       "{} inputs",
                       from.name, from.outputs.size(), to.name,
                       to.inputs.size());
  for (size_t i = 0; i < to.inputs.size(); ++i) {
    const Tensor &output = from.tensors[from.outputs[i]];
    const Tensor &input = to.tensors[to.inputs[i]];
    if (output.shape != input.shape || output.type != input.type)
      return fmt::format("output {} of block \"{}\" is {} of {}, but input {} "
                         "of \"{}\" is {} of {}",
                         i, from.name, fmt::join(output.shape, "x"),
                         nameOf(output.type), i, to.name,
                         fmt::join(input.shape, "x"), nameOf(input.type));
  }
  return "";
}

std::string verifyChain(const Workload &workload) {
  const Block *previous = nullptr;
  for (const Segment &segment : workload.segments) {
    const Block &block = workload.blocks[segment.block];
    if (!previous && !block.inputs.empty())
      return fmt::format("the first block \"{}\" has inputs, but nothing is "
                         "before it",
                         block.name);
    if (previous)
      if (std::string text = verifyLink(*previous, block); !text.empty())
        return text;
    if (segment.count > 1)
      if (std::string text = verifyLink(block, block); !text.empty())
        return text;
    previous = &block;
  }
  if (!previous->outputs.empty())
    return fmt::format("the last block \"{}\" has outputs, but nothing is "
                       "behind it",
                       previous->name);
  return "";
}

/// A name that occurs twice is one tensor.
std::string verifyParameterNames(const Workload &workload) {
  std::string problem;
  workload.eachParameterRun([&](const ParameterRun &run) {
    const Tensor &tensor = workload.tensorOf(run.use);
    for (const ParameterRun::Earlier &earlier : run.earlier) {
      const Tensor &known = workload.tensorOf(earlier.use);
      if (problem.empty() &&
          (known.shape != tensor.shape || known.type != tensor.type))
        problem = fmt::format(
            "parameter \"{}\" has two types: {} of {} and {} of {}",
            earlier.name, fmt::join(known.shape, "x"), nameOf(known.type),
            fmt::join(tensor.shape, "x"), nameOf(tensor.type));
    }
  });
  return problem;
}

} // namespace

std::string Workload::verify() const {
  if (globalBatch < 1 || sequenceLength < 1)
    return fmt::format("a step of {} sequences of {} positions: expected one "
                       "or more",
                       globalBatch, sequenceLength);
  if (segments.empty())
    return "there are no segments: expected at least one block";
  for (const Block &block : blocks)
    if (std::string text = verifyBlock(block); !text.empty())
      return text;
  for (auto *check : {verifySegments, verifyChain, verifyParameterNames})
    if (std::string text = check(*this); !text.empty())
      return text;
  return "";
}

} // namespace shardsmith::workload

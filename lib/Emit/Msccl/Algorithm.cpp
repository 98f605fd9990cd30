// SPDX-License-Identifier: Apache-2.0

#include "Algorithm.h"

#include <algorithm>
#include <fmt/format.h>

namespace shardsmith::emit::msccl {
namespace {

std::string_view typeText(StepType type) {
  switch (type) {
  case StepType::Copy:
    return "cpy";
  case StepType::Send:
    return "s";
  case StepType::Receive:
    return "r";
  case StepType::ReceiveSend:
    return "rcs";
  case StepType::Reduce:
    return "rrc";
  case StepType::ReduceSend:
    return "rrs";
  case StepType::Nothing:
    break;
  }
  return "nop";
}

std::string_view collectiveText(CollectiveOp op) {
  return op == CollectiveOp::AllReduce   ? "allreduce"
         : op == CollectiveOp::AllGather ? "allgather"
                                         : "reduce_scatter";
}

std::string stepXml(size_t number, const Step &step) {
  return fmt::format(
      "      <step s=\"{}\" type=\"{}\" srcbuf=\"{}\" srcoff=\"{}\" "
      "dstbuf=\"{}\" dstoff=\"{}\" cnt=\"{}\" depid=\"{}\" deps=\"{}\" "
      "hasdep=\"{}\"/>\n",
      number, typeText(step.type), step.from.buffer, step.from.first,
      step.to.buffer, step.to.first, step.count,
      step.after ? int64_t(step.after->block) : -1,
      step.after ? int64_t(step.after->step) : -1, step.isAwaited ? 1 : 0);
}

std::string rankXml(const Algorithm &algorithm, int64_t rank) {
  std::string xml = fmt::format(
      "  <gpu id=\"{}\" i_chunks=\"{}\" o_chunks=\"{}\" s_chunks=\"{}\">\n",
      rank, algorithm.inputChunks, algorithm.outputChunks,
      algorithm.scratchChunks);
  size_t number = 0;
  for (const ThreadBlock &block : algorithm.programOf(rank)) {
    xml +=
        fmt::format("    <tb id=\"{}\" send=\"{}\" recv=\"{}\" chan=\"{}\">\n",
                    number++, block.sendsTo, block.receivesFrom, block.channel);
    for (size_t step = 0; step < block.steps.size(); ++step)
      xml += stepXml(step, block.steps[step]);
    xml += "    </tb>\n";
  }
  return xml + "  </gpu>\n";
}

int64_t channelsOf(const RankProgram &program) {
  int64_t channels = 0;
  for (const ThreadBlock &block : program)
    channels = std::max(channels, block.channel + 1);
  return channels;
}

} // namespace

std::string Algorithm::problem() const {
  RankProgram program = programOf(0);
  if (int64_t channels = channelsOf(program); channels > mostChannels)
    return fmt::format("{} channels, more than {}", channels, mostChannels);
  if (program.size() > mostThreadBlocks)
    return fmt::format("{} thread blocks, more than {}", program.size(),
                       mostThreadBlocks);
  for (const ThreadBlock &block : program)
    if (block.steps.size() > mostSteps)
      return fmt::format("{} steps of a thread block, more than {}",
                         block.steps.size(), mostSteps);
  return "";
}

Bytes Algorithm::mostBytes() const {
  // Four numbers of a step, and two of a thread block, may have more digits
  // than those of the first rank.
  int64_t digits = int64_t(std::to_string(chunks).size());
  int64_t numbers = 0;
  for (const ThreadBlock &block : programOf(0))
    numbers += 2 + 4 * int64_t(block.steps.size());
  auto first = int64_t(rankXml(*this, 0).size());
  return Bytes(ranks) * (first + numbers * digits);
}

void Algorithm::writeXml(Bytes least, Bytes most, const TextSink &sink) const {
  // The upper limit is the first size that is too large.
  sink(fmt::format("<algo name=\"{}\" proto=\"Simple\" nchannels=\"{}\" "
                   "nchunksperloop=\"{}\" ngpus=\"{}\" coll=\"{}\" "
                   "inplace=\"{}\" minBytes=\"{}\" maxBytes=\"{}\">\n",
                   name, channelsOf(programOf(0)), chunks, ranks,
                   collectiveText(op), isInPlace ? 1 : 0, least.count(),
                   (most + Bytes(1)).count()));
  for (int64_t rank = 0; rank < ranks; ++rank)
    sink(rankXml(*this, rank));
  sink("</algo>\n");
}

} // namespace shardsmith::emit::msccl

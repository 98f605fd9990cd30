// SPDX-License-Identifier: Apache-2.0
//
// Plans as people read them. Everything here is plain text made from a plan
// document alone, so that a plan read from a file reads as one just found.

#ifndef SHARDSMITH_PLANFILES_PLANREPORT_H
#define SHARDSMITH_PLANFILES_PLANREPORT_H

#include "shardsmith/PlanFiles/PlanDocument.h"

namespace shardsmith {

/// `3.214 s`, `12.50 ms`, `850 ns`
std::string describeTime(Nanoseconds time);
/// `1.93 GiB`
std::string describeBytes(Bytes bytes);
/// `8.03 B`, `124 M`: decimal prefixes of counts.
std::string describeCount(int64_t count);

/// `64 = tensor 8 × data 8`, or `1 device`.
std::string describeDegrees(const Strategy &strategy);
/// `none`, `selective`, `full in 12 of 32`
std::string describeRecompute(const Strategy &strategy);
/// `1f1b`, `interleaved, 2 stages per rank`; `-` without a pipeline.
std::string describeSchedule(const Strategy &strategy);
/// `32 x 2`: micro-batches of every data rank, and sequences in each;
/// `10..17 x 2` where data ranks differ.
std::string describeMicroBatches(const Strategy &strategy, int64_t globalBatch);
/// `1`, or `3 in groups of 8`.
std::string describeZero(const Strategy &strategy);

/// One part of the step time or of a rank's memory, in the order of reports.
struct TimePart {
  std::string name;
  Nanoseconds time;
};
std::vector<TimePart> partsOf(const TimeSplit &time);
struct MemoryPart {
  const char *name;
  Bytes bytes;
};
std::vector<MemoryPart> partsOf(const MemorySplit &memory);

/// Whether samples are sequences of tokens, or of anything else; others are
/// counted as samples.
bool hasTokens(const PlannedModel &model);

/// Columns are as wide as their widest cell; all but the first are aligned to
/// the right unless their title ends with a space.
std::string describeTable(const std::vector<std::vector<std::string>> &rows);

/// The plan and its alternatives, best first.
std::string describeRanking(const PlanDocument &document);
/// The type of the devices of a pool.
std::string describeKind(const PlanDocument &document, unsigned pool);
/// Which stages or data ranks lie on which kind of device; empty where there
/// is one.
std::string describePlacement(const PlanDocument &document);
/// Where the step's time goes, with its interval.
std::string describeStep(const PlanDocument &document);
/// Memory of the fullest rank itemised, and the others in a line each.
std::string describeMemory(const StepEstimate &estimate);
/// How often devices fail, and checkpoints are worth it; empty where none do.
std::string describeCheckpoints(const PlanDocument &document);
/// Bound, gap and kind of proof.
std::string describeProof(const PlanDocument &document);
/// How the tensor axis lies in each block.
std::string describeLayouts(const std::vector<NamedLayout> &layouts);
/// Where the figures come from.
std::string describeSources(const PlanDocument &document);

/// All of that under a headline.
std::string describePlan(const PlanDocument &document);

/// Why `other` is not chosen where `chosen` is: the parts of the time that
/// differ most, or what it lacks to fit.
std::string whyNot(const StepEstimate &chosen, const StepEstimate &other);
/// Both plans side by side: decisions that differ, then time and memory item
/// by item.
std::string describeDifference(const PlanDocument &first,
                               const PlanDocument &second);
/// Time and memory of two estimates item by item.
std::string describeDifference(const StepEstimate &first,
                               const std::string &firstName,
                               const StepEstimate &second,
                               const std::string &secondName);

} // namespace shardsmith

#endif // SHARDSMITH_PLANFILES_PLANREPORT_H

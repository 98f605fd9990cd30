// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_EMIT_IMPORTREADERS_H
#define SHARDSMITH_LIB_EMIT_IMPORTREADERS_H

#include "CommandLine.h"
#include "shardsmith/Emit/ImportPlan.h"
#include "shardsmith/Strategy/ScheduleTraits.h"

namespace shardsmith::emit {

// Each fails with a sentence in `error`; numbers that are none are the line's
// problem.
std::optional<ImportedPlan> importMegatron(CommandLine &line,
                                           std::string &error);
std::optional<ImportedPlan> importTorchtitan(CommandLine &line,
                                             const std::string &folder,
                                             ReadBeside readBeside,
                                             std::string &error);
/// Nothing, and no error, if the script starts neither Horovod nor MXNet.
std::optional<ImportedPlan> importDataParallel(CommandLine &line,
                                               std::string &error);

/// The files of runtimes that have no command line; nothing, and no error, if
/// the text is of none of them.
std::optional<ImportedPlan> importYaml(std::string_view text,
                                       std::string &error);
std::optional<ImportedPlan> importJson(std::string_view text,
                                       const std::string &folder,
                                       ReadBeside readBeside,
                                       std::string &error);

/// The family whose order for this pipeline the table `path` in `folder` has.
/// Fails with a sentence if it cannot be read, or is another order.
std::optional<ScheduleFamily>
readTable(const std::string &path, const std::string &folder,
          ReadBeside readBeside, int64_t pipeline, int64_t virtualStages,
          int64_t microBatches, std::string &error);

/// Adds the number of data ranks where the line says how many ranks it starts;
/// `shards`: ranks of one of them.
bool addWorld(CommandLine &line, int64_t shards, ImportedPlan &plan,
              std::string &error);

/// What one stage of a pipeline holds.
struct LayoutStage {
  int64_t layers = 0;
  bool hasEmbedding = false, hasHead = false;

  /// As `--fix stages` counts: embedding and head are units of their own.
  int64_t units() const { return layers + hasEmbedding + hasHead; }
};
/// Adds what a file says of all stages, in the order of the model. Which units
/// they have is a decision where some hold more layers than others.
bool addStages(const std::vector<LayoutStage> &stages, int64_t pipeline,
               ImportedPlan &plan, std::string &error);

/// Stages of a Megatron layout with its repetitions written out.
std::optional<std::vector<LayoutStage>>
readMegatronLayout(std::string_view layout, std::string &error);

} // namespace shardsmith::emit

#endif // SHARDSMITH_LIB_EMIT_IMPORTREADERS_H

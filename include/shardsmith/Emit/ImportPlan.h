// SPDX-License-Identifier: Apache-2.0
//
// The way back: what a command line or a configuration of another runtime
// decides of a plan.

#ifndef SHARDSMITH_EMIT_IMPORTPLAN_H
#define SHARDSMITH_EMIT_IMPORTPLAN_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shardsmith::emit {

struct ImportedPlan {
  /// The target whose options were read.
  std::string target;
  /// Names and values as `plan --fix` has them.
  std::vector<std::pair<std::string, std::string>> decisions;
  /// Layers of each stage, embedding and head not counted; empty without a
  /// pipeline.
  std::vector<int64_t> layersOfStages;
  int64_t globalBatch = 0, sequenceLength = 0;
  /// Ranks that share one copy of what ZeRO splits; 0: all, or not known.
  int64_t zeroGroup = 0;

  /// A number or a word.
  void add(std::string_view name, int64_t value);
  void add(std::string_view name, std::string_view value);
  /// `tp=8,pp=4,…`
  std::string fixText() const;
};

/// Files that the command line names, by their paths beside it.
using ReadBeside = std::optional<std::string> (*)(const std::string &name,
                                                  const std::string &folder);

/// Reads a script with options of Megatron-LM or torchtitan, or the options
/// alone, or one that starts Horovod or MXNet, or a configuration as `emit`
/// writes it: of Megatron-Bridge, nanotron and accelerate in YAML, of
/// DeepSpeed, transformers, PyTorch, JAX and TensorFlow in JSON. `folder`:
/// where files that it names are. Fails with a sentence in `error`.
std::optional<ImportedPlan> importPlan(std::string_view text,
                                       const std::string &folder,
                                       ReadBeside readBeside,
                                       std::string &error);

} // namespace shardsmith::emit

#endif // SHARDSMITH_EMIT_IMPORTPLAN_H

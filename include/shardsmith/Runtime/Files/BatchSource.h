// SPDX-License-Identifier: Apache-2.0
//
// Where the batches of the steps come from.

#ifndef SHARDSMITH_RUNTIME_FILES_BATCHSOURCE_H
#define SHARDSMITH_RUNTIME_FILES_BATCHSOURCE_H

#include "shardsmith/Runtime/Manifest.h"
#include "shardsmith/Runtime/ThreadTeam.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace shardsmith::runtime {

struct DataOptions {
  uint64_t seed = 0;
  std::map<std::string, std::string> arrays; // argument name → .npy file
  std::string tokenFile;
  ElementType tokenType = SMITH_U16;
};

/// Gives one argument its values.
class ArgumentSource {
public:
  virtual ~ArgumentSource() = default;
  virtual void fill(int64_t step, const Shard &shard, void *local) const = 0;
};

/// The sources of all batch arguments.
class BatchSource {
public:
  /// Opens and checks all files. Arguments without a file are synthesized.
  BatchSource(const Manifest &manifest, const DataOptions &options,
              const ThreadTeam &team);

  /// Fills the part of argument `index` that `shard` describes.
  void fill(size_t index, int64_t step, const Shard &shard, void *local) const;

private:
  std::vector<std::unique_ptr<ArgumentSource>> sources; // null: no batch
};

} // namespace shardsmith::runtime

#endif // SHARDSMITH_RUNTIME_FILES_BATCHSOURCE_H

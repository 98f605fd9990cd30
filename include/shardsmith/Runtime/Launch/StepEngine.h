// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_RUNTIME_LAUNCH_STEPENGINE_H
#define SHARDSMITH_RUNTIME_LAUNCH_STEPENGINE_H

#include "shardsmith/Runtime/Launch/Options.h"
#include "shardsmith/Runtime/Rank/Context.h"

#include <functional>
#include <memory>

namespace shardsmith::runtime {

/// Where the steps of a rank run. The training loop prepares and reads tensors
/// in an arena of the host; an engine whose tensors are elsewhere copies them.
class StepEngine {
public:
  virtual ~StepEngine() = default;

  /// Called once by all ranks: parameters, state and constants are in the
  /// arena.
  virtual void start(uint8_t *arena) {}
  /// One step with the batches that are in the arena. The loss and all scalar
  /// outputs are there afterwards.
  virtual void run(uint8_t *arena) = 0;
  /// All results of the last step are in the arena afterwards.
  virtual void fetch(uint8_t *arena) {}
};

/// Makes the engine of a rank. All ranks call it at once, but it talks to no
/// other rank: where one fails, all end.
using EngineFactory = std::function<std::unique_ptr<StepEngine>(
    smith_context &, const Options &)>;

} // namespace shardsmith::runtime

#endif // SHARDSMITH_RUNTIME_LAUNCH_STEPENGINE_H

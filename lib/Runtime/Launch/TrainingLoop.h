// SPDX-License-Identifier: Apache-2.0
//
// What every rank does between start-up and the end: initial state, batches,
// steps, checkpoints, reports.

#ifndef SHARDSMITH_LIB_RUNTIME_LAUNCH_TRAININGLOOP_H
#define SHARDSMITH_LIB_RUNTIME_LAUNCH_TRAININGLOOP_H

#include "shardsmith/Runtime/Launch/StepEngine.h"

namespace shardsmith::runtime {

void train(smith_context &context, const Options &options,
           const EngineFactory &makeEngine, uint8_t *arena);

} // namespace shardsmith::runtime

#endif // SHARDSMITH_LIB_RUNTIME_LAUNCH_TRAININGLOOP_H

// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_TRAIN_STACKEDPARAMETERS_H
#define SHARDSMITH_TRAIN_STACKEDPARAMETERS_H

#include "mlir/IR/BuiltinOps.h"

namespace shardsmith {

/// Parameters of `@main` of which stages read different rows become an argument
/// per stage (the pass `split-stacked-parameters`). Without several stages,
/// nothing is changed.
void splitStackedParameters(mlir::ModuleOp module);

} // namespace shardsmith

#endif // SHARDSMITH_TRAIN_STACKEDPARAMETERS_H

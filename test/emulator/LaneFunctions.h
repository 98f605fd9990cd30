// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_TEST_EMULATOR_LANEFUNCTIONS_H
#define SHARDSMITH_TEST_EMULATOR_LANEFUNCTIONS_H

#include "DeviceProgram.h"

namespace shardsmith::emulator {

/// What an op of arith or math computes in every lane; null if the emulator
/// does not know the op.
LaneFunction findLaneFunction(mlir::Operation *op);

} // namespace shardsmith::emulator

#endif // SHARDSMITH_TEST_EMULATOR_LANEFUNCTIONS_H

// SPDX-License-Identifier: Apache-2.0

#include "../Kernels/RandomBits.h"
#include "Register.h"
#include "shardsmith/Dialect/StableHLO/StableHLO.h"
#include "shardsmith/Interpreter/EvaluatorRegistry.h"
#include "shardsmith/Interpreter/TensorAttributes.h"

using namespace llvm;

namespace shardsmith::inline interpreter {
namespace {

/// `DEFAULT` is Philox, as on XLA's CPU backend.
LogicalResult evaluateBits(stablehlo::RngBitGeneratorOp op, Arguments operands,
                           const Device &device, Tensors &results) {
  const StaticType type = *staticTypeOf(op.getOutput().getType());
  const Tensor &state = operands[0];
  const bool isThreeFry =
      op.getRngAlgorithm() == stablehlo::RngAlgorithm::THREE_FRY;
  if (state.type() != ElementType::U64 || state.size() < 2 ||
      state.size() > (isThreeFry ? 2 : 3))
    return device.unsupported(
        op, isThreeFry ? "the state of THREE_FRY is two ui64"
                       : "the state of PHILOX is two or three ui64");
  if (!isInteger(type.element) || isNarrow(type.element))
    return device.unsupported(op, "bits are integers of 8 to 64 bits");
  auto [newState, bits] = randomBits(isThreeFry ? RandomAlgorithm::ThreeFry
                                                : RandomAlgorithm::Philox,
                                     state, type.element, type.shape);
  results.push_back(newState);
  results.push_back(bits);
  return success();
}

} // namespace

void registerRandom(EvaluatorRegistry &registry) { registry.add(evaluateBits); }

} // namespace shardsmith::inline interpreter

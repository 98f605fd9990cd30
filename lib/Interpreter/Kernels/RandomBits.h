// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_INTERPRETER_KERNELS_RANDOMBITS_H
#define SHARDSMITH_LIB_INTERPRETER_KERNELS_RANDOMBITS_H

#include "shardsmith/Interpreter/Tensor.h"

#include <utility>

namespace shardsmith::inline interpreter {

enum class RandomAlgorithm { ThreeFry, Philox };

/// The state after and the bits of one call; the bits are those XLA's CPU
/// backend makes. `state` holds ui64 words: a key and a counter.
std::pair<Tensor, Tensor> randomBits(RandomAlgorithm algorithm,
                                     const Tensor &state, ElementType type,
                                     llvm::ArrayRef<int64_t> shape);

} // namespace shardsmith::inline interpreter

#endif // SHARDSMITH_LIB_INTERPRETER_KERNELS_RANDOMBITS_H

// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_TRAIN_MIXEDPRECISION_H
#define SHARDSMITH_LIB_TRAIN_MIXEDPRECISION_H

#include "ForwardGraph.h"

namespace shardsmith {

/// Makes f32 arguments of parameters narrower than 32 bits. The f32 value is
/// what the optimizer updates; it is rounded where the forward pass uses it.
///
///     %w: tensor<8xbf16>   becomes   %master: tensor<8xf32>
///                                    %w = stablehlo.convert %master
void keepParametersInFloat32(ForwardGraph &graph);

/// Rounds the operands of contractions, convolutions and attention of f32
/// values to bf16 and their results back to f32. Everything between them, such
/// as norms, softmax and loss, stays in f32. Differentiated afterwards, the
/// backward pass follows the same rule. Derivatives that the model brings do,
/// too.
///
///     %z = dot_general %x, %y : f32   becomes
///     %a = convert %x, %b = convert %y : bf16
///     %c = dot_general %a, %b : bf16
///     %z = convert %c : f32
void contractInBFloat16(ForwardGraph &graph);

} // namespace shardsmith

#endif // SHARDSMITH_LIB_TRAIN_MIXEDPRECISION_H

// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_TRAIN_QUANTIZE_H
#define SHARDSMITH_LIB_TRAIN_QUANTIZE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace shardsmith {

/// Lets products of a forward graph multiply floats of eight bits: operands
/// are rounded to f8E4M3FN, and so is what the backward pass reads of them;
/// gradients of results, whose range is wider, to f8E5M2 (Micikevicius et al.,
/// "FP8 formats for deep learning", arXiv 2209.05433).
///
///     %z = dot_general %x, %y : bf16   becomes
///     %a = smith.quantize %x values = f8E4M3FN
///     %b = smith.quantize %y values = f8E4M3FN
///     %c = dot_general %a, %b : bf16
///     %z = smith.quantize %c gradients = f8E5M2
///
/// Of floats of 16 bits, without batch dimensions, so that scores of attention
/// stay as they are, and with sizes that are multiples of 16, which is what
/// libraries multiply. Derivatives that the model brings stay as they are.
///
/// Returns whether there is any such product.
bool quantizeProducts(mlir::func::FuncOp forward);

/// Replaces `smith.quantize` by what it computes, and products of two of its
/// results by products of eight bits:
///
///     %p = dot_general %x8, %y8 : f32        %z = %p * (%sx * %sy)
///
/// Returns whether there were any.
bool expandQuantizations(mlir::func::FuncOp function);

} // namespace shardsmith

#endif // SHARDSMITH_LIB_TRAIN_QUANTIZE_H

// SPDX-License-Identifier: Apache-2.0
//
// Products of many complex numbers, of products of two, whose derivatives are
// known: that of a reduction of pairs is not.

#ifndef SHARDSMITH_LIB_IMPORT_COMPLEX_PRODUCTS_H
#define SHARDSMITH_LIB_IMPORT_COMPLEX_PRODUCTS_H

#include "ComplexValue.h"

namespace shardsmith::complexes {

/// True for a reduction of one complex tensor by multiplication.
bool isProduct(stablehlo::ReduceOp op);

/// What such a reduction makes of `operand` and the first factor `init`.
ComplexValue productOver(stablehlo::ReduceOp op, const ComplexValue &operand,
                         const ComplexValue &init);

/// True for windows of one complex tensor from its first element to each one,
/// or from each one to its last, along one dimension, and products of these.
bool isRunningProduct(stablehlo::ReduceWindowOp op);

/// What these are of `operand`.
ComplexValue runningProduct(stablehlo::ReduceWindowOp op,
                            const ComplexValue &operand);

} // namespace shardsmith::complexes

#endif // SHARDSMITH_LIB_IMPORT_COMPLEX_PRODUCTS_H

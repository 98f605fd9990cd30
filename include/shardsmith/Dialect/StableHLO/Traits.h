// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_DIALECT_STABLEHLO_TRAITS_H
#define SHARDSMITH_DIALECT_STABLEHLO_TRAITS_H

#include "mlir/IR/OpDefinition.h"

namespace shardsmith::stablehlo {

/// Marks ops whose result element `i` depends on element `i` of every operand
/// alone. Operands have the result's shape, or rank 0 where the op allows it
/// (bounds of `clamp`, predicate of `select`) and then act on all elements.
/// Ask with `op->hasTrait<stablehlo::Elementwise>()`.
template <typename ConcreteType>
class Elementwise : public mlir::OpTrait::TraitBase<ConcreteType, Elementwise> {
};

} // namespace shardsmith::stablehlo

#endif // SHARDSMITH_DIALECT_STABLEHLO_TRAITS_H

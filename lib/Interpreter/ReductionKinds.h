// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_INTERPRETER_REDUCTIONKINDS_H
#define SHARDSMITH_LIB_INTERPRETER_REDUCTIONKINDS_H

#include "Kernels/BinaryScalars.h"
#include "shardsmith/Interfaces/FactorRule.h"

namespace shardsmith::inline interpreter {

/// The binary operation that combines partial values.
inline BinaryKind binaryKind(ReductionKind kind) {
  switch (kind) {
  case ReductionKind::Sum:
    return BinaryKind::Add;
  case ReductionKind::Product:
    return BinaryKind::Multiply;
  case ReductionKind::Max:
    return BinaryKind::Maximum;
  case ReductionKind::Min:
    return BinaryKind::Minimum;
  case ReductionKind::And:
    return BinaryKind::And;
  case ReductionKind::Or:
    return BinaryKind::Or;
  }
  __builtin_unreachable();
}

} // namespace shardsmith::inline interpreter

#endif // SHARDSMITH_LIB_INTERPRETER_REDUCTIONKINDS_H

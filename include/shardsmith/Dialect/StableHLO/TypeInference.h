// SPDX-License-Identifier: Apache-2.0
// Rules that say which type a result has, shared by builders and verifiers.

#ifndef SHARDSMITH_DIALECT_STABLEHLO_TYPEINFERENCE_H
#define SHARDSMITH_DIALECT_STABLEHLO_TYPEINFERENCE_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/ValueRange.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace shardsmith::stablehlo {

class ConvDimensionNumbersAttr;
class DotDimensionNumbersAttr;
class GatherDimensionNumbersAttr;

using OptionalLocation = std::optional<mlir::Location>;
using Shape = llvm::SmallVector<int64_t>;

/// Says which constraint failed and with which values; silent without a
/// location. Every rule takes one first.
class Reporter {
public:
  Reporter(OptionalLocation location, llvm::StringRef op = {})
      : location(location), op(op) {}
  Reporter(mlir::Location location, llvm::StringRef op = {})
      : location(location), op(op) {}

  template <typename... Arguments>
  llvm::LogicalResult operator()(Arguments &&...arguments) const {
    if (op.empty())
      return mlir::emitOptionalError(location,
                                     std::forward<Arguments>(arguments)...);
    return mlir::emitOptionalError(location, "'", op, "' op ",
                                   std::forward<Arguments>(arguments)...);
  }

private:
  OptionalLocation location;
  llvm::StringRef op;
};

/// Signless or unsigned integers of 2 to 64 bits, without i1.
bool isIntegerElement(mlir::Type type);

/// Complex of f32 or f64.
bool isComplexElement(mlir::Type type);

/// What a tensor may hold: i1, integers, floats, complex and quantized.
bool isTensorElement(mlir::Type type);

/// A ranked tensor of such elements, a token, or a tuple of these.
bool isValueType(mlir::Type type);

/// Equal up to dimensions that are dynamic in either type.
bool areCompatibleTypes(mlir::TypeRange left, mlir::TypeRange right);
bool areCompatibleTypes(mlir::Type left, mlir::Type right);

/// `tensor<ui32>`.
mlir::Type deviceIdType(mlir::MLIRContext *context);

/// All operands have one type; so has the result.
llvm::LogicalResult inferElementwise(const Reporter &report,
                                     mlir::ValueRange operands,
                                     llvm::SmallVectorImpl<mlir::Type> &types);

/// Batching dimensions, free dimensions of lhs, free dimensions of rhs.
llvm::FailureOr<Shape> inferDotGeneralShape(const Reporter &report,
                                            mlir::RankedTensorType lhs,
                                            mlir::RankedTensorType rhs,
                                            DotDimensionNumbersAttr numbers);

/// `shape` without `dimensions`.
llvm::FailureOr<Shape> inferReduceShape(const Reporter &report,
                                        llvm::ArrayRef<int64_t> shape,
                                        llvm::ArrayRef<int64_t> dimensions);

llvm::FailureOr<Shape> inferGatherShape(const Reporter &report,
                                        mlir::RankedTensorType operand,
                                        mlir::RankedTensorType startIndices,
                                        GatherDimensionNumbersAttr numbers,
                                        llvm::ArrayRef<int64_t> sliceSizes);

} // namespace shardsmith::stablehlo

#endif // SHARDSMITH_DIALECT_STABLEHLO_TYPEINFERENCE_H

// SPDX-License-Identifier: Apache-2.0
// Small rules that the verifiers of several ops share.

#ifndef SHARDSMITH_LIB_DIALECT_STABLEHLO_VERIFY_RULES_H
#define SHARDSMITH_LIB_DIALECT_STABLEHLO_VERIFY_RULES_H

#include "shardsmith/Dialect/StableHLO/StableHLO.h"

namespace shardsmith::stablehlo {

/// `[1, ?, 3]`.
std::string toText(llvm::ArrayRef<int64_t> dims);

/// Sizes agree, or one is dynamic.
bool agree(int64_t left, int64_t right);
bool agree(llvm::ArrayRef<int64_t> left, llvm::ArrayRef<int64_t> right);

mlir::RankedTensorType tensorType(mlir::Value value);
mlir::Type elementType(mlir::Value value);
int64_t rankOf(mlir::Value value);

/// `name` has `count` entries, one per what.
llvm::LogicalResult checkCount(const Reporter &report, llvm::StringRef name,
                               size_t found, size_t count,
                               llvm::StringRef what);

/// No entry of `name` is the number that stands for an unknown size: ops name
/// such sizes by operands.
llvm::LogicalResult checkKnown(const Reporter &report, llvm::StringRef name,
                               llvm::ArrayRef<int64_t> sizes);

/// Every entry of `name` is in `[0, rank)`.
llvm::LogicalResult checkInRange(const Reporter &report, llvm::StringRef name,
                                 llvm::ArrayRef<int64_t> dims, int64_t rank);

/// Entries of `name` are in `[0, rank)` and occur once.
llvm::LogicalResult checkUnique(const Reporter &report, llvm::StringRef name,
                                llvm::ArrayRef<int64_t> dims, int64_t rank);

/// As `checkUnique`, and in increasing order.
llvm::LogicalResult checkIncreasing(const Reporter &report,
                                    llvm::StringRef name,
                                    llvm::ArrayRef<int64_t> dims, int64_t rank);

/// The result's shape is `expected`, up to dynamic sizes.
llvm::LogicalResult checkResultShape(const Reporter &report, mlir::Type result,
                                     llvm::ArrayRef<int64_t> expected);

/// Reports at the op, with its name.
template <typename Op> Reporter reporterOf(Op op) {
  return Reporter(op->getLoc(), Op::getOperationName());
}

} // namespace shardsmith::stablehlo

#endif // SHARDSMITH_LIB_DIALECT_STABLEHLO_VERIFY_RULES_H

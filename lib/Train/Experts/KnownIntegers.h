// SPDX-License-Identifier: Apache-2.0
//
// Integers that follow from constants and iotas alone: positions of rows, most
// of all, which frameworks compute by long ways.

#ifndef SHARDSMITH_LIB_TRAIN_EXPERTS_KNOWNINTEGERS_H
#define SHARDSMITH_LIB_TRAIN_EXPERTS_KNOWNINTEGERS_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"

#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

namespace shardsmith {

/// Integers of a tensor that depend on one digit of their place among all
/// elements in row-major order, whatever the number of these:
///
///     place:   0 1 2 3 4 5 6 7 8 9 10 11
///     digit:   0 0 1 1 2 2 0 0 1 1 2  2     inner = 2, size = 3
///
/// A reshape leaves digits as they are.
struct DigitIntegers {
  int64_t inner = 1, size = 1;
  /// By digit; null: the digit itself.
  std::shared_ptr<const std::vector<int64_t>> values = nullptr;

  /// One for each element.
  static DigitIntegers of(std::vector<int64_t> values);

  bool isConstant() const { return size == 1; }
  int64_t at(int64_t place) const {
    int64_t digit = place / inner % size;
    return values ? (*values)[static_cast<size_t>(digit)] : digit;
  }
};

/// Computes tensors of integers and booleans whose digits have at most 2²⁴
/// values, or more, if nothing but quotients and remainders are made of them.
/// Results are kept, so a value that many ask for is computed once.
class KnownIntegers {
public:
  /// Whether the element at each place is place / inner % size. False also if
  /// elements depend on an argument or go through an op that is not known here.
  bool isDigit(mlir::Value value, int64_t inner, int64_t size);

private:
  const DigitIntegers *of(mlir::Value value);
  std::optional<DigitIntegers> compute(mlir::Value value);
  static std::optional<DigitIntegers>
  computeEach(mlir::Operation *op, mlir::RankedTensorType type,
              llvm::ArrayRef<const DigitIntegers *> operands);

  std::unordered_map<void *, std::optional<DigitIntegers>> known;
};

} // namespace shardsmith

#endif // SHARDSMITH_LIB_TRAIN_EXPERTS_KNOWNINTEGERS_H

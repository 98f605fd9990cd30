// SPDX-License-Identifier: Apache-2.0
//
// A factor rule describes an op as an einsum over *factors*. Propagation,
// strategy enumeration, cost, reshard insertion and partitioning see ops only
// through it. The model follows the Shardy project's op sharding rules.
//
//   dot_general   ([i, k], [k, j])->([i, j])   {i=8, j=16, k=32} reduction={k}
//   reshape       ([i, j, k])->([ij, k])       {i=2, j=4, k=32}

#ifndef SHARDSMITH_INTERFACES_FACTORRULE_H
#define SHARDSMITH_INTERFACES_FACTORRULE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>

namespace shardsmith {

/// What sharding a factor does to the op that has it.
enum class FactorKind {
  /// Each shard computes its part of the result; nothing to communicate.
  PassThrough,
  /// Each shard holds a partial result, to be combined by `Factor::reduction`.
  Reduction,
  /// The op must see the whole extent.
  NeedReplication,
  /// May stay sharded if neighbours exchange data (halo, shift, reverse).
  /// A planner that does not price the exchange treats it as NeedReplication.
  Permutation,
};

/// How partial results combine. The neutral elements are 0, 1, the lowest
/// and the highest value, all ones and zero.
enum class ReductionKind { Sum, Product, Max, Min, And, Or };

/// `sum`, `product`, `max`, `min`, `and`, `or`.
llvm::StringRef stringifyReductionKind(ReductionKind kind);
std::optional<ReductionKind> symbolizeReductionKind(llvm::StringRef name);

struct Factor {
  int64_t size = 1;
  FactorKind kind = FactorKind::PassThrough;
  ReductionKind reduction = ReductionKind::Sum;
};

/// Position of a factor in `FactorRule::factors`.
using FactorIndex = unsigned;

/// Per dimension of one tensor the factors it is made of, major to minor.
/// A scalar has no dimensions; a dimension always has at least one factor.
using TensorFactors = llvm::SmallVector<llvm::SmallVector<FactorIndex, 1>, 4>;

/// Whether a dimension of the tensor has the factor.
bool occursIn(const TensorFactors &tensor, FactorIndex factor);

/// Invariants (checked by `verify`):
///  - a factor occurs at most once per tensor;
///  - every dimension maps to at least one factor;
///  - a factor that no result has is Reduction or NeedReplication;
///  - the product of a dimension's factor sizes does not exceed its size.
struct FactorRule {
  llvm::SmallVector<Factor> factors;
  llvm::SmallVector<TensorFactors> operands;
  llvm::SmallVector<TensorFactors> results;

  /// Sets of operands in which the op is *jointly linear* while the others
  /// are held fixed: f(a+a', b+b') = f(a, b) + f(a', b'). If exactly the
  /// operands of one set are partial sums over an axis and the others are
  /// whole, the results are partial sums over that axis and the reduction can
  /// wait. Examples: add {{0, 1}}, multiply {{0}, {1}}, transpose {{0}}.
  llvm::SmallVector<llvm::SmallVector<unsigned, 2>> linearOperandSets;

  /// Returns an empty string if the invariants hold for tensors with these
  /// shapes, else a sentence that names the first broken one.
  std::string
  verify(llvm::ArrayRef<llvm::ArrayRef<int64_t>> operandShapes,
         llvm::ArrayRef<llvm::ArrayRef<int64_t>> resultShapes) const;

  /// The rule as text, in the form shown at the top of this file.
  std::string str() const;

  /// True if `factor` is the only factor of more than one element in every
  /// dimension that has it. Only then may the dimension be split unevenly:
  /// the split of a compound dimension would fall inside an inner factor.
  bool isWholeDimension(FactorIndex factor) const;
};

/// Assembles a rule the way it is written on paper:
///
///   FactorRuleBuilder builder(/*operands=*/2, /*results=*/1);
///   builder.add(8, {{0, 0}}, {{0, 0}});                  // i
///   builder.add(32, {{0, 1}, {1, 0}}, {}, FactorKind::Reduction);  // k
///
/// where {t, d} means dimension d of operand (or result) t. Factors of one
/// dimension are added major to minor.
class FactorRuleBuilder {
public:
  struct Place {
    unsigned tensor;
    unsigned dimension;
  };

  FactorRuleBuilder(unsigned operandCount, unsigned resultCount);

  FactorIndex add(int64_t size, llvm::ArrayRef<Place> inOperands,
                  llvm::ArrayRef<Place> inResults,
                  FactorKind kind = FactorKind::PassThrough,
                  ReductionKind reduction = ReductionKind::Sum);

  /// One pass-through factor per dimension, shared by all operands and
  /// results of that shape. Operands of rank 0 (scalar predicates, bounds)
  /// have no factors.
  static FactorRule pointwise(llvm::ArrayRef<llvm::ArrayRef<int64_t>> operands,
                              llvm::ArrayRef<llvm::ArrayRef<int64_t>> results);

  void addLinearSet(llvm::ArrayRef<unsigned> operands);
  FactorRule build();

private:
  FactorRule rule;
};

} // namespace shardsmith

#endif // SHARDSMITH_INTERFACES_FACTORRULE_H

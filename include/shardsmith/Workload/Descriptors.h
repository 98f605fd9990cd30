// SPDX-License-Identifier: Apache-2.0
//
// What an op may be beside a kernel over factors. Each descriptor is there
// where it holds, and whoever prices, splits or recomputes ops asks for the one
// that matters to it. An op without any is a group of element-wise ops and row
// reductions that the lowering makes one kernel of.
//
//     product     attention, embedding tables and experts apart, all matrices
//     attention   softmax(q kᵀ · scale + mask) v as a whole
//     lookup      rows of a table by index
//     exchange    tokens on their way to experts, or back
//
// The cost of an op in the IR (`CostInterface`) says whether it is a product,
// so a new kind of product needs no change in anything that reads a workload.

#ifndef SHARDSMITH_WORKLOAD_DESCRIPTORS_H
#define SHARDSMITH_WORKLOAD_DESCRIPTORS_H

#include <optional>
#include <string_view>

namespace shardsmith::workload {

using FactorIndex = unsigned;

/// A matrix product. Operands lhs, rhs; result. Factors of both operands and
/// the result are batch, of lhs and result m, of rhs and result n, of both
/// operands only k.
struct ProductParts {
  /// One product per expert: lhs are tokens, sorted by expert, and rhs weights
  /// with an Expert factor.
  bool isPerExpert = false;

  bool operator==(const ProductParts &) const = default;
};

/// Which factors play which part in attention. Operands are q, k, v, then
/// biases and masks that are not constants. Results are the op's own, then the
/// tensors `insideAttention` (probabilities), which only stacks without fused
/// attention kernels write and save.
struct AttentionParts {
  /// Query heads are keyValueHeads × group.
  FactorIndex keyValueHeads = 0;
  std::optional<FactorIndex> group;
  FactorIndex queries = 0;
  /// Distinct from `queries`; both have role Sequence. Of kind Whole: only
  /// the context axis may split it.
  FactorIndex keys = 0;
  /// Of q and k; kind Reduction.
  FactorIndex headSize = 0;
  FactorIndex valueSize = 0;
  /// Query i sees keys ≤ i: half of the products are needed.
  bool causal = false;

  bool operator==(const AttentionParts &) const = default;
};

/// Rows of a table by index (embedding): only these rows are touched. The
/// table's row factor is a Reduction: a shard that lacks the row gives zeros.
struct LookupParts {
  bool operator==(const LookupParts &) const = default;
};

/// Tokens to the experts that the router chose (dispatch), or back (combine).
/// Under an expert axis this is an all-to-all.
struct ExchangeParts {
  bool isToExperts = true;

  bool operator==(const ExchangeParts &) const = default;
};

/// At most one of them is there (`verifyBlock`).
struct OpDescriptors {
  std::optional<ProductParts> product;
  std::optional<AttentionParts> attention;
  std::optional<LookupParts> lookup;
  std::optional<ExchangeParts> exchange;

  int count() const {
    return product.has_value() + attention.has_value() + lookup.has_value() +
           exchange.has_value();
  }
  /// A group of element-wise ops and row reductions: one kernel, which reads
  /// operands and writes results once.
  bool isFused() const { return count() == 0; }
  bool isProductPerExpert() const { return product && product->isPerExpert; }
  /// All rows meet the same matrix.
  bool isPlainProduct() const { return product && !product->isPerExpert; }
  bool operator==(const OpDescriptors &) const = default;
};

/// The word for an op in workload files and messages: `matmul`,
/// `grouped-matmul`, `attention`, `lookup`, `dispatch`, `combine`, `fused`.
std::string_view wordFor(const OpDescriptors &descriptors);

} // namespace shardsmith::workload

#endif // SHARDSMITH_WORKLOAD_DESCRIPTORS_H

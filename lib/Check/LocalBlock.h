// SPDX-License-Identifier: Apache-2.0
//
// What one rank sees of a block under a plan's layout: how large its parts are,
// and in which form ops read and write them.

#ifndef SHARDSMITH_LIB_CHECK_LOCALBLOCK_H
#define SHARDSMITH_LIB_CHECK_LOCALBLOCK_H

#include "shardsmith/Strategy/Strategy.h"

#include <set>

namespace shardsmith::check {

/// A tensor on one rank of the tensor axis: a copy, a slice along a dimension,
/// or one of the terms of a sum.
struct Form {
  enum class Kind { Copy, Slice, Term };
  Kind kind = Kind::Copy;
  unsigned dim = 0;

  static Form copy() { return {}; }
  static Form slice(unsigned dim) { return {Kind::Slice, dim}; }
  static Form term() { return {Kind::Term, 0}; }
  auto operator<=>(const Form &) const = default;
};

class LocalBlock {
public:
  /// All must outlive this; the layout has an entry per op and tensor.
  LocalBlock(const workload::Block &block, const BlockLayout &layout,
             const Strategy &strategy);

  const workload::Block &block() const { return described; }
  const BlockLayout &layout() const { return chosen; }

  /// Size of a factor of `op` on one rank.
  int64_t size(const workload::Op &op, workload::FactorIndex factor) const;
  /// Of one rank's part; a copy and a term are whole.
  int64_t elements(workload::TensorIndex tensor, Form form) const;
  Bytes bytes(workload::TensorIndex tensor, Form form) const;
  /// A dimension's length on one rank, before the tensor axis slices it.
  int64_t length(workload::TensorIndex tensor, unsigned dim) const {
    return facts[tensor].lengths[dim];
  }

  Form kept(workload::TensorIndex tensor) const;
  Form operandForm(size_t op, size_t operand) const;
  Form resultForm(size_t op, size_t result) const;
  /// The forms in which the readers of a tensor want it, and those in which
  /// they leave its gradient.
  std::set<Form> wanted(workload::TensorIndex tensor) const;
  std::set<Form> gradients(workload::TensorIndex tensor) const;

  bool isTrained(workload::TensorIndex tensor) const {
    return facts[tensor].trained;
  }
  bool isInput(workload::TensorIndex tensor) const {
    return facts[tensor].input;
  }
  bool isOutput(workload::TensorIndex tensor) const {
    return facts[tensor].output;
  }
  bool isRead(workload::TensorIndex tensor) const { return facts[tensor].read; }
  bool belongsToExperts(workload::TensorIndex tensor) const {
    return facts[tensor].experts;
  }

private:
  struct Facts {
    std::vector<int64_t> lengths;
    /// A gradient reaches it.
    bool trained = false;
    bool input = false, output = false, read = false, experts = false;
  };

  void measure(const workload::Op &op, const workload::TensorUse &use);
  void traceGradients();

  const workload::Block &described;
  const BlockLayout &chosen;
  const Strategy &strategy;
  std::vector<Facts> facts;
};

/// The dimension of `use` that counts `factor`.
std::optional<unsigned> dimensionOf(const workload::TensorUse &use,
                                    workload::FactorIndex factor);

} // namespace shardsmith::check

#endif // SHARDSMITH_LIB_CHECK_LOCALBLOCK_H

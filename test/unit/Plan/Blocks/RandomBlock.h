// SPDX-License-Identifier: Apache-2.0
//
// Small random blocks: products, fused ops with and without row statistics,
// lookups and sums over tensors that several ops may read.

#ifndef SHARDSMITH_TEST_UNIT_PLAN_BLOCKS_RANDOMBLOCK_H
#define SHARDSMITH_TEST_UNIT_PLAN_BLOCKS_RANDOMBLOCK_H

#include "shardsmith/Workload/Workload.h"

#include <array>
#include <random>

namespace shardsmith::workload {

class RandomBlock {
public:
  explicit RandomBlock(uint64_t seed) : random(seed) {}

  Workload make() {
    block = {};
    block.name = "random";
    uses.clear();
    size_t inputs = below(3);
    for (size_t i = 0; i < inputs; ++i)
      block.inputs.push_back(activation({batch(), positions(), wide()}));
    if (inputs == 0)
      addLookup();
    size_t ops = 1 + below(3);
    for (size_t i = 0; i < ops; ++i)
      addOp();
    // The last result goes on, and maybe something from before.
    block.outputs.push_back(lastActivation());
    for (TensorIndex tensor = 0; tensor < block.tensors.size(); ++tensor)
      if (tensor != block.outputs[0] && below(6) == 0 && isActivation(tensor))
        block.outputs.push_back(tensor);

    Workload workload;
    workload.modelName = "random";
    workload.blocks = {block};
    std::vector<std::string> names;
    for (size_t i = 0; i < block.parameters.size(); ++i)
      names.push_back("p" + std::to_string(i));
    workload.segments = {{0, 1, {names}}};
    workload.sequenceLength = positionCount;
    workload.computeType = ElementType::BF16;
    return workload;
  }

  size_t below(size_t bound) {
    return std::uniform_int_distribution<size_t>(0, bound - 1)(random);
  }

private:
  /// What a dimension of an activation counts, by size: equal sizes may meet.
  struct Dim {
    int64_t size;
    FactorRole role;
  };
  Dim batch() { return {1, FactorRole::Batch}; }
  Dim positions() { return {positionCount, FactorRole::Sequence}; }
  Dim wide() {
    constexpr std::array<int64_t, 3> sizes = {3, 512, 4096};
    return {sizes[below(8) == 0 ? 0 : 1 + below(2)], FactorRole::Other};
  }

  TensorIndex activation(const std::vector<Dim> &dims) {
    return tensor(dims, TensorRole::Activation);
  }

  TensorIndex tensor(const std::vector<Dim> &dims, TensorRole role) {
    Tensor tensor;
    tensor.name = "t" + std::to_string(block.tensors.size());
    tensor.role = role;
    tensor.type = ElementType::BF16;
    tensor.savedForBackward = below(2) == 0;
    tensor.insideAttention = below(5) == 0;
    for (Dim dim : dims)
      tensor.shape.push_back(dim.size);
    block.tensors.push_back(tensor);
    uses.push_back(dims);
    TensorIndex index = TensorIndex(block.tensors.size() - 1);
    if (role == TensorRole::Parameter)
      block.parameters.push_back(index);
    return index;
  }

  bool isActivation(TensorIndex tensor) const {
    return block.tensors[tensor].role == TensorRole::Activation;
  }
  TensorIndex lastActivation() const {
    for (TensorIndex tensor = TensorIndex(block.tensors.size()); tensor-- > 0;)
      if (isActivation(tensor))
        return tensor;
    return 0;
  }
  TensorIndex someActivation() {
    while (true) {
      TensorIndex tensor = TensorIndex(below(block.tensors.size()));
      if (isActivation(tensor) && uses[tensor].size() == 3)
        return tensor;
    }
  }

  static FactorIndex factor(Op &op, const char *name, Dim dim,
                            FactorKind kind = FactorKind::PassThrough) {
    op.factors.push_back({name, dim.size, kind, dim.role});
    return FactorIndex(op.factors.size() - 1);
  }

  void addLookup() {
    Op op;
    op.lookup = LookupParts{};
    Dim rows{1024, FactorRole::Other}, columns = wide();
    FactorIndex b = factor(op, "b", batch()), s = factor(op, "s", positions());
    FactorIndex h = factor(op, "h", columns);
    FactorIndex v = factor(op, "v", rows, FactorKind::Reduction);
    TensorIndex table = tensor({rows, columns}, TensorRole::Parameter);
    TensorIndex tokens = tensor({batch(), positions()}, TensorRole::Batch);
    block.tensors[tokens].type = ElementType::I32;
    TensorIndex result = activation({batch(), positions(), columns});
    op.operands = {{table, {{v}, {h}}}, {tokens, {{b}, {s}}}};
    op.results = {{result, {{b}, {s}, {h}}}};
    block.ops.push_back(op);
  }

  void addOp() {
    Op op;
    op.name = "op" + std::to_string(block.ops.size());
    TensorIndex from = someActivation();
    Dim columns = uses[from][2];
    FactorIndex b = factor(op, "b", batch()), s = factor(op, "s", positions());
    FactorIndex h = factor(op, "h", columns);
    op.operands = {{from, {{b}, {s}, {h}}}};
    if (below(2) == 0) {
      op.product = ProductParts{};
      op.factors[h].kind = FactorKind::Reduction;
      Dim to = wide();
      FactorIndex n = factor(op, "n", to);
      TensorIndex weight = existingWeight(columns, to);
      op.operands.push_back({weight, {{h}, {n}}});
      op.results = {{activation({batch(), positions(), to}), {{b}, {s}, {n}}}};
      block.ops.push_back(op);
      return;
    }
    size_t shape = below(4);
    if (shape == 0) {
      op.factors[h].kind = FactorKind::RowStatistic;
      op.rowStatistics = 1 + int64_t(below(2));
    }
    if (below(2) == 0)
      op.operands.push_back({tensor({columns}, TensorRole::Parameter), {{h}}});
    TensorIndex other = someActivation();
    if (uses[other][2].size == columns.size)
      op.operands.push_back({other, {{b}, {s}, {h}}});
    if (shape == 1) {
      op.factors[h].kind = FactorKind::Reduction;
      op.results = {{activation({batch(), positions()}), {{b}, {s}}}};
    } else {
      op.results = {
          {activation({batch(), positions(), columns}), {{b}, {s}, {h}}}};
    }
    block.ops.push_back(op);
  }

  /// Now and then a parameter is used twice.
  TensorIndex existingWeight(Dim rows, Dim columns) {
    for (TensorIndex weight : block.parameters)
      if (block.tensors[weight].shape == std::vector{rows.size, columns.size} &&
          below(2) == 0)
        return weight;
    return tensor({rows, columns}, TensorRole::Parameter);
  }

  static constexpr int64_t positionCount = 1024;
  std::mt19937_64 random;
  Block block;
  std::vector<std::vector<Dim>> uses;
};

} // namespace shardsmith::workload

#endif // SHARDSMITH_TEST_UNIT_PLAN_BLOCKS_RANDOMBLOCK_H

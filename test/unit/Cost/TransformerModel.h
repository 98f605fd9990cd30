// SPDX-License-Identifier: Apache-2.0
//
// Transformers as workloads, written down by hand: what the cost model's
// results are compared with formulas for.

#ifndef SHARDSMITH_TEST_UNIT_COST_TRANSFORMERMODEL_H
#define SHARDSMITH_TEST_UNIT_COST_TRANSFORMERMODEL_H

#include "../Workload/Described.h"
#include "shardsmith/Workload/Workload.h"

#include <map>

namespace shardsmith::workload {

struct TransformerSizes {
  int64_t layers = 4, hidden = 1024, heads = 16, keyValueHeads = 16;
  int64_t feedForward = 4096, vocabulary = 32000, positions = 2048;
  bool gated = false;
  /// Masks of the two dropouts behind attention and feed-forward.
  bool dropout = true;
  int64_t globalBatch = 64;
};

/// Writes a block op by op; factors are named and have one size per block.
class BlockWriter {
public:
  explicit BlockWriter(std::string name) { block.name = std::move(name); }

  BlockWriter &factor(const std::string &name, int64_t size,
                      FactorRole role = FactorRole::Other) {
    factors[name] = {name, size, FactorKind::PassThrough, role};
    return *this;
  }

  /// `dims`: per dimension the factors' names.
  using Dims = std::vector<std::vector<std::string>>;

  TensorIndex tensor(const std::string &name, const Dims &dims,
                     TensorRole role = TensorRole::Activation,
                     bool saved = false, ElementType type = ElementType::BF16) {
    Tensor tensor;
    tensor.name = name;
    tensor.role = role;
    tensor.type = type;
    tensor.savedForBackward = saved;
    for (const auto &dim : dims) {
      int64_t size = 1;
      for (const std::string &factor : dim)
        size *= factors.at(factor).size;
      tensor.shape.push_back(size);
    }
    block.tensors.push_back(tensor);
    TensorIndex index = TensorIndex(block.tensors.size() - 1);
    dimsOf[index] = dims;
    if (role == TensorRole::Parameter)
      block.parameters.push_back(index);
    return index;
  }
  TensorIndex saved(const std::string &name, const Dims &dims) {
    return tensor(name, dims, TensorRole::Activation, true);
  }
  TensorIndex parameter(const std::string &name, const Dims &dims) {
    return tensor(name, dims, TensorRole::Parameter);
  }

  /// Factors that no result has are reductions; `statistics` names those with
  /// row statistics.
  Op &op(const OpDescriptors &descriptors, const std::string &name,
         const std::vector<TensorIndex> &operands,
         const std::vector<TensorIndex> &results,
         const std::vector<std::string> &statistics = {}) {
    Op op;
    op.name = name;
    static_cast<OpDescriptors &>(op) = descriptors;
    std::map<std::string, FactorIndex> index;
    auto use = [&](TensorIndex tensor) {
      TensorUse use{tensor, {}};
      for (const auto &dim : dimsOf.at(tensor)) {
        use.dims.emplace_back();
        for (const std::string &factor : dim) {
          auto [at, isNew] =
              index.try_emplace(factor, FactorIndex(op.factors.size()));
          if (isNew) {
            op.factors.push_back(factors.at(factor));
            op.factors.back().kind = FactorKind::Reduction;
          }
          use.dims.back().push_back(at->second);
        }
      }
      return use;
    };
    for (TensorIndex operand : operands)
      op.operands.push_back(use(operand));
    for (TensorIndex result : results) {
      op.results.push_back(use(result));
      for (const auto &dim : op.results.back().dims)
        for (FactorIndex factor : dim)
          op.factors[factor].kind = FactorKind::PassThrough;
    }
    for (const std::string &factor : statistics)
      op.factors[index.at(factor)].kind = FactorKind::RowStatistic;
    op.rowStatistics = statistics.empty() ? 0 : 2;
    lastIndex = index;
    block.ops.push_back(op);
    return block.ops.back();
  }
  FactorIndex factorOfLastOp(const std::string &name) const {
    return lastIndex.at(name);
  }

  Block block;

private:
  std::map<std::string, Factor> factors;
  std::map<TensorIndex, Dims> dimsOf;
  std::map<std::string, FactorIndex> lastIndex;
};

inline BlockWriter transformerWriter(const TransformerSizes &sizes,
                                     const std::string &name) {
  BlockWriter writer(name);
  writer.factor("b", 1, FactorRole::Batch)
      .factor("s", sizes.positions, FactorRole::Sequence)
      .factor("t", sizes.positions, FactorRole::Sequence)
      .factor("h", sizes.hidden)
      .factor("i", sizes.hidden)
      .factor("a", sizes.keyValueHeads)
      .factor("g", sizes.heads / sizes.keyValueHeads)
      .factor("d", sizes.hidden / sizes.heads)
      .factor("e", sizes.hidden / sizes.heads)
      .factor("f", sizes.feedForward)
      .factor("v", sizes.vocabulary);
  return writer;
}

inline Block transformerLayer(const TransformerSizes &sizes) {
  BlockWriter w = transformerWriter(sizes, "layer");
  BlockWriter::Dims hidden = {{"b"}, {"s"}, {"h"}};
  TensorIndex x = w.saved("x", hidden);
  w.block.inputs = {x};
  TensorIndex norm1 = w.parameter("norm1", {{"h"}});
  TensorIndex n1 = w.saved("n1", hidden);
  w.op(described::fused, "norm1", {x, norm1}, {n1}, {"h"});
  TensorIndex wq = w.parameter("wq", {{"h"}, {"a", "g", "d"}});
  TensorIndex wk = w.parameter("wk", {{"h"}, {"a", "d"}});
  TensorIndex wv = w.parameter("wv", {{"h"}, {"a", "e"}});
  TensorIndex q = w.saved("q", {{"b"}, {"s"}, {"a", "g"}, {"d"}});
  TensorIndex k = w.saved("k", {{"b"}, {"s"}, {"a"}, {"d"}});
  TensorIndex v = w.saved("v", {{"b"}, {"s"}, {"a"}, {"e"}});
  w.op(described::matmul, "wq", {n1, wq}, {q});
  w.op(described::matmul, "wk", {n1, wk}, {k});
  w.op(described::matmul, "wv", {n1, wv}, {v});
  TensorIndex mixed = w.saved("mixed", {{"b"}, {"s"}, {"a", "g"}, {"e"}});
  Op &attention = w.op(described::fused, "attention", {q, k, v}, {mixed});
  // Keys and values count positions as "s" where they are made. Separate
  // kernels also keep the probabilities.
  FactorIndex keys = FactorIndex(attention.factors.size());
  attention.factors.push_back(
      {"t", sizes.positions, FactorKind::Reduction, FactorRole::Sequence});
  attention.operands[1].dims[1] = {keys};
  attention.operands[2].dims[1] = {keys};
  Tensor probabilities;
  probabilities.name = "probabilities";
  probabilities.type = ElementType::BF16;
  probabilities.shape = {1, sizes.heads, sizes.positions, sizes.positions};
  probabilities.savedForBackward = probabilities.insideAttention = true;
  w.block.tensors.push_back(probabilities);
  attention.results.push_back({TensorIndex(w.block.tensors.size() - 1),
                               {{w.factorOfLastOp("b")},
                                {w.factorOfLastOp("a"), w.factorOfLastOp("g")},
                                {w.factorOfLastOp("s")},
                                {keys}}});
  attention.attention = AttentionParts{w.factorOfLastOp("a"),
                                       w.factorOfLastOp("g"),
                                       w.factorOfLastOp("s"),
                                       keys,
                                       w.factorOfLastOp("d"),
                                       w.factorOfLastOp("e"),
                                       true};
  TensorIndex wo = w.parameter("wo", {{"a", "g", "e"}, {"i"}});
  TensorIndex projected =
      w.tensor("projected", {{"b"}, {"s"}, {"i"}}, TensorRole::Activation);
  w.op(described::matmul, "wo", {mixed, wo}, {projected});

  TensorIndex y = w.saved("y", hidden);
  // The product's columns are the residual's: one factor, two names.
  auto residual = [&](const char *name, TensorIndex from, TensorIndex added,
                      TensorIndex sum) {
    std::vector<TensorIndex> results = {sum};
    if (sizes.dropout)
      results.push_back(w.tensor(std::string(name) + ".mask", hidden,
                                 TensorRole::Activation, true,
                                 ElementType::I8));
    Op &op = w.op(described::fused, name, {from}, results);
    TensorUse use = op.operands[0];
    use.tensor = added;
    op.operands.push_back(use);
    op.linearOperandSets = {{0, 1}};
  };
  residual("add1", x, projected, y);
  TensorIndex norm2 = w.parameter("norm2", {{"h"}});
  TensorIndex n2 = w.saved("n2", hidden);
  w.op(described::fused, "norm2", {y, norm2}, {n2}, {"h"});
  BlockWriter::Dims wide = {{"b"}, {"s"}, {"f"}};
  TensorIndex w1 = w.parameter("w1", {{"h"}, {"f"}});
  TensorIndex up = w.saved("up", wide);
  w.op(described::matmul, "w1", {n2, w1}, {up});
  std::vector<TensorIndex> acted = {up};
  if (sizes.gated) {
    TensorIndex w3 = w.parameter("w3", {{"h"}, {"f"}});
    acted.push_back(w.saved("gate", wide));
    w.op(described::matmul, "w3", {n2, w3}, {acted.back()});
  }
  TensorIndex active = w.saved("active", wide);
  w.op(described::fused, "activation", acted, {active});
  TensorIndex w2 = w.parameter("w2", {{"f"}, {"i"}});
  TensorIndex down =
      w.tensor("down", {{"b"}, {"s"}, {"i"}}, TensorRole::Activation);
  w.op(described::matmul, "w2", {active, w2}, {down});
  TensorIndex out = w.tensor("out", hidden);
  residual("add2", y, down, out);
  w.block.outputs = {out};
  return w.block;
}

inline Block transformerEmbedding(const TransformerSizes &sizes) {
  BlockWriter w = transformerWriter(sizes, "embedding");
  TensorIndex table = w.parameter("table", {{"v"}, {"h"}});
  TensorIndex tokens = w.tensor("tokens", {{"b"}, {"s"}}, TensorRole::Batch,
                                false, ElementType::I32);
  TensorIndex out = w.tensor("out", {{"b"}, {"s"}, {"h"}});
  w.op(described::lookup, "table", {table, tokens}, {out});
  w.block.outputs = {out};
  return w.block;
}

inline Block transformerHead(const TransformerSizes &sizes) {
  BlockWriter w = transformerWriter(sizes, "head");
  TensorIndex x = w.saved("x", {{"b"}, {"s"}, {"h"}});
  w.block.inputs = {x};
  TensorIndex norm = w.parameter("norm", {{"h"}});
  TensorIndex n = w.saved("n", {{"b"}, {"s"}, {"h"}});
  w.op(described::fused, "norm", {x, norm}, {n}, {"h"});
  TensorIndex table = w.parameter("table", {{"v"}, {"h"}});
  TensorIndex logits = w.saved("logits", {{"b"}, {"s"}, {"v"}});
  w.op(described::matmul, "table", {n, table}, {logits});
  TensorIndex labels = w.tensor("labels", {{"b"}, {"s"}}, TensorRole::Batch,
                                false, ElementType::I32);
  TensorIndex loss =
      w.tensor("loss", {}, TensorRole::Activation, false, ElementType::F32);
  w.op(described::fused, "loss", {logits, labels}, {loss}, {"v"});
  return w.block;
}

/// Embedding, layers, head with the embedding's table if `tied`. Layers are one
/// and the same if `recurrent`.
inline Workload transformer(const TransformerSizes &sizes, bool tied = false,
                            bool recurrent = false) {
  Workload workload;
  workload.modelName = "transformer";
  workload.modelHash = "0123456789abcdef";
  workload.blocks = {transformerEmbedding(sizes), transformerLayer(sizes),
                     transformerHead(sizes)};
  auto names = [&](size_t block, const std::string &prefix) {
    std::vector<std::string> all;
    for (TensorIndex parameter : workload.blocks[block].parameters)
      all.push_back(prefix + workload.blocks[block].tensors[parameter].name);
    return all;
  };
  Segment layers{1, sizes.layers, {}};
  for (int64_t layer = 0; layer < sizes.layers; ++layer)
    layers.parameterNames.add(
        names(1, "layers." + std::to_string(recurrent ? 0 : layer) + "."));
  workload.segments = {
      {0, 1, {names(0, "")}}, layers, {2, 1, {names(2, tied ? "" : "head.")}}};
  workload.globalBatch = sizes.globalBatch;
  workload.sequenceLength = sizes.positions;
  workload.computeType = ElementType::BF16;
  return workload;
}

} // namespace shardsmith::workload

#endif // SHARDSMITH_TEST_UNIT_COST_TRANSFORMERMODEL_H

// SPDX-License-Identifier: Apache-2.0

#include "VerifyBlock.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace shardsmith::workload {
namespace {

/// Each method returns an empty string if all is well, else the sentence.
class BlockVerifier {
public:
  explicit BlockVerifier(const Block &block) : block(block) {}

  std::string run() {
    for (const Tensor &tensor : block.tensors)
      for (int64_t size : tensor.shape)
        if (size < 1)
          return error("tensor \"{}\" has a dimension of size {}: sizes are "
                       "positive",
                       tensor.name, size);
    if (std::string text = verifyBoundary(); !text.empty())
      return text;
    producedOrGiven.assign(block.tensors.size(), false);
    for (TensorIndex index : block.inputs)
      producedOrGiven[index] = true;
    for (size_t i = 0; i < block.tensors.size(); ++i)
      if (block.tensors[i].role != TensorRole::Activation)
        producedOrGiven[i] = true;
    for (const Op &op : block.ops)
      if (std::string text = verifyOp(op); !text.empty())
        return text;
    for (TensorIndex index : block.outputs)
      if (!producedOrGiven[index])
        return error("output \"{}\" is neither an input nor a result",
                     block.tensors[index].name);
    return "";
  }

private:
  template <typename... Args>
  std::string error(fmt::format_string<Args...> format, Args &&...args) {
    return fmt::format("block \"{}\": ", block.name) +
           fmt::format(format, std::forward<Args>(args)...);
  }

  template <typename... Args>
  std::string opError(const Op &op, fmt::format_string<Args...> format,
                      Args &&...args) {
    return error("{} \"{}\": {}", wordFor(op), op.name,
                 fmt::format(format, std::forward<Args>(args)...));
  }

  std::string verifyBoundary() {
    auto outOfRange = [&](const std::vector<TensorIndex> &list) {
      return std::any_of(list.begin(), list.end(), [&](TensorIndex index) {
        return index >= block.tensors.size();
      });
    };
    if (outOfRange(block.inputs) || outOfRange(block.outputs) ||
        outOfRange(block.parameters))
      return error("an input, output or parameter is a tensor that does not "
                   "exist");
    for (const auto *list : {&block.inputs, &block.outputs})
      for (TensorIndex index : *list)
        if (block.tensors[index].role != TensorRole::Activation)
          return error("\"{}\" goes from block to block but is no activation",
                       block.tensors[index].name);
    std::set<TensorIndex> inputs(block.inputs.begin(), block.inputs.end());
    if (inputs.size() != block.inputs.size())
      return error("a tensor is listed twice among the inputs");
    std::set<TensorIndex> listed(block.parameters.begin(),
                                 block.parameters.end());
    if (listed.size() != block.parameters.size())
      return error("a tensor is listed twice among the parameters");
    for (TensorIndex i = 0; i < block.tensors.size(); ++i) {
      bool isParameter = block.tensors[i].role == TensorRole::Parameter;
      if (isParameter && !listed.count(i))
        return error("parameter \"{}\" is not listed as one",
                     block.tensors[i].name);
      if (!isParameter && listed.count(i))
        return error("\"{}\" is listed as a parameter but has another role",
                     block.tensors[i].name);
    }
    return "";
  }

  std::string verifyOp(const Op &op) {
    std::set<std::string_view> names;
    for (const Factor &factor : op.factors) {
      if (factor.size < 1)
        return opError(op, "factor \"{}\" has size {}: sizes are positive",
                       factor.name, factor.size);
      if (factor.name.empty() || !names.insert(factor.name).second)
        return opError(op,
                       "factor names must be distinct and not empty, "
                       "found \"{}\" again",
                       factor.name);
    }
    std::vector<bool> inResult(op.factors.size());
    for (const TensorUse &use : op.operands) {
      if (std::string text = verifyUse(op, use); !text.empty())
        return text;
      if (!producedOrGiven[use.tensor])
        return opError(op, "operand \"{}\" is not produced before it is used",
                       block.tensors[use.tensor].name);
    }
    for (const TensorUse &use : op.results) {
      if (std::string text = verifyUse(op, use); !text.empty())
        return text;
      if (producedOrGiven[use.tensor])
        return opError(op,
                       "result \"{}\" has another producer or is no "
                       "activation of this block",
                       block.tensors[use.tensor].name);
      producedOrGiven[use.tensor] = true;
      for (const auto &dim : use.dims)
        for (FactorIndex factor : dim)
          inResult[factor] = true;
    }
    if (op.results.empty())
      return opError(op, "it has no result");
    for (size_t i = 0; i < op.factors.size(); ++i)
      if (!inResult[i] && op.factors[i].kind == FactorKind::PassThrough)
        return opError(op, "factor \"{}\" is in no result but passes through",
                       op.factors[i].name);
    for (const auto &set : op.linearOperandSets)
      for (unsigned operand : set)
        if (operand >= op.operands.size())
          return opError(op, "a linear set names operand {}, but there are {}",
                         operand, op.operands.size());
    if (op.flops < Flops(0))
      return opError(op, "it has a negative number of operations");
    return verifyDescriptors(op);
  }

  std::string verifyUse(const Op &op, const TensorUse &use) {
    if (use.tensor >= block.tensors.size())
      return opError(op, "it uses tensor {}, but there are {}", use.tensor,
                     block.tensors.size());
    const Tensor &tensor = block.tensors[use.tensor];
    if (use.dims.size() != tensor.shape.size())
      return opError(op, "\"{}\" has {} dimensions, but {} are mapped",
                     tensor.name, tensor.shape.size(), use.dims.size());
    std::vector<bool> seen(op.factors.size());
    for (size_t dim = 0; dim < use.dims.size(); ++dim) {
      int64_t product = 1;
      for (FactorIndex factor : use.dims[dim]) {
        if (factor >= op.factors.size())
          return opError(op, "\"{}\" uses factor {}, but there are {}",
                         tensor.name, factor, op.factors.size());
        const Factor &entry = op.factors[factor];
        if (seen[factor])
          return opError(op, "factor \"{}\" occurs twice in \"{}\"", entry.name,
                         tensor.name);
        seen[factor] = true;
        std::optional<int64_t> next = checkedMultiply(product, entry.size);
        if (!next || *next > tensor.shape[dim])
          return opError(op,
                         "the factors of dimension {} of \"{}\" exceed "
                         "its size {}",
                         dim, tensor.name, tensor.shape[dim]);
        product = *next;
      }
    }
    return "";
  }

  std::string verifyDescriptors(const Op &op) {
    if (op.count() > 1)
      return opError(op, "{} descriptors, expected at most one", op.count());
    if (op.attention)
      return verifyAttention(op);
    if (op.product && (op.operands.size() < 2 || op.results.size() != 1))
      return opError(op, "expected two operands and one result");
    bool hasExperts = op.isProductPerExpert() || op.exchange;
    if (hasExperts != (op.expertsPerToken > 0))
      return opError(op, "{} experts per token: expected {}",
                     op.expertsPerToken, hasExperts ? "one or more" : "0");
    bool hasRows = std::any_of(op.factors.begin(), op.factors.end(),
                               [](const Factor &factor) {
                                 return factor.kind == FactorKind::RowStatistic;
                               });
    if (hasRows && !op.isFused())
      return opError(op, "only fused ops have row statistics");
    if (op.rowStatistics < 0 || (op.rowStatistics > 0 && !hasRows))
      return opError(op, "{} row statistics, but no factor that needs them",
                     op.rowStatistics);
    return "";
  }

  std::string verifyAttention(const Op &op) {
    const AttentionParts &parts = *op.attention;
    if (op.operands.size() < 3)
      return opError(op, "expected operands q, k, v");
    for (size_t i = 1; i < op.results.size(); ++i)
      if (const Tensor &tensor = block.tensors[op.results[i].tensor];
          !tensor.insideAttention)
        return opError(op, "a second result, \"{}\", that is not inside it",
                       tensor.name);
    std::vector<FactorIndex> named = {parts.keyValueHeads, parts.queries,
                                      parts.keys, parts.headSize,
                                      parts.valueSize};
    if (parts.group)
      named.push_back(*parts.group);
    std::set<FactorIndex> distinct(named.begin(), named.end());
    if (distinct.size() != named.size())
      return opError(op, "one factor plays two parts in attention");
    if (*distinct.rbegin() >= op.factors.size())
      return opError(op, "factor {} is part of attention, but there are {}",
                     *distinct.rbegin(), op.factors.size());
    if (op.factors[parts.headSize].kind != FactorKind::Reduction)
      return opError(op, "the head size must be a reduction");
    return "";
  }

  const Block &block;
  /// By tensor.
  std::vector<bool> producedOrGiven;
};

} // namespace

std::string verifyBlock(const Block &block) {
  return BlockVerifier(block).run();
}

} // namespace shardsmith::workload

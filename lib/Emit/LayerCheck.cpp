// SPDX-License-Identifier: Apache-2.0
//
// Whether the layers of a plan are laid out as runtimes for transformers do.

#include "BlockRoles.h"
#include "RuntimeLayouts.h"

#include <algorithm>
#include <fmt/format.h>

namespace shardsmith::emit {

using namespace workload;

namespace {

/// Looks at the layers of a plan until something is in the way.
class LayerCheck {
public:
  LayerCheck(const LayoutRules &rules, const EmitInput &input)
      : rules(rules), input(input), ranks(input.strategy().tensor) {}

  std::optional<std::string> run() const {
    for (BlockIndex i = 0; i < input.workload.blocks.size(); ++i) {
      const Block &block = input.workload.blocks[i];
      const BlockLayout &layout = input.strategy().layouts[i];
      for (TensorIndex tensor : block.inputs)
        if (!isBetweenMatrices(block, layout, tensor))
          return "activations between layers that are split by features";
      if (!hasAttention(block))
        continue;
      for (OpIndex op = 0; op < block.ops.size(); ++op)
        if (auto problem = check(block, layout, op))
          return problem;
    }
    return std::nullopt;
  }

private:
  /// Whole, or split by positions where the runtime can.
  bool isBetweenMatrices(const Block &block, const BlockLayout &layout,
                         TensorIndex tensor) const {
    const TensorLayout &kept = layout.tensors[tensor];
    return kept.kind != TensorLayout::Kind::Split ||
           (rules.maySplitPositions &&
            countsPositions(block, tensor, kept.dim));
  }

  /// Some activation that comes in is split.
  static bool readsParts(const Block &block, const BlockLayout &layout,
                         const Op &op) {
    return std::ranges::any_of(op.operands, [&](const TensorUse &use) {
      return block.tensors[use.tensor].role == TensorRole::Activation &&
             layout.tensors[use.tensor].kind == TensorLayout::Kind::Split;
    });
  }

  /// Routers are small, and every rank has all of them.
  static bool isRouter(const Block &block, const Tensor &matrix) {
    return std::ranges::any_of(block.ops, [&](const Op &op) {
      return std::ranges::any_of(op.factors, [&](const Factor &factor) {
        return factor.role == FactorRole::Expert &&
               std::ranges::find(matrix.shape, factor.size) !=
                   matrix.shape.end();
      });
    });
  }

  std::optional<std::string>
  check(const Block &block, const BlockLayout &layout, OpIndex index) const {
    const Op &op = block.ops[index];
    std::optional<FactorIndex> factor = layout.ops[index].factor;
    if (op.attention) {
      if (factor != op.attention->keyValueHeads)
        return "attention that is not split by heads";
      if (op.factors[*factor].size % ranks)
        return fmt::format("{} heads of keys and values on {} ranks",
                           op.factors[*factor].size, ranks);
      return std::nullopt;
    }
    std::optional<unsigned> matrix = matrixOf(block, op);
    if (op.isFused() && !factor && readsParts(block, layout, op))
      return fmt::format("{} of all positions on every tensor rank", op.name);
    if (!op.isPlainProduct() || !matrix)
      return std::nullopt;
    const Tensor &weight = block.tensors[op.operands[*matrix].tensor];
    if (!factor || op.factors[*factor].role == FactorRole::Sequence) {
      if (isRouter(block, weight))
        return std::nullopt;
      return fmt::format("{} whole on every tensor rank", weight.name);
    }
    const Factor &split = op.factors[*factor];
    bool byRows = split.kind == FactorKind::Reduction;
    TensorIndex border =
        byRows ? op.results.front().tensor : op.operands[1 - *matrix].tensor;
    if (!isBetweenMatrices(block, layout, border))
      return fmt::format("{} split by {} next to another matrix that is",
                         weight.name, byRows ? "rows" : "columns");
    if (split.size % ranks)
      return fmt::format("{} split {} into {} parts", weight.name, split.size,
                         ranks);
    return std::nullopt;
  }

  const LayoutRules &rules;
  const EmitInput &input;
  int64_t ranks;
};

} // namespace

void requireLayouts(const LayoutRules &rules, const EmitInput &input,
                    Refusals &refusals) {
  if (input.strategy().tensor == 1)
    return;
  if (auto problem = LayerCheck(rules, input).run())
    refusals.add("the layout of layers: " + *problem, "tp=1");
}

} // namespace shardsmith::emit

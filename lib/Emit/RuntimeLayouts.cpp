// SPDX-License-Identifier: Apache-2.0

#include "RuntimeLayouts.h"

#include "shardsmith/Cost/Units/BlockShapes.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace shardsmith::emit {

using namespace workload;

bool hasRole(const Block &block, TensorIndex tensor, unsigned dim,
             FactorRole role) {
  auto counts = [&](const Op &op, const TensorUse &use) {
    return use.tensor == tensor && dim < use.dims.size() &&
           std::ranges::any_of(
               use.dims[dim],
               [&](FactorIndex factor) {
                 return op.factors[factor].role == role;
               });
  };
  return std::ranges::any_of(block.ops, [&](const Op &op) {
    auto in = [&](const TensorUse &use) { return counts(op, use); };
    return std::ranges::any_of(op.operands, in) ||
           std::ranges::any_of(op.results, in);
  });
}

namespace {

bool countsPositions(const Block &block, TensorIndex tensor, unsigned dim) {
  return hasRole(block, tensor, dim, FactorRole::Sequence);
}

/// The operand of the op that is a trained matrix, if there is one.
std::optional<unsigned> matrixOf(const Block &block, const Op &op) {
  for (unsigned i = 0; i < op.operands.size(); ++i)
    if (block.tensors[op.operands[i].tensor].role == TensorRole::Parameter)
      return i;
  return std::nullopt;
}

/// The op of these that has the largest matrix.
template <typename Predicate>
std::optional<OpIndex> largest(const Block &block, Predicate isMeant) {
  std::optional<OpIndex> found;
  int64_t elements = 0;
  for (OpIndex index = 0; index < block.ops.size(); ++index) {
    const Op &op = block.ops[index];
    std::optional<unsigned> matrix = matrixOf(block, op);
    if (!matrix || !isMeant(op))
      continue;
    int64_t count = block.tensors[op.operands[*matrix].tensor].elementCount();
    if (count > elements) {
      found = index;
      elements = count;
    }
  }
  return found;
}

/// The largest factor of that kind in the op's matrix.
std::optional<FactorIndex> factorOf(const Op &op, unsigned matrix,
                                    FactorKind kind) {
  std::optional<FactorIndex> found;
  for (const std::vector<FactorIndex> &dim : op.operands[matrix].dims)
    for (FactorIndex factor : dim)
      if (op.factors[factor].kind == kind &&
          (!found || op.factors[factor].size > op.factors[*found].size))
        found = factor;
  return found;
}

/// Changes the layout of one block until the rules hold.
class BlockAdapter {
public:
  BlockAdapter(const LayoutRules &rules, const Block &block,
               const UnitSetting &setting, BlockLayout &layout)
      : rules(rules), block(block), shapes(block, setting), layout(layout) {}

  void keepPositionsWhole() {
    for (OpIndex op = 0; op < block.ops.size(); ++op)
      if (std::optional<FactorIndex> factor = layout.ops[op].factor)
        if (block.ops[op].factors[*factor].role == FactorRole::Sequence)
          layout.ops[op] = {};
    for (TensorIndex tensor = 0; tensor < block.tensors.size(); ++tensor)
      if (isSplitByPositions(tensor))
        layout.tensors[tensor] = TensorLayout::whole();
  }

  void adaptEmbedding() {
    std::optional<OpIndex> table =
        largest(block, [](const Op &op) { return op.kind == OpKind::Lookup; });
    if (!table)
      return;
    for (OpIndex op = 0; op < block.ops.size(); ++op)
      layout.ops[op] = {};
    if (rules.table == LayoutRules::Table::Rows)
      split(*table,
            factorOf(block.ops[*table], *matrixOf(block, block.ops[*table]),
                     FactorKind::Reduction));
    for (TensorIndex tensor = 0; tensor < block.tensors.size(); ++tensor)
      if (isActivation(tensor) && !isOutput(tensor))
        layout.tensors[tensor] = TensorLayout::whole();
  }

  void adaptHead() {
    std::optional<OpIndex> head =
        largest(block, [](const Op &op) { return op.kind == OpKind::Matmul; });
    if (!head)
      return;
    bool byPositions =
        std::ranges::any_of(block.inputs, [&](TensorIndex input) {
          return isSplitByPositions(input);
        });
    for (OpIndex op = 0; op < *head; ++op)
      followInputs(op, byPositions);
    const Op &op = block.ops[*head];
    std::optional<FactorIndex> columns =
        factorOf(op, *matrixOf(block, op), FactorKind::PassThrough);
    split(*head,
          rules.head == LayoutRules::Head::Whole ? std::nullopt : columns);
    bool inParts = rules.head == LayoutRules::Head::Columns && columns;
    for (const TensorUse &result : op.results)
      keep(result, inParts ? columns : std::nullopt);
    for (OpIndex next = *head + 1; next < block.ops.size(); ++next)
      followResults(next);
  }

  /// Parameters are held as they are read.
  void adaptParameters() {
    for (TensorIndex tensor : block.parameters) {
      ReadingSet readings;
      for (OpIndex op = 0; op < block.ops.size(); ++op)
        for (unsigned i = 0; i < block.ops[op].operands.size(); ++i)
          if (block.ops[op].operands[i].tensor == tensor)
            readings.insert(shapes.reading(op, layout.ops[op], i));
      layout.tensors[tensor] = BlockShapes::parameterLayout(readings);
    }
  }

private:
  bool isActivation(TensorIndex tensor) const {
    return block.tensors[tensor].role == TensorRole::Activation;
  }
  bool isOutput(TensorIndex tensor) const {
    return std::ranges::find(block.outputs, tensor) != block.outputs.end();
  }
  bool isSplitByPositions(TensorIndex tensor) const {
    const TensorLayout &kept = layout.tensors[tensor];
    return kept.kind == TensorLayout::Kind::Split && isActivation(tensor) &&
           countsPositions(block, tensor, kept.dim);
  }

  /// Where the op cannot be split so it is not split.
  void split(OpIndex op, std::optional<FactorIndex> factor) {
    std::vector<OpSplit> possible = shapes.splits(op);
    OpSplit wanted{factor};
    bool can = std::ranges::find(possible, wanted) != possible.end();
    layout.ops[op] = can ? wanted : OpSplit();
  }

  /// The result stays split by `factor` where it has it.
  void keep(const TensorUse &result, std::optional<FactorIndex> factor) {
    TensorLayout wanted = TensorLayout::whole();
    if (factor)
      for (unsigned dim = 0; dim < result.dims.size(); ++dim)
        if (std::ranges::find(result.dims[dim], *factor) !=
            result.dims[dim].end())
          wanted = TensorLayout::split(dim);
    layout.tensors[result.tensor] = wanted;
  }

  /// An op before the head works on the positions that its rank has, or on
  /// all.
  void followInputs(OpIndex index, bool byPositions) {
    const Op &op = block.ops[index];
    std::optional<FactorIndex> positions;
    for (FactorIndex i = 0; byPositions && i < op.factors.size(); ++i)
      if (op.factors[i].role == FactorRole::Sequence)
        positions = i;
    split(index, positions);
    for (const TensorUse &result : op.results)
      keep(result, layout.ops[index].factor);
  }

  /// An op behind the head splits what its operands are split by.
  void followResults(OpIndex index) {
    const Op &op = block.ops[index];
    std::optional<FactorIndex> found;
    for (const TensorUse &operand : op.operands) {
      const TensorLayout &kept = layout.tensors[operand.tensor];
      if (isActivation(operand.tensor) &&
          kept.kind == TensorLayout::Kind::Split &&
          kept.dim < operand.dims.size() && !operand.dims[kept.dim].empty())
        found = operand.dims[kept.dim].front();
    }
    split(index, found);
    for (const TensorUse &result : op.results)
      if (!isOutput(result.tensor))
        keep(result, layout.ops[index].factor);
  }

  const LayoutRules &rules;
  const Block &block;
  BlockShapes shapes;
  BlockLayout &layout;
};

UnitSetting settingOf(const Strategy &strategy) {
  UnitSetting setting;
  setting.microBatch = strategy.microBatch;
  setting.tensor = strategy.tensor;
  setting.context = strategy.context;
  setting.expert = strategy.expert;
  setting.contextMethod = strategy.contextMethod;
  return setting;
}

/// A layout in words: `whole`, `split by dimension 1`, `… of [101, 40]`.
std::string describe(const TensorLayout &layout,
                     const Tensor *tensor = nullptr) {
  if (layout.kind != TensorLayout::Kind::Split)
    return "whole";
  std::string text = fmt::format("split by dimension {}", layout.dim);
  if (tensor)
    text += fmt::format(" of [{}]", fmt::join(tensor->shape, ", "));
  return text;
}

} // namespace

Strategy withLayoutsOf(const LayoutRules &rules, const EmitInput &input) {
  Strategy strategy = input.strategy();
  if (strategy.tensor == 1)
    return strategy;
  bool isBehindLayers = false;
  std::vector<bool> done(input.workload.blocks.size());
  for (const Segment &segment : input.workload.segments) {
    const Block &block = input.workload.blocks[segment.block];
    isBehindLayers |= hasAttention(block);
    if (done[segment.block])
      continue;
    done[segment.block] = true;
    BlockAdapter adapter(rules, block, settingOf(strategy),
                         strategy.layouts[segment.block]);
    if (!rules.maySplitPositions || !splitsPositions(input))
      adapter.keepPositionsWhole();
    if (!hasAttention(block) && isBehindLayers)
      adapter.adaptHead();
    else if (!hasAttention(block))
      adapter.adaptEmbedding();
    adapter.adaptParameters();
  }
  return strategy;
}

Strategy withRecomputeInLayersOnly(Strategy strategy,
                                   const Transformer &chain) {
  for (Stage &stage : strategy.stages)
    for (int64_t unit = stage.begin; unit < stage.end; ++unit)
      if (!chain.isLayer(unit))
        stage.recompute[size_t(unit - stage.begin)] = Recompute::None;
  return strategy;
}

std::vector<Change> describeLayoutChanges(const Workload &workload,
                                          const PlanDocument &document,
                                          const Strategy &before,
                                          const Strategy &after) {
  std::vector<Change> changes;
  for (BlockIndex i = 0; i < workload.blocks.size(); ++i) {
    const Block &block = workload.blocks[i];
    if (before.layouts[i] == after.layouts[i])
      continue;
    size_t found = changes.size();
    for (size_t position = 0; position < block.parameters.size(); ++position) {
      TensorIndex tensor = block.parameters[position];
      const TensorLayout &old = before.layouts[i].tensors[tensor];
      const TensorLayout &now = after.layouts[i].tensors[tensor];
      const std::string &name =
          document.layouts[i].parameters[position].names.front();
      if (old != now)
        changes.push_back(
            {fmt::format("{} {}", name, describe(old, &block.tensors[tensor])),
             describe(now)});
    }
    if (changes.size() > found)
      continue;
    if (hasAttention(block))
      changes.push_back({"activations between the matrices of layers split by "
                         "positions",
                         "whole"});
    else
      changes.push_back({fmt::format("the activations of block \"{}\" as they "
                                     "are",
                                     block.name),
                         "otherwise split over the tensor axis"});
  }
  return changes;
}

namespace {

/// Elements of the dimensions right before `dim` that the op reads or makes as
/// `dim` is read or made: outputs, or what is summed over.
int64_t partsBefore(const TensorUse &use, const Op &op, unsigned dim) {
  auto kindOf = [&](unsigned at) {
    return use.dims[at].empty() ? FactorKind::PassThrough
                                : op.factors[use.dims[at].front()].kind;
  };
  int64_t parts = 1;
  for (unsigned at = dim; at > 0 && kindOf(at - 1) == kindOf(dim); --at)
    for (FactorIndex factor : use.dims[at - 1])
      parts *= op.factors[factor].size;
  return parts;
}

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
    if (op.kind == OpKind::Fused && !factor && readsParts(block, layout, op))
      return fmt::format("{} of all positions on every tensor rank", op.name);
    if (op.kind != OpKind::Matmul || !matrix)
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

std::vector<SplitMatrix> splitMatrices(const EmitInput &input) {
  std::vector<SplitMatrix> found;
  for (BlockIndex i = 0; i < input.workload.blocks.size(); ++i) {
    const Block &block = input.workload.blocks[i];
    const BlockLayout &layout = input.strategy().layouts[i];
    for (OpIndex index = 0; index < block.ops.size(); ++index) {
      const Op &op = block.ops[index];
      std::optional<unsigned> operand = matrixOf(block, op);
      std::optional<FactorIndex> factor = layout.ops[index].factor;
      if (op.kind != OpKind::Matmul || !operand || !factor)
        continue;
      TensorIndex matrix = op.operands[*operand].tensor;
      const TensorLayout &kept = layout.tensors[matrix];
      if (kept.kind != TensorLayout::Kind::Split)
        continue;
      auto position = std::ranges::find(block.parameters, matrix);
      const NamedLayout::ParameterEntry &entry =
          input.document.layouts[i]
              .parameters[size_t(position - block.parameters.begin())];
      bool byRows = op.factors[*factor].kind == FactorKind::Reduction;
      found.push_back({entry.names, byRows, hasAttention(block),
                       partsBefore(op.operands[*operand], op, kept.dim)});
    }
  }
  return found;
}

void requireLayouts(const LayoutRules &rules, const EmitInput &input,
                    Refusals &refusals) {
  if (input.strategy().tensor == 1)
    return;
  if (auto problem = LayerCheck(rules, input).run())
    refusals.add("the layout of layers: " + *problem, "tp=1");
}

} // namespace shardsmith::emit

// SPDX-License-Identifier: Apache-2.0

#include "Axes.h"
#include "Legality.h"
#include "LocalBlock.h"

#include <algorithm>

namespace shardsmith::check {
namespace {

using namespace workload;

/// The factor of a dimension that slicing the dimension slices: the outermost
/// that is not the batch, which is cut in time, nor a single element.
std::optional<FactorIndex> outermost(const Op &op,
                                     const std::vector<FactorIndex> &dim) {
  for (FactorIndex factor : dim)
    if (op.factors[factor].size > 1 &&
        op.factors[factor].role != FactorRole::Batch)
      return factor;
  return std::nullopt;
}

class LayoutCheck {
public:
  LayoutCheck(const Block &block, const BlockLayout &layout,
              const Strategy &strategy, std::string where, Findings &findings)
      : block(block), layout(layout), strategy(strategy),
        local(block, layout, strategy), where(std::move(where)),
        findings(findings) {}

  void run() {
    for (size_t op = 0; op < block.ops.size(); ++op)
      if (const auto &factor = layout.ops[op].factor)
        checkSplit(op, *factor);
    for (TensorIndex tensor = 0; tensor < block.tensors.size(); ++tensor)
      checkTensor(tensor);
  }

private:
  void checkSplit(size_t index, FactorIndex factor) {
    const Op &op = block.ops[index];
    const Factor &split = op.factors[factor];
    std::string item = fmt::format("{}/ops/{}", where, index);
    if (strategy.tensor == 1)
      findings.broken(item, "splits '{}' over a tensor axis of one rank",
                      split.name);
    if (split.role == FactorRole::Batch || split.role == FactorRole::Expert)
      findings.broken(item, "'{}' belongs to other axes", split.name);
    bool divisible = split.kind == FactorKind::PassThrough ||
                     (split.kind == FactorKind::Reduction && !op.attention) ||
                     (split.kind == FactorKind::RowStatistic && op.isFused());
    if (!divisible || (op.attention && factor == op.attention->keys))
      findings.broken(item, "'{}' needs all of '{}' on every rank", op.name,
                      split.name);
    int64_t before =
        split.role == FactorRole::Expert
            ? split.size
            : ceilDivide(split.size, ranksSplitting(split.role, strategy));
    if (before < strategy.tensor)
      findings.broken(item, "{} elements of '{}' cannot be split over {} ranks",
                      before, split.name, strategy.tensor);
    auto checkUse = [&](const TensorUse &use) {
      std::optional<unsigned> dim = dimensionOf(use, factor);
      if (dim && outermost(op, use.dims[*dim]) != factor)
        findings.broken(item,
                        "'{}' is not the outermost factor of dimension {} of "
                        "'{}', so its parts are no slices",
                        split.name, *dim, block.tensors[use.tensor].name);
    };
    for (const TensorUse &use : op.operands)
      checkUse(use);
    for (const TensorUse &use : op.results)
      checkUse(use);
  }

  void checkTensor(TensorIndex index) {
    const Tensor &tensor = block.tensors[index];
    const TensorLayout &kept = layout.tensors[index];
    std::string item = fmt::format("{} tensor '{}'", where, tensor.name);
    if (kept.kind == TensorLayout::Kind::Partial) {
      findings.broken(item, "is kept as terms of a sum");
      return;
    }
    if (kept.kind == TensorLayout::Kind::Whole)
      return;
    if (kept.dim >= tensor.shape.size()) {
      findings.broken(item, "has no dimension {}", kept.dim);
      return;
    }
    if (tensor.role != TensorRole::Activation &&
        tensor.role != TensorRole::Parameter)
      findings.broken(item, "is not a tensor that the tensor axis splits");
    if (local.length(index, kept.dim) < strategy.tensor)
      findings.broken(item,
                      "dimension {} of {} elements cannot be split over {} "
                      "ranks",
                      kept.dim, local.length(index, kept.dim), strategy.tensor);
    if (!isSliceable(index, kept.dim))
      findings.broken(item, "dimension {} belongs to other axes", kept.dim);
  }

  /// Some op sees a factor there that the tensor axis may have; where no op
  /// looks, everything but the batch is free.
  bool isSliceable(TensorIndex tensor, unsigned dim) const {
    bool seen = false;
    auto mayHave = [&](const Op &op, const TensorUse &use) {
      if (use.tensor != tensor || dim >= use.dims.size())
        return false;
      seen = true;
      std::optional<FactorIndex> factor = outermost(op, use.dims[dim]);
      return factor && op.factors[*factor].role != FactorRole::Expert;
    };
    for (const Op &op : block.ops) {
      for (const TensorUse &use : op.operands)
        if (mayHave(op, use))
          return true;
      for (const TensorUse &use : op.results)
        if (mayHave(op, use))
          return true;
    }
    return !seen && dim > 0;
  }

  const Block &block;
  const BlockLayout &layout;
  const Strategy &strategy;
  LocalBlock local;
  std::string where;
  Findings &findings;
};

/// A parameter is held as its readers want it if they agree, else by everybody.
/// Everybody may hold it in any case: files of some runtimes say no other way.
void checkParameters(const Block &block, const LocalBlock &local,
                     const std::string &where, Findings &findings) {
  for (TensorIndex tensor : block.parameters) {
    std::set<Form> wanted = local.wanted(tensor);
    Form expected = wanted.size() == 1 ? *wanted.begin() : Form::copy();
    Form kept = local.kept(tensor);
    if (kept == expected || kept == Form::copy())
      continue;
    findings.broken(
        fmt::format("{} parameter '{}'", where, block.tensors[tensor].name),
        "is not held as the ops read it");
  }
}

} // namespace

void checkLayouts(const Workload &workload, const Strategy &strategy,
                  Findings &findings) {
  for (size_t i = 0; i < workload.blocks.size(); ++i) {
    const Block &block = workload.blocks[i];
    std::string where = fmt::format("/layouts/blocks/{}", i);
    LayoutCheck(block, strategy.layouts[i], strategy, where, findings).run();
    checkParameters(block, LocalBlock(block, strategy.layouts[i], strategy),
                    where, findings);
  }
  // What one unit hands over, the next one takes as it is.
  auto meet = [&](BlockIndex from, BlockIndex to) {
    const Block &before = workload.blocks[from], &behind = workload.blocks[to];
    for (size_t i = 0; i < behind.inputs.size(); ++i) {
      const TensorLayout &given =
          strategy.layouts[from].tensors[before.outputs[i]];
      const TensorLayout &taken =
          strategy.layouts[to].tensors[behind.inputs[i]];
      if (given != taken)
        findings.broken(fmt::format("/layouts/blocks/{}", to),
                        "takes '{}' in another layout than block '{}' hands "
                        "it over in",
                        behind.tensors[behind.inputs[i]].name, before.name);
    }
  };
  for (size_t i = 0; i < workload.segments.size(); ++i) {
    const Segment &segment = workload.segments[i];
    if (segment.count > 1)
      meet(segment.block, segment.block);
    if (i + 1 < workload.segments.size())
      meet(segment.block, workload.segments[i + 1].block);
  }
}

} // namespace shardsmith::check

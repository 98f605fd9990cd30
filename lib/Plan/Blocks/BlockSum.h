// SPDX-License-Identifier: Apache-2.0
//
// The costs of a block as a sum of tables over its decisions
// (BlockVariables.h), summed up.
//
// `Costs` is that of a `TableSum`, with `countsMemory` and
// `offer(entry, priceOn, decision)`, which makes the entry the best of itself
// and what the decision costs: `priceOn(model)`, on a kind of device. That is
// saturated where the op cannot run so.

#ifndef SHARDSMITH_LIB_PLAN_BLOCKS_BLOCKSUM_H
#define SHARDSMITH_LIB_PLAN_BLOCKS_BLOCKSUM_H

#include "Decisions.h"
#include "LimitedScopes.h"
#include "TableSum.h"

#include <algorithm>

namespace shardsmith::blocks {

template <typename Costs> class BlockSum {
public:
  /// With `repeatable` outputs have the layouts of the inputs. With limits the
  /// sum of a block that is beyond them is a bound.
  BlockSum(const UnitCostModel &model, Costs &costs, bool repeatable,
           ReadingSets sets, const SumLimits *limits = nullptr)
      : model(model), costs(costs), sum(costs),
        blockVariables(model.block(), model.shapes(), repeatable, sets,
                       sum.variables()) {
    for (workload::OpIndex op = 0; op < model.block().ops.size(); ++op)
      addOp(op);
    workload::TensorIndex tensors = model.block().tensors.size();
    for (workload::TensorIndex tensor = 0; tensor < tensors; ++tensor) {
      if (!blockVariables.hasLayout(tensor))
        continue;
      addTensor(tensor);
      for (const BlockVariables::Reader &reader :
           blockVariables.readersOf(tensor))
        addReader(tensor, reader);
    }
    kept = blockVariables.borders();
    if (limits)
      kept = limitResults(sum.variables(), kept, *limits);
    sum.eliminateAllBut(kept);
  }

  /// Calls `visit(entry)` for all layouts of inputs and outputs together; for
  /// a bound maybe once.
  template <typename Visit> void visitBorders(Visit visit) {
    bool areKept = kept == blockVariables.borders();
    eachValue(kept, [&](const Values &values) {
      if (!areKept || blockVariables.isPossible(values))
        visit(sum.total(values));
    });
  }

  /// See TableSum.h.
  auto completions() { return sum.completions(kept); }

  const BlockVariables &variables() const { return blockVariables; }

private:
  template <typename Visit>
  void eachValue(const std::vector<Variable> &scope, Visit visit) {
    sum.variables().eachValue(scope, visit);
  }

  void addOp(workload::OpIndex op) {
    size_t table = sum.addTable({Variable(op)});
    eachValue({Variable(op)}, [&](const Values &values) {
      OpSplit split = blockVariables.splits(op)[values[op]];
      auto priceOn = [&](const UnitCostModel &kind) -> const UnitCosts & {
        return kind.op(op, split);
      };
      costs.offer(sum.entry(table, values), priceOn,
                  Decision::split(op, values[op]));
    });
  }

  void addReader(workload::TensorIndex tensor,
                 const BlockVariables::Reader &reader) {
    size_t table = sum.addTable(reader.scope());
    eachValue(reader.scope(), [&](const Values &values) {
      if (blockVariables.finds(tensor, reader, values))
        sum.entry(table, values) = costs.nothing();
    });
  }

  void addTensor(workload::TensorIndex tensor) {
    std::vector<Variable> scope = blockVariables.scopeOf(tensor);
    size_t table = sum.addTable(scope);
    eachValue(scope, [&](const Values &values) {
      BlockVariables::Use use = blockVariables.useOf(tensor, values);
      typename Costs::Entry &entry = sum.entry(table, values);
      if (use.kept)
        offer(entry, tensor, use, *use.kept);
      else
        for (TensorLayout kept : blockVariables.layouts(tensor))
          offer(entry, tensor, use, kept);
    });
  }

  /// Offers what it costs to make the tensor, keep it in `kept`, and read it.
  void offer(Costs::Entry &entry, workload::TensorIndex tensor,
             const BlockVariables::Use &use, TensorLayout kept) {
    auto priceOn = [&](const UnitCostModel &kind) {
      UnitCosts price = kind.read(tensor, kept, use.readings);
      if constexpr (Costs::countsMemory)
        price += kind.hold(tensor, kept);
      if (use.from)
        price += kind.store(tensor, *use.from, kept);
      return price;
    };
    const std::vector<TensorLayout> &layouts = blockVariables.layouts(tensor);
    auto value = std::ranges::find(layouts, kept) - layouts.begin();
    costs.offer(entry, priceOn, Decision::kept(tensor, uint32_t(value)));
  }

  const UnitCostModel &model;
  Costs &costs;
  TableSum<Costs> sum;
  BlockVariables blockVariables;
  std::vector<Variable> kept;
};

} // namespace shardsmith::blocks

#endif // SHARDSMITH_LIB_PLAN_BLOCKS_BLOCKSUM_H

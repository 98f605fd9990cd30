// SPDX-License-Identifier: Apache-2.0
//
// The sum of tables of a block (BlockSum.h) without its numbers: which tables
// there are, where their entries get them from, and the order in which
// variables are eliminated. Settings that allow the same splits share it, so
// that thousands of settings of a block are only filled in and added up:
//
//     entries    | op 0 | op 1 | … | tensor 0 | … | first result | …
//     step       for each entry of the result: the best over the values of a
//                variable of the sum of one entry of each part
//
// Fit for numbers of which the best are found one by one; not for fronts.

#ifndef SHARDSMITH_LIB_PLAN_BLOCKS_BLOCKOUTLINE_H
#define SHARDSMITH_LIB_PLAN_BLOCKS_BLOCKOUTLINE_H

#include "shardsmith/Cost/Units/UnitCosts.h"
#include "shardsmith/Plan/Blocks/SumLimits.h"

#include <optional>
#include <vector>

namespace shardsmith::blocks {

class BlockOutline {
public:
  /// The outline refers to none of its arguments afterwards. If the block is
  /// beyond the limits, all numbers are bounds: no layout has less.
  BlockOutline(const workload::Block &block, const BlockShapes &shapes,
               bool repeatable, const SumLimits &limits = {});

  /// What is known of layouts without what sees experts (`BlockPart`): the best
  /// if the rest were free, and what the rest is added to.
  template <typename Number> struct Common {
    Number best;
    std::vector<Number> entries;
  };

  /// A `Number` is made of the costs of a part of a layout; by default it is
  /// "impossible". `a.add(b)` adds up, and `a.takeLess(b, c, …)` makes `a` the
  /// best of itself and the sum of the others. The same for settings that
  /// differ in the expert axis alone.
  template <typename Number>
  Common<Number> commonOf(const UnitCostModel &model) const;
  /// The best of all layouts. `common`: of such a setting.
  template <typename Number>
  Number bestOf(const UnitCostModel &model, const Common<Number> &common) const;

private:
  class Builder;

  /// One entry for each split of an op, one after the other.
  struct OpEntry {
    workload::OpIndex op;
    OpSplit split;
    BlockPart part;
  };
  /// What may become of one tensor: it is made in one of the layouts `from`,
  /// kept in one of `kept`, and read in one of the sets `readings`.
  struct TensorEntries {
    workload::TensorIndex tensor;
    BlockPart part;
    /// The layouts that the tensor may be made in; a single empty one if no op
    /// makes it.
    std::vector<std::optional<TensorLayout>> from;
    std::vector<TensorLayout> kept;
    std::vector<ReadingSet> readings;
    struct Cell {
      size_t from, keptBegin, keptEnd, readings;
      bool operator==(const Cell &) const = default;
    };
    std::vector<Cell> cells;
    /// For each entry of the tensor's table, from entry `begin` on, its cell.
    std::vector<size_t> cellOf;
    size_t begin;
  };
  /// The entries of a table that go into the entries of a result, one for each
  /// value of the variable that is eliminated.
  struct Part {
    /// For each entry of the result the entry of the table at the value 0.
    std::vector<size_t> entries;
    size_t perValue;
  };
  struct Step {
    size_t begin, values;
    /// Common if all it adds up is.
    BlockPart part;
    std::vector<Part> parts;
    size_t size() const { return parts.front().entries.size(); }
  };

  /// Costs of making, holding and reading a tensor, by layout. The vectors are
  /// used again from tensor to tensor.
  template <typename Number> struct TensorNumbers {
    std::vector<Number> stores, holds, reads, cells;
  };
  template <typename Number>
  void fill(const UnitCostModel &model, const TensorEntries &tensor,
            TensorNumbers<Number> &scratch, std::vector<Number> &numbers) const;
  /// Prices of ops and tensors of that part; or none for any of their splits.
  template <typename Number>
  void fill(const UnitCostModel &model, BlockPart part,
            std::vector<Number> &numbers) const;
  template <typename Number>
  void fillFree(BlockPart part, std::vector<Number> &numbers) const;
  template <typename Number>
  Number bestOfBorders(const std::vector<Number> &numbers) const;
  template <typename Number>
  static void run(const Step &step, std::vector<Number> &numbers);

  size_t entryCount = 0;
  bool seesExperts = false;
  std::vector<OpEntry> ops;
  std::vector<TensorEntries> tensors;
  /// Entries that are possible and cost nothing.
  std::vector<size_t> free;
  std::vector<Step> steps;
  /// For each combination of layouts at the borders the entries whose sum is
  /// its number.
  std::vector<std::vector<size_t>> borders;
  /// Common ones that steps of the other part, or borders, add up.
  std::vector<size_t> commonEntries;
};

template <typename Number>
void BlockOutline::fill(const UnitCostModel &model, const TensorEntries &tensor,
                        TensorNumbers<Number> &scratch,
                        std::vector<Number> &numbers) const {
  size_t keptCount = tensor.kept.size();
  auto &[stores, holds, reads, cells] = scratch;
  stores.clear();
  holds.clear();
  reads.clear();
  for (const std::optional<TensorLayout> &from : tensor.from)
    for (TensorLayout kept : tensor.kept)
      stores.push_back(
          Number(from ? model.store(tensor.tensor, *from, kept) : UnitCosts()));
  for (TensorLayout kept : tensor.kept)
    holds.push_back(Number(model.hold(tensor.tensor, kept)));
  for (ReadingSet readings : tensor.readings)
    for (size_t kept = 0; kept < keptCount; ++kept) {
      reads.push_back(
          Number(model.read(tensor.tensor, tensor.kept[kept], readings)));
      reads.back().add(holds[kept]);
    }
  cells.assign(tensor.cells.size(), Number());
  for (size_t i = 0; i < cells.size(); ++i) {
    const TensorEntries::Cell &cell = tensor.cells[i];
    for (size_t kept = cell.keptBegin; kept < cell.keptEnd; ++kept)
      cells[i].takeLess(stores[cell.from * keptCount + kept],
                        reads[cell.readings * keptCount + kept]);
  }
  for (size_t i = 0; i < tensor.cellOf.size(); ++i)
    numbers[tensor.begin + i] = cells[tensor.cellOf[i]];
}

template <typename Number>
void BlockOutline::run(const Step &step, std::vector<Number> &numbers) {
  for (size_t entry = 0; entry < step.size(); ++entry) {
    Number best;
    for (size_t value = 0; value < step.values; ++value) {
      auto of = [&](size_t index) -> const Number & {
        const Part &part = step.parts[index];
        return numbers[part.entries[entry] + value * part.perValue];
      };
      // All but a few steps add up two to four.
      switch (step.parts.size()) {
      case 1:
        best.takeLess(of(0));
        break;
      case 2:
        best.takeLess(of(0), of(1));
        break;
      case 3:
        best.takeLess(of(0), of(1), of(2));
        break;
      case 4:
        best.takeLess(of(0), of(1), of(2), of(3));
        break;
      default:
        Number sum = of(3);
        for (size_t part = 4; part < step.parts.size(); ++part)
          sum.add(of(part));
        best.takeLess(of(0), of(1), of(2), sum);
      }
    }
    numbers[step.begin + entry] = best;
  }
}

template <typename Number>
void BlockOutline::fill(const UnitCostModel &model, BlockPart part,
                        std::vector<Number> &numbers) const {
  for (size_t i = 0; i < ops.size(); ++i) {
    if (ops[i].part != part)
      continue;
    const UnitCosts &costs = model.op(ops[i].op, ops[i].split);
    if (!costs.forward.isSaturated())
      numbers[i] = Number(costs);
  }
  TensorNumbers<Number> scratch;
  for (const TensorEntries &tensor : tensors)
    if (tensor.part == part)
      fill(model, tensor, scratch, numbers);
  for (size_t entry : free)
    numbers[entry] = Number(UnitCosts());
}

template <typename Number>
void BlockOutline::fillFree(BlockPart part,
                            std::vector<Number> &numbers) const {
  const Number nothing{UnitCosts()};
  for (size_t i = 0; i < ops.size(); ++i)
    if (ops[i].part == part)
      numbers[i] = nothing;
  for (const TensorEntries &tensor : tensors)
    if (tensor.part == part)
      for (size_t i = 0; i < tensor.cellOf.size(); ++i)
        numbers[tensor.begin + i] = nothing;
}

template <typename Number>
Number BlockOutline::bestOfBorders(const std::vector<Number> &numbers) const {
  Number best;
  for (const std::vector<size_t> &entries : borders) {
    Number sum{UnitCosts()};
    for (size_t entry : entries)
      sum.add(numbers[entry]);
    best.takeLess(sum);
  }
  return best;
}

template <typename Number>
BlockOutline::Common<Number>
BlockOutline::commonOf(const UnitCostModel &model) const {
  std::vector<Number> numbers(entryCount);
  fill(model, BlockPart::Common, numbers);
  fillFree(BlockPart::Experts, numbers);
  for (const Step &step : steps)
    run(step, numbers);
  Common<Number> common;
  common.best = bestOfBorders(numbers);
  // Only what sees experts is added to them.
  if (seesExperts)
    for (size_t entry : commonEntries)
      common.entries.push_back(numbers[entry]);
  return common;
}

template <typename Number>
Number BlockOutline::bestOf(const UnitCostModel &model,
                            const Common<Number> &common) const {
  if (!seesExperts)
    return common.best;
  std::vector<Number> numbers(entryCount);
  fill(model, BlockPart::Experts, numbers);
  for (size_t i = 0; i < commonEntries.size(); ++i)
    numbers[commonEntries[i]] = common.entries[i];
  for (const Step &step : steps)
    if (step.part == BlockPart::Experts)
      run(step, numbers);
  return bestOfBorders(numbers);
}

} // namespace shardsmith::blocks

#endif // SHARDSMITH_LIB_PLAN_BLOCKS_BLOCKOUTLINE_H

// SPDX-License-Identifier: Apache-2.0

#include "BlockOutline.h"
#include "LimitedScopes.h"

#include <algorithm>

namespace shardsmith::blocks {

using namespace workload;

namespace {

/// The place of `value` in `values`, at the end if it is new.
template <typename Value>
size_t placeIn(std::vector<Value> &values, const Value &value) {
  auto place = std::ranges::find(values, value);
  if (place == values.end())
    place = values.insert(place, value);
  return size_t(place - values.begin());
}

} // namespace

/// Writes down which entries there are and what becomes of them.
class BlockOutline::Builder {
public:
  Builder(BlockOutline &outline, const Block &block, const BlockShapes &shapes,
          bool repeatable, const SumLimits &limits)
      : outline(outline), block(block), shapes(shapes), limits(limits),
        variables(block, shapes, repeatable, ReadingSets::AtLeastThoseRead,
                  scopes) {}

  void run() {
    for (OpIndex op = 0; op < block.ops.size(); ++op) {
      addTable({Variable(op)}, partOf(block.ops[op].seesExperts()));
      for (OpSplit split : variables.splits(op))
        outline.ops.push_back({op, split, parts.back()});
      outline.seesExperts |= block.ops[op].seesExperts();
    }
    for (TensorIndex tensor = 0; tensor < block.tensors.size(); ++tensor) {
      if (!variables.hasLayout(tensor))
        continue;
      addTensor(tensor);
      for (const BlockVariables::Reader &reader : variables.readersOf(tensor))
        addReader(tensor, reader);
    }
    // Steps that all settings share first.
    auto isCommon = [&](size_t table) {
      return parts[table] == BlockPart::Common;
    };
    std::vector<Variable> kept =
        limitResults(scopes, variables.borders(), limits);
    while (auto step = scopes.eliminateOneBut(kept, isCommon))
      addStep(*step);
    addBorders(kept);
    std::ranges::sort(outline.commonEntries);
    outline.commonEntries.erase(
        std::ranges::unique(outline.commonEntries).begin(),
        outline.commonEntries.end());
  }

private:
  static BlockPart partOf(bool seesExperts) {
    return seesExperts ? BlockPart::Experts : BlockPart::Common;
  }
  size_t addTable(std::vector<Variable> scope, BlockPart part) {
    addEntries(scope, part);
    return scopes.addTable(std::move(scope));
  }
  void addEntries(const std::vector<Variable> &scope, BlockPart part) {
    begins.push_back(outline.entryCount);
    parts.push_back(part);
    outline.entryCount += scopes.count(scope);
  }
  size_t entryOf(size_t table, const Values &values) const {
    return begins[table] + scopes.position(table, values);
  }

  void addTensor(TensorIndex tensor) {
    std::vector<Variable> scope = variables.scopeOf(tensor);
    // Of activations the expert axis changes nothing: tokens of all its ranks
    // meet at their experts.
    bool seesExperts = block.tensors[tensor].role == TensorRole::Parameter &&
                       shapes.hasExperts(tensor);
    size_t table = addTable(scope, partOf(seesExperts));
    TensorEntries entries{tensor, parts[table], {}, {},
                          {},     {},           {}, begins[table]};
    scopes.eachValue(scope, [&](const Values &values) {
      BlockVariables::Use use = variables.useOf(tensor, values);
      size_t kept = 0, keptEnd;
      if (use.kept) {
        kept = placeIn(entries.kept, *use.kept);
        keptEnd = kept + 1;
      } else {
        entries.kept = variables.layouts(tensor);
        keptEnd = entries.kept.size();
      }
      TensorEntries::Cell cell{placeIn(entries.from, use.from), kept, keptEnd,
                               placeIn(entries.readings, use.readings)};
      entries.cellOf.push_back(placeIn(entries.cells, cell));
    });
    outline.tensors.push_back(std::move(entries));
  }

  void addReader(TensorIndex tensor, const BlockVariables::Reader &reader) {
    size_t table = addTable(reader.scope(), BlockPart::Common);
    scopes.eachValue(reader.scope(), [&](const Values &values) {
      if (variables.finds(tensor, reader, values))
        outline.free.push_back(entryOf(table, values));
    });
  }

  void addStep(const TableScopes::Step &step) {
    const std::vector<Variable> &scope = scopes.scope(step.result);
    bool seesExperts = std::ranges::any_of(step.parts, [&](size_t table) {
      return parts[table] == BlockPart::Experts;
    });
    addEntries(scope, partOf(seesExperts));
    Step added{begins[step.result],
               scopes.sizeOf(step.variable),
               parts[step.result],
               {}};
    for (size_t table : step.parts) {
      Part part{{}, scopes.stride(table, step.variable)};
      scopes.eachValue(scope, [&](const Values &values) {
        part.entries.push_back(entryOf(table, values));
      });
      if (seesExperts)
        for (size_t value = 0; value < added.values; ++value)
          for (size_t entry : part.entries)
            addUsed(table, entry + value * part.perValue);
      added.parts.push_back(std::move(part));
    }
    outline.steps.push_back(std::move(added));
  }

  /// An entry of `table` is needed although the table may be known.
  void addUsed(size_t table, size_t entry) {
    if (parts[table] == BlockPart::Common)
      outline.commonEntries.push_back(entry);
  }

  /// Adds the entries of every combination of kept borders; the layouts of
  /// other borders are free.
  void addBorders(const std::vector<Variable> &kept) {
    scopes.eachValue(kept, [&](const Values &values) {
      if (kept == variables.borders() && !variables.isPossible(values))
        return;
      std::vector<size_t> &entries = outline.borders.emplace_back();
      for (size_t table : scopes.open()) {
        entries.push_back(entryOf(table, values));
        addUsed(table, entries.back());
      }
    });
  }

  BlockOutline &outline;
  const Block &block;
  const BlockShapes &shapes;
  const SumLimits &limits;
  TableScopes scopes;
  BlockVariables variables;
  /// For each table the number of its first entry, and the part of the block
  /// that it belongs to.
  std::vector<size_t> begins;
  std::vector<BlockPart> parts;
};

BlockOutline::BlockOutline(const Block &block, const BlockShapes &shapes,
                           bool repeatable, const SumLimits &limits) {
  Builder(*this, block, shapes, repeatable, limits).run();
}

} // namespace shardsmith::blocks

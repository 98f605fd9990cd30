// SPDX-License-Identifier: Apache-2.0
//
// The part of GraphReader for what is no work of the workload: views,
// constants and masks. They must be laid out as one of their readers wants
// them, or as what they are made of: then nothing is sent that the plan has
// not counted for that reader.

#include "GraphReader.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace shardsmith::check {

using namespace workload;

namespace {

using AxesOfParts = std::vector<AxisList>;

bool isWhole(const AxesOfParts &axes) {
  return llvm::all_of(axes, [](const AxisList &list) { return list.empty(); });
}

} // namespace

/// Operands and results in the layouts that follow from those of the results,
/// or of the operands, as the file has them.
GraphReader::Sides GraphReader::sidesFrom(const TiedOp &tied,
                                          bool results) const {
  std::vector<AxisList> axesOf(tied.numbers);
  auto learn = [&](ValueRange values,
                   const std::vector<std::vector<unsigned>> &numbers) {
    for (auto [value, list] : llvm::zip_equal(values, numbers))
      if (auto parts = file.partsOf(value))
        for (auto [number, axes] : llvm::zip_equal(list, *parts))
          if (number < tied.splittable && axesOf[number].empty())
            axesOf[number] = axes;
  };
  if (results)
    learn(tied.op->getResults(), tied.results);
  else
    learn(tied.op->getOperands(), tied.operands);
  auto project = [&](const std::vector<std::vector<unsigned>> &numbers) {
    std::vector<AxesOfParts> projected;
    for (const std::vector<unsigned> &list : numbers) {
      AxesOfParts &axes = projected.emplace_back();
      for (unsigned number : list)
        axes.push_back(axesOf[number]);
    }
    return projected;
  };
  return {project(tied.operands), project(tied.results)};
}

std::vector<AxesOfParts> GraphReader::wantedBy(Value value) const {
  std::vector<AxesOfParts> wanted;
  for (OpOperand &use : value.getUses()) {
    Operation *reader = use.getOwner();
    unsigned operand = use.getOperandNumber();
    if (auto mapped = mappedOps.find(reader); mapped != mappedOps.end()) {
      auto [body, entry] = mapped->second;
      wanted.push_back(
          inOp(*body, *entry, entry->operands[operand], value).axes);
    } else if (const TiedOp *tied = tiedOps.lookup(reader)) {
      wanted.push_back(sidesFrom(*tied, /*results=*/true).operands[operand]);
    } else if (auto call = dyn_cast<func::CallOp>(reader)) {
      auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
          call, call.getCalleeAttr());
      if (auto parts = file.partsOf(callee.getArgument(operand)))
        wanted.push_back(*parts);
    }
  }
  return wanted;
}

void GraphReader::checkOther(const TiedOp &tied) {
  Sides fromOperands = sidesFrom(tied, /*results=*/false);
  for (auto [index, value] : llvm::enumerate(tied.op->getResults())) {
    if (kept.contains(value))
      continue;
    ++result.compared;
    std::optional<AxesOfParts> found = file.partsOf(value);
    auto isFound = [&](AxesOfParts wanted) {
      for (auto [number, list] : llvm::zip_equal(tied.results[index], wanted))
        if (number >= tied.splittable)
          list.clear();
      return found == wanted;
    };
    std::vector<AxesOfParts> wanted = wantedBy(value);
    bool isGood =
        file.hasSharding(value) &&
        (llvm::any_of(wanted, isFound) || isFound(fromOperands.results[index]));
    if (!isGood)
      find(file.placeOf(value), file.describe(value),
           file.describe(value, wanted.empty() ? fromOperands.results[index]
                                               : wanted.front()),
           "as it is read");
  }
  auto layoutsOf = [&](const Sides &sides) {
    std::vector<Layout> layouts;
    auto add = [&](Value value, const AxesOfParts &axes) {
      layouts.push_back(slicesOf(
          named.mesh, cast<RankedTensorType>(value.getType()).getRank(),
          map.partsOf(value), {axes, std::vector<int>(axes.size(), -1)}));
    };
    for (auto [value, axes] :
         llvm::zip_equal(tied.op->getResults(), sides.results))
      add(value, axes);
    for (auto [value, axes] :
         llvm::zip_equal(tied.op->getOperands(), sides.operands))
      add(value, axes);
    return layouts;
  };
  std::vector<Layout> inFile;
  for (Value value : tied.op->getResults())
    inFile.push_back(file.layoutOf(value));
  for (Value value : tied.op->getOperands())
    inFile.push_back(file.layoutOf(value));
  checkFactorAxes(tied.op, {layoutsOf(sidesFrom(tied, /*results=*/true)),
                            layoutsOf(fromOperands), inFile});
}

/// Arguments that are no tensor of a block: parts of several, or operands of
/// calls.
void GraphReader::checkArguments(ModuleOp model) {
  for (auto function : model.getOps<func::FuncOp>())
    for (BlockArgument argument : function.getArguments()) {
      if (kept.contains(argument))
        continue;
      ++result.compared;
      std::optional<AxesOfParts> found = file.partsOf(argument);
      std::vector<AxesOfParts> wanted = wantedBy(argument);
      bool agree = llvm::all_equal(wanted);
      bool isGood = found && file.hasSharding(argument) &&
                    (wanted.empty() || !agree ? isWhole(*found)
                                              : *found == wanted.front());
      if (!isGood)
        find(file.placeOf(argument), file.describe(argument),
             file.describe(argument,
                           wanted.empty() || !agree
                               ? AxesOfParts(map.partsOf(argument).size())
                               : wanted.front()),
             "as it is read");
    }
}

} // namespace shardsmith::check

// SPDX-License-Identifier: Apache-2.0

#include "Demands.h"

#include "shardsmith/Support/CodedError.h"

using namespace mlir;

namespace shardsmith::annotate {

using namespace workload;

namespace {

llvm::Error inexpressible(Location location, const Twine &why) {
  std::string text;
  llvm::raw_string_ostream(text) << location << ": " << why;
  return makeError(ExitCode::Unsupported, text);
}

} // namespace

llvm::Error Demands::run(ModuleOp module) {
  for (const TiedOp &tied : map.others)
    others[tied.op] = &tied;
  for (const GraphBody &body : map.bodies) {
    if (llvm::Error error = keepTensors(body))
      return error;
    if (llvm::Error error = layOut(body))
      return error;
  }
  for (const GraphUnit &unit : map.units) {
    const GraphBody &body = map.bodies[unit.body];
    const Block &block = workload.blocks[body.block];
    for (auto [value, tensor] : llvm::zip_equal(unit.outputs, block.outputs))
      for (const MappedTensor &mapped : body.tensors)
        if (mapped.tensor == tensor)
          if (llvm::Error error = hold(
                  value, strategy.kept(body.block, mapped, map.partsOf(value))))
            return error;
  }
  auto main = module.lookupSymbol<func::FuncOp>("main");
  for (auto function : module.getOps<func::FuncOp>())
    if (function != main && !function.isExternal())
      visit(function);
  visit(main);
  return llvm::Error::success();
}

llvm::Error Demands::hold(Value value, PartLayout layout) {
  if (!strategy.canBeWritten(map.partsOf(value), layout))
    return inexpressible(value.getLoc(),
                         "no sharding says how this value is split: its "
                         "dimensions are split as one");
  held.try_emplace(value, std::move(layout));
  return llvm::Error::success();
}

/// Constants are made wherever they are read, as readers want them.
llvm::Error Demands::keepTensors(const GraphBody &body) {
  for (const MappedTensor &mapped : body.tensors) {
    const Tensor &tensor = workload.blocks[body.block].tensors[mapped.tensor];
    if (tensor.role == TensorRole::Constant)
      continue;
    if (llvm::Error error =
            hold(mapped.value,
                 strategy.kept(body.block, mapped, map.partsOf(mapped.value))))
      return error;
  }
  return llvm::Error::success();
}

llvm::Error Demands::layOut(const GraphBody &body) {
  for (const MappedOp &mapped : body.ops) {
    OpLayout layout;
    auto add = [&](ValueRange values, ArrayRef<PartFactors> factors,
                   SmallVector<PartLayout, 2> &list) -> llvm::Error {
      for (auto [value, each] : llvm::zip_equal(values, factors)) {
        list.push_back(
            strategy.seen(body.block, mapped.index, each, map.partsOf(value)));
        if (!strategy.canBeWritten(map.partsOf(value), list.back()))
          return inexpressible(mapped.op->getLoc(),
                               "no axes of factors say how this op is split: "
                               "several dimensions are split as one");
      }
      return llvm::Error::success();
    };
    if (llvm::Error error =
            add(mapped.op->getOperands(), mapped.operands, layout.operands))
      return error;
    if (llvm::Error error =
            add(mapped.op->getResults(), mapped.results, layout.results))
      return error;
    // A function that stands for two different blocks has one body only.
    auto [entry, isNew] = ops.try_emplace(mapped.op, layout);
    bool agrees = isNew;
    if (!isNew)
      agrees = llvm::all_of(
          llvm::zip_equal(entry->second.results, layout.results),
          [](const auto &pair) {
            return std::get<0>(pair).splitsAlike(std::get<1>(pair));
          });
    if (!agrees)
      return inexpressible(mapped.op->getLoc(),
                           "the function is called as two blocks that are "
                           "laid out differently");
    for (auto [value, result] :
         llvm::zip_equal(mapped.op->getResults(), layout.results))
      held.try_emplace(value, std::move(result));
  }
  return llvm::Error::success();
}

std::optional<PartLayout> Demands::wanted(Value value) const {
  std::optional<PartLayout> all;
  for (OpOperand &use : value.getUses()) {
    std::optional<PartLayout> one;
    if (const OpLayout *reader = find(use.getOwner())) {
      one = reader->operands[use.getOperandNumber()];
    } else if (auto call = dyn_cast<func::CallOp>(use.getOwner())) {
      auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
          call, call.getCalleeAttr());
      one = heldBy(callee.getArgument(use.getOperandNumber()));
    }
    if (!one)
      continue;
    if (all && !all->splitsAlike(*one))
      return std::nullopt;
    all = std::move(one);
  }
  return all ? std::move(all) : PartLayout::whole(map.partsOf(value).size());
}

void Demands::visit(func::FuncOp function) {
  for (Operation &op : llvm::reverse(function.getBody().front()))
    if (const TiedOp *tied = others.lookup(&op))
      visit(*tied);
  for (BlockArgument argument : function.getArguments())
    if (!held.contains(argument))
      if (auto layout = wanted(argument))
        held.try_emplace(argument, std::move(*layout));
}

/// Lays out an op that is no work of the workload: its operands as its results
/// are wanted, or its results as its operands are held where readers disagree.
void Demands::visit(const TiedOp &tied) {
  struct Split {
    AxisList axes;
    int group = -1;
  };
  SmallVector<Split> splits(tied.numbers);
  auto learn = [&](ArrayRef<unsigned> numbers, const PartLayout &layout) {
    for (auto [part, number] : llvm::enumerate(numbers))
      if (number < tied.splittable && splits[number].axes.empty())
        splits[number] = {layout.axes[part], layout.groups[part]};
  };
  auto layoutOf = [&](ArrayRef<unsigned> numbers) {
    PartLayout layout = PartLayout::whole(numbers.size());
    for (auto [part, number] : llvm::enumerate(numbers)) {
      layout.axes[part] = splits[number].axes;
      layout.groups[part] = splits[number].group;
    }
    return layout;
  };
  bool isOpen = false;
  for (auto [result, numbers] :
       llvm::zip_equal(tied.op->getResults(), tied.results)) {
    if (auto known = held.find(result); known != held.end())
      learn(numbers, known->second);
    else if (auto layout = wanted(result))
      learn(numbers, *layout);
    else
      isOpen = true;
  }
  if (isOpen) {
    splits.assign(tied.numbers, {});
    for (auto [operand, numbers] :
         llvm::zip_equal(tied.op->getOperands(), tied.operands))
      learn(numbers, heldBy(operand));
  }
  OpLayout &layout = ops[tied.op];
  for (ArrayRef<unsigned> numbers : tied.operands)
    layout.operands.push_back(layoutOf(numbers));
  for (auto [result, numbers] :
       llvm::zip_equal(tied.op->getResults(), tied.results)) {
    layout.results.push_back(layoutOf(numbers));
    held.try_emplace(result, layout.results.back());
  }
}

} // namespace shardsmith::annotate

// SPDX-License-Identifier: Apache-2.0
//
// A branch that all devices take stays one. Where devices take different ones,
// each of them is computed for all devices, and of what they return a device
// has that of its own branch:
//
//     if %p                 %p differs over "x"
//       sine %a             %s = sine %a
//     else            ─▶    %c = cosine %a
//       cosine %a           select %p, %s, %c
//
// The devices of a group of a collective must all be there, so none of a
// collective's axes may be one over which %p differs.

#include "Body.h"
#include "shardsmith/Dialect/StableHLO/TensorValue.h"
#include "shardsmith/Support/TensorTypes.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace shardsmith::stablehlo;

namespace shardsmith::manual {
namespace {

ValueRange returnedBy(Region &region) {
  return region.front().getTerminator()->getOperands();
}

/// A branch on a value that is the same everywhere.
LogicalResult keepBranch(Body &body, Operation *op) {
  ImplicitLocOpBuilder &builder = body.builder;
  Operation *copy = op->cloneWithoutRegions();
  builder.insert(copy);
  copy->setOperands(body.get(op->getOperand(0)).value);
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<Axes> axes(op->getNumResults());
  for (auto [region, inner] :
       llvm::zip_equal(copy->getRegions(), op->getRegions())) {
    builder.createBlock(&region);
    if (failed(expandBlock(body, inner.front())))
      return failure();
    for (auto [all, local] : llvm::zip_equal(axes, returnedBy(inner)))
      all = join(all, body.get(local).axes);
  }
  for (auto [region, inner] :
       llvm::zip_equal(copy->getRegions(), op->getRegions())) {
    builder.setInsertionPointToEnd(&region.front());
    SmallVector<Value> values;
    for (auto [all, local] : llvm::zip_equal(axes, returnedBy(inner)))
      values.push_back(body.get(local, all));
    ReturnOp::create(builder, values);
  }
  for (auto [local, result, all] :
       llvm::zip_equal(op->getResults(), copy->getResults(), axes)) {
    result.setType(body.typeOf(local, all));
    body.set(local, {result, all});
  }
  return success();
}

/// Whether devices take each of the branches but the last one.
SmallVector<TensorValue> choicesOf(Operation *op, TensorValue choice) {
  if (isa<IfOp>(op))
    return {choice};
  SmallVector<TensorValue> choices;
  for (unsigned number = 0; number + 1 < op->getNumRegions(); ++number)
    choices.push_back(compare(choice, ComparisonDirection::EQ, number));
  return choices;
}

/// A branch on a value that differs over `by`.
LogicalResult selectBranch(Body &body, Operation *op, const Axes &by) {
  {
    llvm::SaveAndRestore outside(body.branching, join(body.branching, by));
    for (Region &region : op->getRegions())
      if (failed(expandBlock(body, region.front())))
        return failure();
  }

  body.builder.setLoc(op->getLoc());
  SmallVector<TensorValue> choices =
      choicesOf(op, {body.builder, body.get(op->getOperand(0)).value});
  for (OpResult result : op->getResults()) {
    auto valueOf = [&](unsigned region) {
      return returnedBy(op->getRegion(region))[result.getResultNumber()];
    };
    Axes axes = by;
    for (unsigned region = 0; region < op->getNumRegions(); ++region)
      axes = join(axes, body.get(valueOf(region)).axes);
    Sizes dims = llvm::map_to_vector(by, [&](unsigned axis) -> int64_t {
      return llvm::find(axes, axis) - axes.begin();
    });
    TensorValue selected(body.builder, body.get(valueOf(choices.size()), axes));
    for (unsigned region = choices.size(); region-- > 0;) {
      TensorValue isTaken =
          broadcastInDim(choices[region], selected.shape(), dims);
      TensorValue value(body.builder, body.get(valueOf(region), axes));
      selected = select(isTaken, value, selected);
    }
    body.set(result, {selected, axes});
  }
  return success();
}

} // namespace

LogicalResult expandBranch(Body &body, Operation *op) {
  Axes by = body.get(op->getOperand(0)).axes;
  return by.empty() ? keepBranch(body, op) : selectBranch(body, op, by);
}

} // namespace shardsmith::manual

// SPDX-License-Identifier: Apache-2.0
//
// A derivative of its own is a function of what one device has. It becomes one
// of what all have: inputs and cotangents differ over the axes over which the
// inputs and the values do. What it gives back to an input that is the same
// over more axes than that is a sum over these.

#include "Body.h"
#include "shardsmith/Dialect/StableHLO/TensorValue.h"
#include "shardsmith/Support/TensorTypes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <utility>

using namespace mlir;

namespace shardsmith::manual {
namespace {

/// `local`, which differs over `axes` and perhaps over more, summed over those.
Value sumOverOthers(Body &body, Value local, const Axes &axes) {
  Everywhere known = body.get(local);
  Axes others = without(known.axes, axes);
  if (!others.empty()) {
    Sizes dims = llvm::map_to_vector(others, [&](unsigned axis) -> int64_t {
      return llvm::find(known.axes, axis) - known.axes.begin();
    });
    known.value = sum({body.builder, known.value}, dims);
    known.axes = without(known.axes, others);
    body.set(local, known);
  }
  return body.get(local, axes);
}

/// The function for all devices, next to the one for one. `arguments` has the
/// axes over which its arguments differ.
FailureOr<func::FuncOp> expandFunction(Body &body, func::FuncOp local,
                                       ArrayRef<Axes> arguments) {
  Block &block = local.front();
  auto wide = cast<func::FuncOp>(local->cloneWithoutRegions());
  SymbolTable(local->getParentOp()).insert(wide);
  Block *entry = &wide.getBody().emplaceBlock();
  for (auto [argument, axes] :
       llvm::zip_equal(block.getArguments(), arguments)) {
    Value all =
        entry->addArgument(body.typeOf(argument, axes), argument.getLoc());
    body.set(argument, {all, axes});
  }
  OpBuilder::InsertionGuard guard(body.builder);
  body.builder.setInsertionPointToStart(entry);
  if (failed(expandBlock(body, block))) {
    wide.erase();
    return failure();
  }
  // What is returned are the cotangents of the inputs that are floats.
  SmallVector<Value> results;
  unsigned next = 0;
  for (Value returned : block.getTerminator()->getOperands()) {
    while (!isa<FloatType>(elementOf(block.getArgument(next))))
      ++next;
    results.push_back(sumOverOthers(body, returned, arguments[next++]));
  }
  func::ReturnOp::create(body.builder, results);
  wide.setType(FunctionType::get(local.getContext(), entry->getArgumentTypes(),
                                 ValueRange(results).getTypes()));
  return wide;
}

} // namespace

LogicalResult expandWithDerivative(Body &body, smith::WithDerivativeOp op) {
  SmallVector<Axes> arguments;
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    arguments.push_back(body.get(operand).axes);
    operands.push_back(body.get(operand).value);
  }
  auto local = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      op, op.getDerivativeAttr());
  bool wasInDerivative = std::exchange(body.isInDerivative, true);
  FailureOr<func::FuncOp> wide = expandFunction(body, local, arguments);
  body.isInDerivative = wasInDerivative;
  if (failed(wide))
    return failure();

  auto copy = cast<smith::WithDerivativeOp>(body.builder.clone(*op));
  copy->setOperands(operands);
  copy.setDerivative(wide->getSymName());
  size_t inputs = op.getInputs().size();
  for (auto [local, result, axes] :
       llvm::zip_equal(op.getResults(), copy.getResults(),
                       ArrayRef(arguments).drop_front(inputs))) {
    result.setType(body.typeOf(local, axes));
    body.set(local, {result, axes});
  }
  return success();
}

} // namespace shardsmith::manual

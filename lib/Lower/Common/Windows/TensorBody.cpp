// SPDX-License-Identifier: Apache-2.0

#include "TensorBody.h"

#include "shardsmith/Dialect/StableHLO/StableHLO.h"
#include "shardsmith/Lower/Common/ElementOps.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace shardsmith::lower {

Operation *findNotElementwise(Region &body) {
  for (Operation &op : body.front().without_terminator()) {
    const ElementOp *element = findElementOp(&op);
    bool isConstant = isa<stablehlo::ConstantOp>(op);
    if (!isConstant && (!element || element->kind != ElementKind::Pointwise))
      return &op;
  }
  return nullptr;
}

Value repeat(OpBuilder &builder, Location location, Value scalar,
             ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(scalar.getType());
  return stablehlo::BroadcastInDimOp::create(
      builder, location, type.clone(shape), scalar, ArrayRef<int64_t>{});
}

Value splat(OpBuilder &builder, Location location, ArrayRef<int64_t> shape,
            Type element, int64_t number) {
  auto type = RankedTensorType::get(shape, element);
  Attribute value;
  if (isa<FloatType>(element))
    value = builder.getFloatAttr(element, static_cast<double>(number));
  else
    value = builder.getIntegerAttr(element, number);
  return stablehlo::ConstantOp::create(
      builder, location,
      cast<ElementsAttr>(DenseElementsAttr::get(type, value)));
}

SmallVector<Value> applyToTensors(OpBuilder &builder, Location location,
                                  Region &body, ValueRange arguments) {
  Block &block = body.front();
  ArrayRef<int64_t> shape =
      cast<RankedTensorType>(arguments.front().getType()).getShape();
  IRMapping mapping;
  mapping.map(block.getArguments(), arguments);
  auto tensorFor = [&](Value scalar) {
    if (!mapping.contains(scalar))
      mapping.map(scalar, repeat(builder, location, scalar, shape));
    return mapping.lookup(scalar);
  };
  for (Operation &op : block.without_terminator()) {
    if (isa<stablehlo::ConstantOp>(op)) {
      Value scalar = builder.clone(op)->getResult(0);
      mapping.map(op.getResult(0), repeat(builder, location, scalar, shape));
      continue;
    }
    for (Value operand : op.getOperands())
      tensorFor(operand);
    Operation *whole = builder.clone(op, mapping);
    whole->setLoc(location);
    for (auto [result, scalar] :
         llvm::zip_equal(whole->getResults(), op.getResults())) {
      result.setType(cast<RankedTensorType>(scalar.getType()).clone(shape));
      mapping.map(scalar, result);
    }
  }
  SmallVector<Value> results;
  for (Value returned : block.getTerminator()->getOperands())
    results.push_back(tensorFor(returned));
  return results;
}

} // namespace shardsmith::lower

// SPDX-License-Identifier: Apache-2.0
//
// Constants and ops that move elements.

#include "../Kernels/Movement.h"
#include "Register.h"
#include "shardsmith/Dialect/StableHLO/StableHLO.h"
#include "shardsmith/Interpreter/EvaluatorRegistry.h"
#include "shardsmith/Interpreter/TensorAttributes.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace shardsmith::inline interpreter {
namespace {

LogicalResult evaluateBitcast(stablehlo::BitcastConvertOp op,
                              Arguments operands, const Device &device,
                              Tensors &results) {
  const StaticType type = *staticTypeOf(op.getType());
  Tensor result = bitcast(operands[0], type.element, type.shape);
  if (!result)
    return device.unsupported(op, "it packs or unpacks types below eight bits");
  results.push_back(result);
  return success();
}

LogicalResult evaluateBroadcast(stablehlo::BroadcastOp op, Arguments operands,
                                const Device &, Tensors &results) {
  const StaticType type = *staticTypeOf(op.getType());
  const int64_t added = op.getBroadcastSizes().size();
  auto dims = seq<int64_t>(added, added + operands[0].rank());
  results.push_back(broadcastInDim(operands[0], to_vector(dims), type.shape));
  return success();
}

LogicalResult evaluateBroadcastInDim(stablehlo::BroadcastInDimOp op,
                                     Arguments operands, const Device &,
                                     Tensors &results) {
  results.push_back(broadcastInDim(operands[0], op.getBroadcastDimensions(),
                                   staticTypeOf(op.getType())->shape));
  return success();
}

LogicalResult evaluateConcatenate(stablehlo::ConcatenateOp op,
                                  Arguments operands, const Device &,
                                  Tensors &results) {
  results.push_back(concatenate(operands, op.getDimension()));
  return success();
}

LogicalResult evaluateConstant(stablehlo::ConstantOp op, Arguments,
                               const Device &device, Tensors &results) {
  Tensor value = tensorFrom(op.getValue());
  if (!value)
    return device.unsupported(op, "the form of its value is not known");
  results.push_back(value);
  return success();
}

LogicalResult evaluateDimensionSize(stablehlo::GetDimensionSizeOp op,
                                    Arguments operands, const Device &,
                                    Tensors &results) {
  const auto size = static_cast<int32_t>(operands[0].dim(op.getDimension()));
  results.push_back(Tensor::scalar(ElementType::I32, size));
  return success();
}

Shape scalarsOf(Arguments tensors) {
  Shape values;
  for (const Tensor &tensor : tensors)
    values.push_back(tensor.asInteger(0));
  return values;
}

LogicalResult evaluateDynamicSlice(stablehlo::DynamicSliceOp op,
                                   Arguments operands, const Device &,
                                   Tensors &results) {
  results.push_back(dynamicSlice(operands[0], scalarsOf(operands.drop_front()),
                                 op.getSliceSizes()));
  return success();
}

LogicalResult evaluateDynamicUpdateSlice(stablehlo::DynamicUpdateSliceOp,
                                         Arguments operands, const Device &,
                                         Tensors &results) {
  results.push_back(dynamicUpdateSlice(operands[0], operands[1],
                                       scalarsOf(operands.drop_front(2))));
  return success();
}

LogicalResult evaluateIota(stablehlo::IotaOp op, Arguments, const Device &,
                           Tensors &results) {
  const StaticType type = *staticTypeOf(op.getType());
  results.push_back(iota(type.element, type.shape, op.getIotaDimension()));
  return success();
}

LogicalResult evaluatePad(stablehlo::PadOp op, Arguments operands,
                          const Device &, Tensors &results) {
  results.push_back(pad(operands[0], operands[1], op.getEdgePaddingLow(),
                        op.getInteriorPadding(),
                        staticTypeOf(op.getType())->shape));
  return success();
}

LogicalResult evaluateReshape(stablehlo::ReshapeOp op, Arguments operands,
                              const Device &, Tensors &results) {
  results.push_back(operands[0].reshaped(staticTypeOf(op.getType())->shape));
  return success();
}

LogicalResult evaluateReverse(stablehlo::ReverseOp op, Arguments operands,
                              const Device &, Tensors &results) {
  results.push_back(reverse(operands[0], op.getDimensions()));
  return success();
}

LogicalResult evaluateSlice(stablehlo::SliceOp op, Arguments operands,
                            const Device &, Tensors &results) {
  results.push_back(slice(operands[0], op.getStartIndices(),
                          op.getLimitIndices(), op.getStrides()));
  return success();
}

LogicalResult evaluateTranspose(stablehlo::TransposeOp op, Arguments operands,
                                const Device &, Tensors &results) {
  results.push_back(transpose(operands[0], op.getPermutation()));
  return success();
}

} // namespace

void registerShapes(EvaluatorRegistry &registry) {
  registry.add(evaluateBitcast);
  registry.add(evaluateBroadcast);
  registry.add(evaluateBroadcastInDim);
  registry.add(evaluateConcatenate);
  registry.add(evaluateConstant);
  registry.add(evaluateDimensionSize);
  registry.add(evaluateDynamicSlice);
  registry.add(evaluateDynamicUpdateSlice);
  registry.add(evaluateIota);
  registry.add(evaluatePad);
  registry.add(evaluateReshape);
  registry.add(evaluateReverse);
  registry.add(evaluateSlice);
  registry.add(evaluateTranspose);
}

} // namespace shardsmith::inline interpreter

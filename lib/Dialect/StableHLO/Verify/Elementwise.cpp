// SPDX-License-Identifier: Apache-2.0
// Elementwise ops: one shape everywhere, no implicit broadcasting.

#include "Rules.h"

using namespace mlir;
using namespace shardsmith::stablehlo;

namespace {

/// The real type of a complex one, other types as they are.
Type realElement(Type element) {
  auto complex = dyn_cast<ComplexType>(element);
  return complex ? complex.getElementType() : element;
}

/// A bound of `clamp` or predicate of `select`: rank 0 or the full shape.
LogicalResult checkScalarOrShape(const Reporter &report, StringRef name,
                                 Value value, Value whole) {
  ArrayRef<int64_t> shape = tensorType(value).getShape();
  if (shape.empty() || agree(shape, tensorType(whole).getShape()))
    return success();
  return report("needs ", name, " to be a scalar or of shape ",
                toText(tensorType(whole).getShape()), ", found ",
                toText(shape));
}

LogicalResult checkSameShape(const Reporter &report, Value lhs, Value rhs) {
  if (agree(tensorType(lhs).getShape(), tensorType(rhs).getShape()))
    return success();
  return report("needs operands of one shape, found ",
                toText(tensorType(lhs).getShape()), " and ",
                toText(tensorType(rhs).getShape()));
}

} // namespace

LogicalResult AbsOp::inferReturnTypes(MLIRContext *, OptionalLocation,
                                      Adaptor adaptor,
                                      SmallVectorImpl<Type> &types) {
  RankedTensorType operand = tensorType(adaptor.getOperand());
  types.push_back(operand.clone(realElement(operand.getElementType())));
  return success();
}

LogicalResult RealOp::inferReturnTypes(MLIRContext *, OptionalLocation,
                                       Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  RankedTensorType operand = tensorType(adaptor.getOperand());
  types.push_back(operand.clone(realElement(operand.getElementType())));
  return success();
}

LogicalResult ImagOp::inferReturnTypes(MLIRContext *, OptionalLocation,
                                       Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  RankedTensorType operand = tensorType(adaptor.getOperand());
  types.push_back(operand.clone(realElement(operand.getElementType())));
  return success();
}

LogicalResult IsFiniteOp::inferReturnTypes(MLIRContext *context,
                                           OptionalLocation, Adaptor adaptor,
                                           SmallVectorImpl<Type> &types) {
  types.push_back(
      tensorType(adaptor.getX()).clone(IntegerType::get(context, 1)));
  return success();
}

LogicalResult
UniformDequantizeOp::inferReturnTypes(MLIRContext *, OptionalLocation,
                                      Adaptor adaptor,
                                      SmallVectorImpl<Type> &types) {
  RankedTensorType operand = tensorType(adaptor.getOperand());
  auto quantized = cast<quant::QuantizedType>(operand.getElementType());
  types.push_back(operand.clone(quantized.getExpressedType()));
  return success();
}

LogicalResult
ReducePrecisionOp::inferReturnTypes(MLIRContext *, OptionalLocation location,
                                    Adaptor adaptor,
                                    SmallVectorImpl<Type> &types) {
  Reporter report(location, getOperationName());
  if (adaptor.getExponentBits() < 1)
    return report("needs at least 1 exponent bit, found ",
                  adaptor.getExponentBits());
  if (static_cast<int32_t>(adaptor.getMantissaBits()) < 0)
    return report("needs at least 0 mantissa bits, found ",
                  static_cast<int32_t>(adaptor.getMantissaBits()));
  types.push_back(adaptor.getOperand().getType());
  return success();
}

LogicalResult ComplexOp::inferReturnTypes(MLIRContext *,
                                          OptionalLocation location,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  Reporter report(location, getOperationName());
  RankedTensorType part = tensorType(adaptor.getLhs());
  if (!areCompatibleTypes(part, adaptor.getRhs().getType()))
    return report("needs real and imaginary parts of one type, found ", part,
                  " and ", adaptor.getRhs().getType());
  Type element = part.getElementType();
  if (!element.isF32() && !element.isF64())
    return report("needs parts of f32 or f64, found ", element);
  types.push_back(part.clone(ComplexType::get(element)));
  return success();
}

LogicalResult CompareOp::inferReturnTypes(MLIRContext *context,
                                          OptionalLocation location,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  Reporter report(location, getOperationName());
  Type lhs = elementType(adaptor.getLhs()), rhs = elementType(adaptor.getRhs());
  if (lhs != rhs)
    return report("needs operands of one element type, found ", lhs, " and ",
                  rhs);
  if (failed(checkSameShape(report, adaptor.getLhs(), adaptor.getRhs())))
    return failure();
  types.push_back(
      tensorType(adaptor.getLhs()).clone(IntegerType::get(context, 1)));
  return success();
}

LogicalResult ClampOp::inferReturnTypes(MLIRContext *,
                                        OptionalLocation location,
                                        Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  Reporter report(location, getOperationName());
  Value operand = adaptor.getOperand();
  for (auto [name, bound] : {std::pair("min", adaptor.getMin()),
                             std::pair("max", adaptor.getMax())}) {
    if (elementType(bound) != elementType(operand))
      return report("needs ", name, " of element type ", elementType(operand),
                    ", found ", elementType(bound));
    if (failed(checkScalarOrShape(report, name, bound, operand)))
      return failure();
  }
  types.push_back(operand.getType());
  return success();
}

LogicalResult SelectOp::inferReturnTypes(MLIRContext *,
                                         OptionalLocation location,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  Reporter report(location, getOperationName());
  Type onTrue = adaptor.getOnTrue().getType();
  Type onFalse = adaptor.getOnFalse().getType();
  if (!areCompatibleTypes(onTrue, onFalse))
    return report("needs branches of one type, found ", onTrue, " and ",
                  onFalse);
  if (failed(checkScalarOrShape(report, "the predicate", adaptor.getPred(),
                                adaptor.getOnTrue())))
    return failure();
  types.push_back(onTrue);
  return success();
}

LogicalResult ConvertOp::verify() {
  return checkResultShape(reporterOf(*this), getType(),
                          tensorType(getOperand()).getShape());
}

LogicalResult UniformQuantizeOp::verify() {
  return checkResultShape(reporterOf(*this), getType(),
                          tensorType(getOperand()).getShape());
}

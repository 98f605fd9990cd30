// SPDX-License-Identifier: Apache-2.0

#include "OpModel.h"
#include "Verify/Rules.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace shardsmith::stablehlo {

bool isIntegerElement(Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer || integer.isSigned())
    return false;
  return llvm::is_contained({2u, 4u, 8u, 16u, 32u, 64u}, integer.getWidth());
}

bool isComplexElement(Type type) {
  auto complex = dyn_cast<ComplexType>(type);
  return complex &&
         (complex.getElementType().isF32() || complex.getElementType().isF64());
}

bool isTensorElement(Type type) {
  return type.isSignlessInteger(1) || isIntegerElement(type) ||
         isComplexElement(type) || isa<FloatType, quant::QuantizedType>(type);
}

bool isValueType(Type type) {
  if (auto tuple = dyn_cast<TupleType>(type))
    return llvm::all_of(tuple.getTypes(), isValueType);
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return isTensorElement(tensor.getElementType());
  return isa<TokenType>(type);
}

bool areCompatibleTypes(Type left, Type right) {
  if (left == right)
    return true;
  if (auto leftTuple = dyn_cast<TupleType>(left)) {
    auto rightTuple = dyn_cast<TupleType>(right);
    return rightTuple &&
           areCompatibleTypes(leftTuple.getTypes(), rightTuple.getTypes());
  }
  auto leftTensor = dyn_cast<RankedTensorType>(left);
  auto rightTensor = dyn_cast<RankedTensorType>(right);
  return leftTensor && rightTensor &&
         leftTensor.getElementType() == rightTensor.getElementType() &&
         succeeded(verifyCompatibleShape(leftTensor, rightTensor));
}

bool areCompatibleTypes(TypeRange left, TypeRange right) {
  return left.size() == right.size() &&
         llvm::all_of(llvm::zip(left, right), [](auto pair) {
           return areCompatibleTypes(std::get<0>(pair), std::get<1>(pair));
         });
}

LogicalResult checkInferredTypes(Operation *op) {
  auto inference = dyn_cast<InferTypeOpInterface>(op);
  if (!inference)
    return success();
  SmallVector<Type> inferred;
  if (failed(inference.inferReturnTypes(
          op->getContext(), op->getLoc(), op->getOperands(),
          op->getRawDictionaryAttrs(), op->getPropertiesStorage(),
          op->getRegions(), inferred)))
    return failure();
  if (inference.isCompatibleReturnTypes(inferred, op->getResultTypes()))
    return success();
  return op->emitOpError() << "needs results of type (" << TypeRange(inferred)
                           << "), found (" << op->getResultTypes() << ')';
}

Type deviceIdType(MLIRContext *context) {
  return RankedTensorType::get(
      {}, IntegerType::get(context, 32, IntegerType::Unsigned));
}

LogicalResult inferElementwise(const Reporter &report, ValueRange operands,
                               SmallVectorImpl<Type> &types) {
  Type first = operands.front().getType();
  for (Value operand : operands.drop_front())
    if (!areCompatibleTypes(first, operand.getType()))
      return report("needs operands of one type, found ", first, " and ",
                    operand.getType());
  types.push_back(first);
  return success();
}

} // namespace shardsmith::stablehlo

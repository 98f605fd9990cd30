// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Dialect/Chlo/Chlo.h"

#include "../Kernels/Elementwise.h"
#include "../Kernels/Ordering.h"
#include "../Kernels/RaggedContraction.h"
#include "../Kernels/SpecialFunctions.h"
#include "Register.h"
#include "shardsmith/Interpreter/EvaluatorRegistry.h"
#include "shardsmith/Interpreter/TensorAttributes.h"

#include <cmath>

using namespace llvm;

namespace shardsmith::inline interpreter {
namespace {

template <typename OpTy>
void addCompositeReal(EvaluatorRegistry &registry, RealFunction function) {
  registry.addFunction<OpTy>(
      [function](Arguments operands) {
        return applyReal(function, operands[0]);
      },
      Rounding::Function);
}

template <typename OpTy>
void addCompositeReal(EvaluatorRegistry &registry, RealFunctionOfTwo function) {
  registry.addFunction<OpTy>(
      [function](Arguments operands) {
        return applyReal(function, operands[0], operands[1]);
      },
      Rounding::Function);
}

/// Larger first, NaN above infinity.
template <typename T> bool isAbove(T a, T b) {
  if constexpr (isFloatElement<T>) {
    const auto left = static_cast<double>(a), right = static_cast<double>(b);
    if (std::isnan(left) || std::isnan(right))
      return std::isnan(left) && !std::isnan(right);
    return left > right;
  } else {
    return a > b;
  }
}

LogicalResult evaluateTopK(chlo::TopKOp op, Arguments operands, const Device &,
                           Tensors &results) {
  const Tensor operand = operands[0].dense();
  const StaticType type = *staticTypeOf(op.getValues().getType());
  const int64_t length = operand.shape().back();
  const int64_t kept = type.shape.back();
  Tensor values = Tensor::uninitialized(type.element, type.shape);
  Tensor indices = Tensor::uninitialized(ElementType::I32, type.shape);
  dispatchStored(type.element, [&]<typename T>(Tag<T>) {
    for (int64_t line = 0; length > 0 && line < operand.size() / length;
         ++line) {
      const T *in = operand.data<T>() + line * length;
      const auto order = stableOrder(
          length, [&](int64_t a, int64_t b) { return isAbove(in[a], in[b]); });
      for (int64_t place = 0; place < kept; ++place) {
        values.mutableData<T>()[line * kept + place] = in[order[place]];
        indices.mutableData<int32_t>()[line * kept + place] =
            static_cast<int32_t>(order[place]);
      }
    }
  });
  results.push_back(values);
  results.push_back(
      convert(indices, staticTypeOf(op.getIndices().getType())->element));
  return success();
}

LogicalResult evaluateRaggedDot(chlo::RaggedDotOp op, Arguments operands,
                                const Device &device, Tensors &results) {
  chlo::RaggedDotDimensionNumbersAttr dims = op.getRaggedDotDimensionNumbers();
  if (operands[2].rank() != 1)
    return device.unsupported(op, "group sizes that differ per batch");
  const ArrayRef<int64_t> groupDims = dims.getRhsGroupDimensions();
  const StaticType type = *staticTypeOf(op.getType());
  results.push_back(contractRagged(
      operands[0], operands[1], operands[2],
      {dims.getLhsBatchingDimensions(), dims.getRhsBatchingDimensions(),
       dims.getLhsContractingDimensions(), dims.getRhsContractingDimensions(),
       dims.getLhsRaggedDimensions().front(),
       groupDims.empty() ? -1 : groupDims.front()},
      type.element, type.shape));
  return success();
}

} // namespace

void registerChlo(EvaluatorRegistry &registry) {
  using namespace chlo;
  addCompositeReal<AcosOp>(registry, std::acos);
  addCompositeReal<AcoshOp>(registry, std::acosh);
  addCompositeReal<AsinOp>(registry, std::asin);
  addCompositeReal<AsinhOp>(registry, std::asinh);
  addCompositeReal<AtanOp>(registry, std::atan);
  addCompositeReal<AtanhOp>(registry, std::atanh);
  addCompositeReal<CoshOp>(registry, std::cosh);
  addCompositeReal<DigammaOp>(registry, digamma);
  addCompositeReal<ErfInvOp>(registry, inverseErf);
  addCompositeReal<ErfOp>(registry, std::erf);
  addCompositeReal<ErfcOp>(registry, std::erfc);
  addCompositeReal<LgammaOp>(registry, logGamma);
  addCompositeReal<PolygammaOp>(registry, polygamma);
  addCompositeReal<SinhOp>(registry, std::sinh);
  addCompositeReal<TanOp>(registry, std::tan);
  addCompositeReal<ZetaOp>(registry, zeta);

  // Complex operands have been refused; a real number is its own conjugate.
  registry.addFunction<ConjOp>([](Arguments operands) { return operands[0]; });
  registry.addFunction<IsInfOp>([](Arguments operands) {
    return isInfinite(operands[0], /*positive=*/true, /*negative=*/true);
  });
  registry.addFunction<IsNegInfOp>([](Arguments operands) {
    return isInfinite(operands[0], /*positive=*/false, /*negative=*/true);
  });
  registry.addFunction<IsPosInfOp>([](Arguments operands) {
    return isInfinite(operands[0], /*positive=*/true, /*negative=*/false);
  });
  registry.addFunction<NextAfterOp>(
      [](Arguments operands) { return nextAfter(operands[0], operands[1]); });
  registry.addFunction<SquareOp>(
      [](Arguments operands) {
        return applyBinary(BinaryKind::Multiply, operands[0], operands[0]);
      },
      Rounding::Once);
  registry.add(evaluateRaggedDot, Rounding::Sum);
  registry.add(evaluateTopK);
}

} // namespace shardsmith::inline interpreter

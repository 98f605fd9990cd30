// SPDX-License-Identifier: Apache-2.0

#include "Unsupported.h"

#include "shardsmith/Dialect/StableHLO/StableHLO.h"

#include "mlir/IR/Builders.h"
#include "llvm/Support/ScopedPrinter.h"

#include <complex>

using namespace mlir;

namespace shardsmith {
namespace {

constexpr StringLiteral mark = "smith.unsupported";

} // namespace

LogicalResult reportUnsupported(Operation *program, const ErrorList &errors,
                                bool goOn) {
  if (errors.empty())
    return success();
  errors.emit();
  program->setAttr(mark, UnitAttr::get(program->getContext()));
  return success(goOn);
}

bool hasUnsupported(ModuleOp module) {
  auto isMarked = [](Operation &op) { return op.hasAttr(mark); };
  return isMarked(*module) || llvm::any_of(module.getOps(), isMarked);
}

std::string quoted(Type type) { return "'" + llvm::to_string(type) + "'"; }

DenseElementsAttr zerosOf(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape())
    return nullptr;
  Type element = tensor.getElementType();
  if (auto integer = dyn_cast<IntegerType>(element))
    return DenseElementsAttr::get(tensor, APInt(integer.getWidth(), 0));
  if (auto real = dyn_cast<FloatType>(element))
    return DenseElementsAttr::get(tensor,
                                  APFloat::getZero(real.getFloatSemantics()));
  auto complex = dyn_cast<ComplexType>(element);
  auto part = complex ? dyn_cast<FloatType>(complex.getElementType()) : nullptr;
  if (!part)
    return nullptr;
  APFloat zero = APFloat::getZero(part.getFloatSemantics());
  return DenseElementsAttr::get(tensor, std::complex<APFloat>(zero, zero));
}

bool replaceByZeros(Operation *op) {
  SmallVector<DenseElementsAttr> zeros =
      llvm::map_to_vector(op->getResultTypes(), zerosOf);
  if (llvm::is_contained(zeros, nullptr))
    return false;
  OpBuilder builder(op);
  for (auto [result, zero] : llvm::zip_equal(op->getResults(), zeros))
    result.replaceAllUsesWith(
        stablehlo::ConstantOp::create(builder, op->getLoc(), zero));
  op->erase();
  return true;
}

} // namespace shardsmith

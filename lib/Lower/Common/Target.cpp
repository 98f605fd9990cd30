// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Lower/Common/Target.h"

#include "Elements/Float8.h"
#include "Fusion/Fusibility.h"

#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/IRMapping.h"
#include "shardsmith/Dialect/Smith/MicroBatchOps.h"
#include "shardsmith/Dialect/StableHLO/Matching.h"
#include "shardsmith/Dialect/StableHLO/StableHLO.h"

#include <map>
#include <mutex>

using namespace mlir;

namespace shardsmith::lower {
namespace {

/// Targets by name. Registering and looking up may happen on any thread.
struct TargetTable {
  std::mutex mutex;
  std::map<StringRef, const TargetTraits *> targets;
};

TargetTable &table() {
  static TargetTable table;
  return table;
}

/// The first op in a region of `op` that kernels cannot compute; null if there
/// is none.
Operation *findWithoutEmitter(Operation *op, const TargetTraits &target) {
  Operation *found = nullptr;
  op->walk([&](Operation *nested) {
    if (nested == op || nested->hasTrait<OpTrait::IsTerminator>() ||
        (findElementOp(nested) && target.hasEmitter(nested)))
      return WalkResult::advance();
    found = nested;
    return WalkResult::interrupt();
  });
  return found;
}

/// Whether the op has a lowering if its elements of the types `from` are of the
/// type `to`.
bool isLoweredWith(Operation *op, ArrayRef<Type> from, Type to,
                   const TargetTraits &target) {
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](Type type) -> std::optional<Type> {
    if (llvm::is_contained(from, type))
      return to;
    return std::nullopt;
  });
  Block scratch;
  IRMapping mapping;
  for (Value operand : op->getOperands())
    if (!mapping.contains(operand))
      mapping.map(operand,
                  scratch.addArgument(replacer.replace(operand.getType()),
                                      operand.getLoc()));
  Operation *copy = op->clone(mapping);
  scratch.push_back(copy);
  replacer.recursivelyReplaceElementsIn(copy, /*replaceAttrs=*/false,
                                        /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
  return isFusable(copy, target);
}

} // namespace

bool isKernelOrProduct(Operation *op, const TargetTraits &target) {
  if (isa<stablehlo::DotGeneralOp>(op))
    return isLibraryProduct(op, target) ||
           widerProductOf(op, target).has_value();
  return isFusable(op, target);
}

bool isOpOfEveryTarget(Operation *op) {
  return isa<smith::KernelOp, smith::GemmOp, stablehlo::ConstantOp,
             stablehlo::ReshapeOp, smith::AllReduceOp, smith::AllGatherOp,
             smith::ReduceScatterOp, smith::ExchangeBlocksOp,
             smith::CollectivePermuteOp, smith::ShardIndexOp, smith::RepeatOp,
             smith::RunOp, smith::SendOp, smith::ReceiveOp>(op);
}

std::string typesToBlame(Operation *op, const TargetTraits &target) {
  SmallVector<Type> types;
  auto add = [&](TypeRange range) {
    for (Type type : range)
      if (!llvm::is_contained(types, getElementTypeOrSelf(type)))
        types.push_back(getElementTypeOrSelf(type));
  };
  add(op->getOperandTypes());
  add(op->getResultTypes());
  Builder builder(op->getContext());
  auto areToBlame = [&](ArrayRef<Type> some) {
    return isLoweredWith(op, some, builder.getF32Type(), target) ||
           isLoweredWith(op, some, builder.getI32Type(), target);
  };
  SmallVector<Type> blamed;
  llvm::copy_if(types, std::back_inserter(blamed),
                [&](Type type) { return areToBlame(type); });
  if (blamed.empty() && areToBlame(types))
    blamed = types;
  std::string text;
  llvm::raw_string_ostream os(text);
  if (!blamed.empty())
    os << " of ";
  llvm::interleave(blamed, os, " and ");
  return text;
}

std::string describeNoLowering(Operation *op, const TargetTraits &target) {
  std::string name = "'" + op->getName().getStringRef().str() + "'";
  if (isa<stablehlo::ReduceOp, stablehlo::ReduceWindowOp,
          stablehlo::SelectAndScatterOp>(op))
    if (Operation *nested = findWithoutEmitter(op, target))
      return name + " with " + nested->getName().getStringRef().str() +
             typesToBlame(nested, target) + " in its body";
  std::string types = typesToBlame(op, target);
  if (isa<stablehlo::DotGeneralOp>(op)) {
    // Libraries multiply, but not all types with all others.
    llvm::raw_string_ostream(types)
        << " of " << getElementTypeOrSelf(op->getOperand(0)) << " x "
        << getElementTypeOrSelf(op->getOperand(1)) << " to "
        << getElementTypeOrSelf(op->getResult(0));
  }
  return name + types + " has no lowering";
}

bool isTypeOfLibraryProducts(Type element) {
  return element.isF32() || element.isBF16() || element.isF16() ||
         element.isF64();
}

bool isLibraryProduct(Operation *op, const TargetTraits &target) {
  Type left = getElementTypeOrSelf(op->getOperand(0));
  if (!target.hasGemm(left, getElementTypeOrSelf(op->getOperand(1)),
                      getElementTypeOrSelf(op->getResult(0))))
    return false;
  auto dot = dyn_cast<stablehlo::DotGeneralOp>(op);
  return !isFloat8(left) ||
         (dot && stablehlo::hasSizesOf(dot, target.float8Multiple));
}

std::optional<WiderProduct> widerProductOf(Operation *dot,
                                           const TargetTraits &target) {
  if (isLibraryProduct(dot, target))
    return std::nullopt;
  Builder builder(dot->getContext());
  Type single = builder.getF32Type(), half = builder.getBF16Type();
  Type result = getElementTypeOrSelf(dot->getResult(0));
  unsigned bits = 32;
  bool areHalves = true;
  for (Value value :
       {dot->getOperand(0), dot->getOperand(1), Value(dot->getResult(0))}) {
    Type element = getElementTypeOrSelf(value);
    if (!isTypeOfLibraryProducts(element) && !isFloat8(element))
      return std::nullopt;
    bits = std::max(bits, element.getIntOrFloatBitWidth());
    if (value != dot->getResult(0))
      areHalves &= isFloat8(element) || element.isBF16();
  }
  // Each f8 is a bf16. Sums are in f32 anyway, and are rounded once.
  if (areHalves && bits == 32)
    for (Type made : {result, single})
      if (target.hasGemm(half, half, made))
        return WiderProduct{half, made};
  Type wide = bits > 32 ? Type(builder.getF64Type()) : single;
  if (!target.hasGemm(wide, wide, wide))
    return std::nullopt;
  return WiderProduct{wide, wide};
}

Type reducedInF32(Type element) {
  return isFloat8(element) ? Float32Type::get(element.getContext()) : element;
}

ElementCost costInTable(Operation *op) { return findElementOp(op)->cost; }

void registerTarget(const TargetTraits &target) {
  std::lock_guard lock(table().mutex);
  table().targets[target.name] = &target;
}

const TargetTraits *findTarget(Operation *op, StringRef name) {
  std::lock_guard lock(table().mutex);
  const auto &targets = table().targets;
  if (auto found = targets.find(name); found != targets.end())
    return found->second;
  InFlightDiagnostic error = op->emitError()
                             << "there is no target '" << name << "'; known: ";
  llvm::interleaveComma(llvm::make_first_range(targets), error);
  return nullptr;
}

} // namespace shardsmith::lower

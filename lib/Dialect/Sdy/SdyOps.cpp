// SPDX-License-Identifier: Apache-2.0

#include "SdyText.h"

#include "mlir/IR/Builders.h"
#include "shardsmith/Support/Quantity.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "shardsmith/Dialect/Sdy/SdyOps.cpp.inc"

namespace shardsmith::sdy {

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

LogicalResult ShardingConstraintOp::verify() {
  return verifySharding(getSharding(), getType(), *this, "result 0");
}

LogicalResult ReshardOp::verify() {
  return verifySharding(getSharding(), getType(), *this, "result 0");
}

LogicalResult DataFlowEdgeOp::verify() {
  std::optional<TensorShardingAttr> sharding = getSharding();
  return sharding ? verifySharding(*sharding, getType(), *this, "result 0")
                  : success();
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

namespace {

LogicalResult verifyShardingList(Operation *op,
                                 TensorShardingPerValueAttr shardings,
                                 TypeRange types, StringRef title) {
  if (!shardings)
    return success();
  if (shardings.size() != static_cast<int64_t>(types.size()))
    return op->emitOpError() << "has " << shardings.size() << " " << title
                             << " for " << types.size() << " values";
  for (auto [index, sharding, type] :
       llvm::enumerate(shardings.getShardings(), types))
    if (failed(verifySharding(sharding, type, op, title + " " + Twine(index))))
      return failure();
  return success();
}

LogicalResult verifyTypesMatch(Operation *op, TypeRange expected,
                               TypeRange actual, StringRef what) {
  if (expected.size() != actual.size())
    return op->emitOpError() << "expects " << expected.size() << " " << what
                             << " but has " << actual.size();
  for (auto [index, expectedType, actualType] :
       llvm::enumerate(expected, actual))
    if (expectedType != actualType)
      return op->emitOpError()
             << "expects type " << expectedType << " for " << what << " "
             << index << " but has " << actualType;
  return success();
}

/// The type of one device's part over the manual axes. Null, after an error,
/// if the tensor cannot be divided so.
Type localType(Operation *op, Type type, TensorShardingAttr sharding,
               ManualAxesAttr manualAxes) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  MeshAttr mesh = sharding.getMesh(op);
  if (!tensor || !mesh)
    return type;
  SmallVector<int64_t> shape(tensor.getShape());
  for (auto [index, dim] : llvm::enumerate(sharding.getDimShardings())) {
    int64_t shards = 1;
    bool sawFreeAxis = false;
    for (AxisRefAttr axis : dim.getAxes()) {
      bool isManual = llvm::any_of(manualAxes.getValue(), [&](StringAttr name) {
        return name.getValue() == axis.getName();
      });
      if (isManual && sawFreeAxis) {
        op->emitOpError() << "has manual axis \"" << axis.getName()
                          << "\" after a free axis in dimension " << index;
        return nullptr;
      }
      sawFreeAxis |= !isManual;
      if (isManual)
        shards *= axis.getSize(mesh);
    }
    if (ShapedType::isDynamic(shape[index]))
      continue;
    if (shape[index] % shards != 0) {
      op->emitOpError() << "has dimension " << index << " of size "
                        << shape[index] << " that " << shards
                        << " manual shards do not divide";
      return nullptr;
    }
    shape[index] /= shards;
  }
  return tensor.clone(shape);
}

LogicalResult localTypes(Operation *op, TypeRange types,
                         TensorShardingPerValueAttr shardings,
                         ManualAxesAttr manualAxes,
                         SmallVectorImpl<Type> &local) {
  for (auto [type, sharding] : llvm::zip_equal(types, shardings.getShardings()))
    if (!local.emplace_back(localType(op, type, sharding, manualAxes)))
      return failure();
  return success();
}

} // namespace

LogicalResult NamedComputationOp::verify() {
  TypeRange operandTypes = getOperands().getTypes();
  if (failed(verifyTypesMatch(*this, operandTypes, getBody().getArgumentTypes(),
                              "block arguments")) ||
      failed(
          verifyTypesMatch(*this, getResultTypes(),
                           getBody().front().getTerminator()->getOperandTypes(),
                           "returned values")) ||
      failed(verifyShardingList(*this, getInShardingsAttr(), operandTypes,
                                "in_shardings")))
    return failure();
  return verifyShardingList(*this, getOutShardingsAttr(), getResultTypes(),
                            "out_shardings");
}

LogicalResult ManualComputationOp::verify() {
  TypeRange operandTypes = getTensors().getTypes();
  if (failed(verifyShardingList(*this, getInShardings(), operandTypes,
                                "in_shardings")) ||
      failed(verifyShardingList(*this, getOutShardings(), getResultTypes(),
                                "out_shardings")))
    return failure();
  SmallVector<Type> localOperands, localResults;
  if (failed(localTypes(*this, operandTypes, getInShardings(), getManualAxes(),
                        localOperands)) ||
      failed(localTypes(*this, getResultTypes(), getOutShardings(),
                        getManualAxes(), localResults)) ||
      failed(verifyTypesMatch(*this, localOperands,
                              getBody().getArgumentTypes(), "block arguments")))
    return failure();
  return verifyTypesMatch(*this, localResults,
                          getBody().front().getTerminator()->getOperandTypes(),
                          "returned values");
}

} // namespace shardsmith::sdy

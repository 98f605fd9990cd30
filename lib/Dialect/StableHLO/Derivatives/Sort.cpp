// SPDX-License-Identifier: Apache-2.0
// Derivative of sorting: cotangents go back where the elements came from.
//
//     forward    sort(keys, values)
//     with       sort(keys, values, 0 1 2 …) -> …, …, origins
//     backward   sort(origins, g_keys, g_values) by origins

#include "Families.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace shardsmith::stablehlo;

namespace shardsmith {
namespace {

int64_t sortedDimension(SortOp op) {
  int64_t dimension = op.getDimension();
  int64_t rank = cast<RankedTensorType>(op->getOperand(0).getType()).getRank();
  return dimension < 0 ? dimension + rank : dimension;
}

SortOp createSort(ImplicitLocOpBuilder &builder, ValueRange inputs,
                  int64_t dimension) {
  return SortOp::create(builder, inputs.getTypes(), inputs,
                        builder.getI64IntegerAttr(dimension),
                        builder.getBoolAttr(true));
}

/// For each sorted element the index at which it was: the same sort with the
/// indices carried along.
Value sortOrigins(SortOp op, ImplicitLocOpBuilder &builder) {
  int64_t dimension = sortedDimension(op);
  auto operandType = cast<RankedTensorType>(op->getOperand(0).getType());
  Type indexType = builder.getI32Type();
  TensorValue indices =
      iota(builder, RankedTensorType::get(operandType.getShape(), indexType),
           dimension);
  SmallVector<Value> inputs(op.getInputs());
  inputs.push_back(indices);
  SortOp sorted = createSort(builder, inputs, dimension);
  sorted.setIsStable(op.getIsStable());

  IRMapping mapping;
  op.getComparator().cloneInto(&sorted.getComparator(), mapping);
  auto scalarType = RankedTensorType::get({}, indexType);
  Block &body = sorted.getComparator().front();
  body.addArguments({scalarType, scalarType}, {op.getLoc(), op.getLoc()});
  return sorted->getResults().back();
}

/// Compares the first pair of scalars.
void buildAscendingComparator(ImplicitLocOpBuilder &builder, SortOp op) {
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<Type> types;
  for (Value input : op.getInputs()) {
    auto elementType = cast<RankedTensorType>(input.getType()).getElementType();
    types.append(2, RankedTensorType::get({}, elementType));
  }
  Region &region = op.getComparator();
  SmallVector<Location> locations(types.size(), builder.getLoc());
  Block *body = builder.createBlock(&region, region.end(), types, locations);
  Value isBefore =
      CompareOp::create(builder, body->getArgument(0), body->getArgument(1),
                        ComparisonDirection::LT);
  ReturnOp::create(builder, isBefore);
}

struct SortModel : DifferentiableInterface::ExternalModel<SortModel, SortOp> {
  LogicalResult buildDerivative(Operation *op, ImplicitLocOpBuilder &builder,
                                ArrayRef<Value> resultCotangents,
                                Cotangents &operandCotangents) const {
    operandCotangents.assign(op->getNumOperands(), nullptr);
    auto sort = cast<SortOp>(op);
    SmallVector<Value> inputs = {sortOrigins(sort, builder)};
    for (Value cotangent : resultCotangents)
      if (cotangent)
        inputs.push_back(cotangent);
    if (inputs.size() == 1)
      return success();
    SortOp restored = createSort(builder, inputs, sortedDimension(sort));
    buildAscendingComparator(builder, restored);
    auto next = restored->result_begin() + 1;
    for (auto [cotangent, target] :
         llvm::zip_equal(resultCotangents, operandCotangents))
      if (cotangent)
        target = *next++;
    return success();
  }
};

} // namespace

void attachSortDerivatives(MLIRContext *context) {
  SortOp::attachInterface<SortModel>(*context);
}

} // namespace shardsmith

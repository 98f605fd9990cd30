// SPDX-License-Identifier: Apache-2.0

#include "Body.h"
#include "shardsmith/Dialect/Smith/DerivativeOps.h"
#include "shardsmith/Dialect/StableHLO/Traits.h"
#include "shardsmith/Localization/StableHLO.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace shardsmith::stablehlo;

namespace shardsmith::manual {
namespace {

/// The given list for leading dimensions, then that of the op.
Sizes led(int64_t filling, size_t lead, ArrayRef<int64_t> list) {
  Sizes result(lead, filling);
  llvm::append_range(result, list);
  return result;
}

/// An op whose operands are the same everywhere stays as it is.
LogicalResult copy(Body &body, Operation *op) {
  bool usesBody = false;
  for (Region &region : op->getRegions())
    region.walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        usesBody |= operand.getParentRegion() == op->getParentRegion();
    });
  if (usesBody)
    return refuse(op, "whose region uses values around it");
  SmallVector<Value> operands = llvm::map_to_vector(
      op->getOperands(), [&](Value local) { return body.get(local).value; });
  body.rebuild(op, operands, {});
  return success();
}

LogicalResult expandElementwise(Body &body, Operation *op, const Axes &axes) {
  SmallVector<Value> operands;
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  for (Value local : op->getOperands()) {
    bool isScalar = cast<RankedTensorType>(local.getType()).getRank() == 0 &&
                    type.getRank() != 0;
    if (isScalar && body.get(local).axes.empty()) {
      operands.push_back(body.get(local).value);
      continue;
    }
    Value value = body.get(local, axes);
    if (isScalar) {
      Sizes shape = body.sizesOf(axes);
      llvm::append_range(shape, type.getShape());
      value = BroadcastInDimOp::create(body.builder, value, shape,
                                       shifted({}, axes.size()));
    }
    operands.push_back(value);
  }
  body.rebuild(op, operands, axes);
  return success();
}

/// One operand differs and nothing is batched: its leading dimensions are
/// free dimensions of the contraction.
void expandContractionOfOne(Body &body, DotGeneralOp op, const Axes &axes) {
  const Everywhere &lhs = body.get(op.getLhs()), &rhs = body.get(op.getRhs());
  DotDimensionNumbersAttr numbers = op.getDotDimensionNumbers();
  size_t left = lhs.axes.size(), right = rhs.axes.size();
  auto contraction = DotDimensionNumbersAttr::get(
      op.getContext(), {}, {},
      raised(numbers.getLhsContractingDimensions(), left),
      raised(numbers.getRhsContractingDimensions(), right));
  Value value = DotGeneralOp::create(body.builder, lhs.value, rhs.value,
                                     contraction, op.getPrecisionConfigAttr(),
                                     op.getType().getElementType());
  // Free dimensions of rhs come after those of lhs.
  if (right != 0) {
    int64_t before = cast<RankedTensorType>(op.getLhs().getType()).getRank() -
                     int64_t(numbers.getLhsContractingDimensions().size());
    Sizes order;
    for (size_t lead = 0; lead < right; ++lead)
      order.push_back(before + int64_t(lead));
    llvm::append_range(order, llvm::seq<int64_t>(before));
    int64_t rank = op.getType().getRank() + int64_t(right);
    llvm::append_range(order,
                       llvm::seq<int64_t>(before + int64_t(right), rank));
    value = body.transpose(value, order);
  }
  body.set(op.getResult(), {value, axes});
}

LogicalResult expandContraction(Body &body, DotGeneralOp op, const Axes &axes) {
  DotDimensionNumbersAttr numbers = op.getDotDimensionNumbers();
  bool isOfOne =
      body.get(op.getLhs()).axes.empty() || body.get(op.getRhs()).axes.empty();
  if (isOfOne && numbers.getLhsBatchingDimensions().empty() &&
      !op.getAlgorithm()) {
    expandContractionOfOne(body, op, axes);
    return success();
  }
  Value operands[] = {body.get(op.getLhs(), axes), body.get(op.getRhs(), axes)};
  auto copy = cast<DotGeneralOp>(body.rebuild(op, operands, axes));
  size_t lead = axes.size();
  copy.setDotDimensionNumbersAttr(DotDimensionNumbersAttr::get(
      op.getContext(), shifted(numbers.getLhsBatchingDimensions(), lead),
      shifted(numbers.getRhsBatchingDimensions(), lead),
      raised(numbers.getLhsContractingDimensions(), lead),
      raised(numbers.getRhsContractingDimensions(), lead)));
  return success();
}

/// Leading dimensions are batching dimensions of operand and positions.
LogicalResult expandGather(Body &body, GatherOp op, const Axes &axes) {
  Value operands[] = {body.get(op.getOperand(), axes),
                      body.get(op.getStartIndices(), axes)};
  auto copy = cast<GatherOp>(body.rebuild(op, operands, axes));
  GatherDimensionNumbersAttr numbers = op.getDimensionNumbers();
  size_t lead = axes.size();
  copy.setDimensionNumbersAttr(GatherDimensionNumbersAttr::get(
      op.getContext(), raised(numbers.getOffsetDims(), lead),
      raised(numbers.getCollapsedSliceDims(), lead),
      shifted(numbers.getOperandBatchingDims(), lead),
      shifted(numbers.getStartIndicesBatchingDims(), lead),
      raised(numbers.getStartIndexMap(), lead),
      numbers.getIndexVectorDim() + int64_t(lead)));
  Sizes sizes(lead, 1);
  llvm::append_range(sizes, op.getSliceSizes());
  copy.setSliceSizes(sizes);
  return success();
}

/// Where positions differ between devices, leading dimensions are batching
/// dimensions of a gather.
LogicalResult expandDynamicSlice(Body &body, DynamicSliceOp op,
                                 const Axes &axes) {
  size_t lead = axes.size();
  auto rank = cast<RankedTensorType>(op.getOperand().getType()).getRank();
  Value operand = body.get(op.getOperand(), axes);
  if (rank == 0) {
    body.set(op.getResult(), {operand, axes});
    return success();
  }
  if (body.axesOf(op.getStartIndices()).empty()) {
    Value zero = createSplat(
        body.builder,
        cast<RankedTensorType>(op.getStartIndices().front().getType()), 0);
    SmallVector<Value> operands(1 + lead, zero);
    operands.front() = operand;
    for (Value start : op.getStartIndices())
      operands.push_back(body.get(start).value);
    auto copy = cast<DynamicSliceOp>(body.rebuild(op, operands, axes));
    Sizes sizes = body.sizesOf(axes);
    llvm::append_range(sizes, op.getSliceSizes());
    copy.setSliceSizes(sizes);
    return success();
  }
  Sizes column = body.sizesOf(axes);
  column.push_back(1);
  SmallVector<Value> columns =
      llvm::map_to_vector(op.getStartIndices(), [&](Value start) {
        return body.reshape(body.get(start, axes), column);
      });
  column.back() = rank;
  Value positions = columns.front();
  if (rank > 1)
    positions = ConcatenateOp::create(
        body.builder, cast<RankedTensorType>(positions.getType()).clone(column),
        columns, lead);
  Sizes dims = raised(llvm::to_vector(llvm::seq<int64_t>(rank)), lead);
  auto numbers = GatherDimensionNumbersAttr::get(
      op.getContext(), /*offsetDims=*/dims, /*collapsedSliceDims=*/{},
      /*operandBatchingDims=*/shifted({}, lead),
      /*startIndicesBatchingDims=*/shifted({}, lead), /*startIndexMap=*/dims,
      /*indexVectorDim=*/lead);
  Value slice = GatherOp::create(
      body.builder, body.typeOf(op.getResult(), axes), operand, positions,
      numbers,
      body.builder.getDenseI64ArrayAttr(led(1, lead, op.getSliceSizes())),
      body.builder.getBoolAttr(false));
  body.set(op.getResult(), {slice, axes});
  return success();
}

LogicalResult expandReduce(Body &body, ReduceOp op, const Axes &axes) {
  if (!body.axesOf(op.getInitValues()).empty())
    return refuse(op, "whose initial value differs between devices");
  SmallVector<Value> operands = llvm::map_to_vector(
      op.getInputs(), [&](Value local) { return body.get(local, axes); });
  for (Value local : op.getInitValues())
    operands.push_back(body.get(local).value);
  auto copy = cast<ReduceOp>(body.rebuild(op, operands, axes));
  copy.setDimensions(raised(op.getDimensions(), axes.size()));
  return success();
}

LogicalResult expandPad(Body &body, PadOp op, const Axes &axes) {
  if (!body.get(op.getPaddingValue()).axes.empty())
    return refuse(op, "whose padding differs between devices");
  Value operands[] = {body.get(op.getOperand(), axes),
                      body.get(op.getPaddingValue()).value};
  auto copy = cast<PadOp>(body.rebuild(op, operands, axes));
  copy.setEdgePaddingLow(led(0, axes.size(), op.getEdgePaddingLow()));
  copy.setEdgePaddingHigh(led(0, axes.size(), op.getEdgePaddingHigh()));
  copy.setInteriorPadding(led(0, axes.size(), op.getInteriorPadding()));
  return success();
}

void expandSlice(Body &body, SliceOp copy, const Axes &axes) {
  Sizes limits = body.sizesOf(axes);
  llvm::append_range(limits, copy.getLimitIndices());
  copy.setStartIndices(led(0, axes.size(), copy.getStartIndices()));
  copy.setLimitIndices(limits);
  copy.setStrides(led(1, axes.size(), copy.getStrides()));
}

void expandConstraint(Body &body, sdy::ShardingConstraintOp copy,
                      const Axes &axes) {
  SmallVector<sdy::DimensionShardingAttr> dims;
  for (unsigned axis : axes)
    dims.push_back(sdy::DimensionShardingAttr::get(copy.getContext(),
                                                   {body.nameOf(axis)}));
  sdy::TensorShardingAttr sharding = copy.getSharding();
  llvm::append_range(dims, sharding.getDimShardings());
  copy.setShardingAttr(sdy::TensorShardingAttr::get(
      copy.getContext(), sharding.getMeshOrRef(), dims,
      sharding.getReplicatedAxes(), sharding.getUnreducedAxes(),
      sharding.getUnreducedKind()));
}

/// Ops whose operands all get the leading dimensions and whose attributes
/// count dimensions.
LogicalResult expandByDimensions(Body &body, Operation *op, const Axes &axes) {
  if (!isa<ReshapeOp, TransposeOp, BroadcastInDimOp, ConcatenateOp, ReverseOp,
           SliceOp, sdy::ShardingConstraintOp>(op))
    return refuse(op, "of values that differ between devices");
  SmallVector<Value> operands = llvm::map_to_vector(
      op->getOperands(), [&](Value local) { return body.get(local, axes); });
  size_t lead = axes.size();
  llvm::TypeSwitch<Operation *>(body.rebuild(op, operands, axes))
      .Case([&](TransposeOp copy) {
        copy.setPermutation(shifted(copy.getPermutation(), lead));
      })
      .Case([&](BroadcastInDimOp copy) {
        copy.setBroadcastDimensions(
            shifted(copy.getBroadcastDimensions(), lead));
      })
      .Case([&](ConcatenateOp copy) {
        copy.setDimension(copy.getDimension() + lead);
      })
      .Case([&](ReverseOp copy) {
        copy.setDimensions(raised(copy.getDimensions(), lead));
      })
      .Case([&](SliceOp copy) { expandSlice(body, copy, axes); })
      .Case([&](sdy::ShardingConstraintOp copy) {
        expandConstraint(body, copy, axes);
      });
  return success();
}

} // namespace

LogicalResult expandOp(Body &body, Operation *op) {
  Axes axes = body.axesOf(op->getOperands());
  body.builder.setLoc(op->getLoc());
  if (axes.empty())
    return copy(body, op);
  if (op->hasTrait<stablehlo::Elementwise>() || isa<smith::StopGradientOp>(op))
    return expandElementwise(body, op, axes);
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case(
          [&](DotGeneralOp dot) { return expandContraction(body, dot, axes); })
      .Case([&](DynamicSliceOp slice) {
        return expandDynamicSlice(body, slice, axes);
      })
      .Case([&](GatherOp gather) { return expandGather(body, gather, axes); })
      .Case([&](ReduceOp reduce) { return expandReduce(body, reduce, axes); })
      .Case([&](PadOp pad) { return expandPad(body, pad, axes); })
      .Default([&](Operation *) { return expandByDimensions(body, op, axes); });
}

} // namespace shardsmith::manual

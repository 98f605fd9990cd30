// SPDX-License-Identifier: Apache-2.0

#include "../Unsupported.h"
#include "Body.h"
#include "shardsmith/Dialect/Chlo/Chlo.h"
#include "shardsmith/Dialect/Smith/MatrixOps.h"
#include "shardsmith/Dialect/StableHLO/Traits.h"
#include "shardsmith/Localization/StableHLO.h"

#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace shardsmith::stablehlo;

namespace shardsmith::manual {
namespace {

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
  followDeviceNumbers(body, op);
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

LogicalResult expandReduce(Body &body, ReduceOp op, const Axes &axes) {
  if (!body.axesOf(op.getInitValues()).empty())
    return body.refuse(op, "whose initial value differs between devices");
  SmallVector<Value> operands = llvm::map_to_vector(
      op.getInputs(), [&](Value local) { return body.get(local, axes); });
  llvm::append_range(operands, body.valuesOf(op.getInitValues()));
  auto copy = cast<ReduceOp>(body.rebuild(op, operands, axes));
  copy.setDimensions(raised(op.getDimensions(), axes.size()));
  return success();
}

LogicalResult expandPad(Body &body, PadOp op, const Axes &axes) {
  if (!body.get(op.getPaddingValue()).axes.empty())
    return body.refuse(op, "whose padding differs between devices");
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
    return body.refuse(op, "of values that differ between devices");
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

/// Leading dimensions are further ones of a batch.
LogicalResult expandByBatch(Body &body, Operation *op, const Axes &axes) {
  SmallVector<Value> operands = llvm::map_to_vector(
      op->getOperands(), [&](Value local) { return body.get(local, axes); });
  Operation *copy = body.rebuild(op, operands, axes);
  if (auto sort = dyn_cast<SortOp>(copy); sort && sort.getDimension() >= 0)
    sort.setDimension(sort.getDimension() + axes.size());
  return success();
}

/// Ops along one dimension, or on the last ones of their operands.
bool takesBatches(Operation *op) {
  return isa<BitcastConvertOp, CholeskyOp, FftOp, SortOp, TriangularSolveOp,
             chlo::TopKOp, smith::EighOp, smith::LuOp, smith::QrOp>(op);
}

} // namespace

LogicalResult expandOp(Body &body, Operation *op) {
  body.builder.setLoc(op->getLoc());
  if (isa<IfOp, CaseOp>(op))
    return expandBranch(body, op);
  if (auto value = dyn_cast<smith::WithDerivativeOp>(op))
    return expandWithDerivative(body, value);
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  if (!body.axesOf(captured.getArrayRef()).empty())
    return body.refuse(
        op, "whose region uses a value that differs between devices");
  Axes axes = body.axesOf(op->getOperands());
  if (axes.empty()) {
    body.rebuild(op, body.valuesOf(op->getOperands()), {});
    return success();
  }
  if (op->hasTrait<stablehlo::Elementwise>() || isa<smith::StopGradientOp>(op))
    return expandElementwise(body, op, axes);
  if (takesBatches(op))
    return expandByBatch(body, op, axes);
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case(
          [&](DotGeneralOp dot) { return expandContraction(body, dot, axes); })
      .Case([&](ConvolutionOp convolution) {
        return expandConvolution(body, convolution, axes);
      })
      .Case([&](DynamicSliceOp slice) {
        return expandDynamicSlice(body, slice, axes);
      })
      .Case([&](DynamicUpdateSliceOp update) {
        return expandDynamicUpdate(body, update, axes);
      })
      .Case([&](GatherOp gather) { return expandGather(body, gather, axes); })
      .Case(
          [&](ScatterOp scatter) { return expandScatter(body, scatter, axes); })
      .Case([&](ReduceOp reduce) { return expandReduce(body, reduce, axes); })
      .Case<ReduceWindowOp, SelectAndScatterOp>(
          [&](auto windows) { return expandWindows(body, windows, axes); })
      .Case([&](PadOp pad) { return expandPad(body, pad, axes); })
      .Default([&](Operation *) { return expandByDimensions(body, op, axes); });
}

LogicalResult expandBlock(Body &body, Block &block) {
  for (Operation &op : block.without_terminator()) {
    for (Type type : op.getResultTypes())
      if (!isa<RankedTensorType>(type))
        return body.refuse(&op, "with a result of type " + quoted(type));
    if (failed(isCollective(&op) ? expandCollective(body, &op)
                                 : expandOp(body, &op)) &&
        failed(body.standIn(&op)))
      return failure();
  }
  return success();
}

} // namespace shardsmith::manual

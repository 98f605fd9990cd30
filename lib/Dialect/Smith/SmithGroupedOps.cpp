// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Dialect/Smith/GroupedOps.h"

#include "shardsmith/Interfaces/FactorRuleModel.h"
#include "shardsmith/Interfaces/WorkModel.h"
#include "shardsmith/Support/TensorTypes.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "shardsmith/Dialect/Smith/SmithGroupedOps.cpp.inc"

namespace shardsmith::smith {
namespace {

/// The tensors of either op, by what they hold: rows on the left, `[…, k]`,
/// rows on the right, `[…, n]`, and matrices `[batches, groups, k, n]`.
struct GroupedTensors {
  RankedTensorType left, right, matrices, groups;
  /// Matrices are `[batches, groups, n, k]`.
  bool transposed = false;

  unsigned batchRank() const { return matrices.getRank() - 3; }
  unsigned rowRank() const { return groups.getRank(); }
  int64_t depth() const {
    return matrices.getShape().drop_back(transposed ? 0 : 1).back();
  }
  int64_t columns() const {
    return matrices.getShape().drop_back(transposed ? 1 : 0).back();
  }
};

GroupedTensors tensorsOf(GroupedDotOp op) {
  return {typeOf(op.getRows()), typeOf(op.getResult()),
          typeOf(op.getMatrices()), typeOf(op.getGroups()), op.getTransposed()};
}

GroupedTensors tensorsOf(GroupedOuterOp op) {
  return {typeOf(op.getLhs()), typeOf(op.getRhs()), typeOf(op.getResult()),
          typeOf(op.getGroups())};
}

LogicalResult verifyRows(Operation *op, const char *name, RankedTensorType type,
                         RankedTensorType groups, int64_t size) {
  ArrayRef<int64_t> shape = type.getShape();
  if (shape.empty() || shape.drop_back() != groups.getShape() ||
      shape.back() != size)
    return op->emitOpError()
           << "has " << name << " of type " << type << ": expected the "
           << "dimensions of the groups, " << groups << ", and one of " << size;
  return success();
}

LogicalResult verifyTensors(Operation *op, const GroupedTensors &tensors,
                            const char *left, const char *right) {
  if (tensors.matrices.getRank() < 3)
    return op->emitOpError() << "has matrices of type " << tensors.matrices
                             << ": expected groups, rows and columns as their "
                                "last three dimensions";
  unsigned batches = tensors.batchRank();
  if (tensors.rowRank() <= batches ||
      tensors.groups.getShape().take_front(batches) !=
          tensors.matrices.getShape().take_front(batches))
    return op->emitOpError()
           << "has groups of type " << tensors.groups << ": expected the "
           << batches << " leading dimensions of the matrices, "
           << tensors.matrices << ", and those of the rows";
  for (RankedTensorType type : {tensors.left, tensors.right, tensors.matrices})
    if (!isa<FloatType>(type.getElementType()))
      return op->emitOpError()
             << "multiplies " << type.getElementType() << ": expected floats";
  if (failed(
          verifyRows(op, left, tensors.left, tensors.groups, tensors.depth())))
    return failure();
  return verifyRows(op, right, tensors.right, tensors.groups,
                    tensors.columns());
}

/// Which tensor of an op, and whether it is a result.
struct Position {
  unsigned number;
  bool isResult = false;
};

/// Batches and rows pass through, with the result of a `grouped_outer` as a
/// sum over rows; the groups must be whole, because rows name them by number.
///
///   dot     ([b, r, k], [b, r], [b, g, k, n])->([b, r, n])  reduction={k}
///   outer   ([b, r, k], [b, r], [b, r, n])->([b, g, k, n])  reduction={r}
FactorRule ruleOf(const GroupedTensors &tensors, Position left, Position right,
                  Position matrices) {
  FactorRuleBuilder builder(/*operandCount=*/3, /*resultCount=*/1);
  using Places = SmallVector<FactorRuleBuilder::Place, 4>;
  auto add = [&](int64_t size, ArrayRef<std::pair<Position, unsigned>> places) {
    Places operands, results;
    for (auto [position, dim] : places)
      (position.isResult ? results : operands)
          .push_back({position.number, dim});
    builder.add(size, operands, results,
                results.empty() ? FactorKind::Reduction
                                : FactorKind::PassThrough);
  };
  constexpr Position groups{1};
  unsigned batches = tensors.batchRank(), rowRank = tensors.rowRank();
  for (unsigned dim = 0; dim < rowRank; ++dim) {
    SmallVector<std::pair<Position, unsigned>> places{
        {left, dim}, {groups, dim}, {right, dim}};
    if (dim < batches)
      places.push_back({matrices, dim});
    add(tensors.groups.getDimSize(dim), places);
  }
  unsigned depth = batches + (tensors.transposed ? 2 : 1);
  unsigned columns = batches + (tensors.transposed ? 1 : 2);
  add(tensors.depth(), {{left, rowRank}, {matrices, depth}});
  add(tensors.columns(), {{right, rowRank}, {matrices, columns}});
  Places inOperand, inResult;
  (matrices.isResult ? inResult : inOperand)
      .push_back({matrices.number, batches});
  builder.add(tensors.matrices.getDimSize(batches), inOperand, inResult,
              FactorKind::NeedReplication);
  builder.addLinearSet({0});
  builder.addLinearSet({2});
  return builder.build();
}

/// Every row is multiplied with one matrix.
OpWork workOf(const GroupedTensors &tensors, Types operands, Types results) {
  OpWork work = readAndWrite(OpWork::Kind::Matmul, operands, results);
  unsigned batches = tensors.batchRank();
  int64_t batch = 1, rows = 1;
  for (auto [dim, size] : llvm::enumerate(tensors.groups.getShape()))
    (dim < batches ? batch : rows) *= size;
  work.product = MatrixProduct{.batch = batch,
                               .rows = rows,
                               .columns = tensors.columns(),
                               .depth = tensors.depth(),
                               .groups = tensors.matrices.getDimSize(batches)};
  work.flops = elementsOf(tensors.left) * 2 * tensors.columns();
  return work;
}

GroupedDotOp groupedDot(ImplicitLocOpBuilder &builder, Type type, Value rows,
                        Value groups, Value matrices, bool transposed) {
  return GroupedDotOp::create(builder, type, rows, groups, matrices,
                              transposed);
}

/// Where a plan has split a product, it has priced the backward pass with the
/// same split: rows stay where they are, and so do the matrices.
void copySplit(GroupedDotOp op, Operation *gradient,
               bool swapsDepthAndColumns) {
  auto axes = op->getAttrOfType<FactorAxesAttr>(kFactorAxesAttributeName);
  if (!axes || !axes.getPartial().empty())
    return;
  SmallVector<ArrayAttr> factors(axes.getFactors());
  unsigned depth = op.getGroups().getType().getRank();
  if (swapsDepthAndColumns)
    std::swap(factors[depth], factors[depth + 1]);
  gradient->setAttr(kFactorAxesAttributeName,
                    FactorAxesAttr::get(op.getContext(), factors,
                                        axes.getPartial(), /*linear_set=*/0));
}

} // namespace

unsigned GroupedDotOp::getBatchRank() { return tensorsOf(*this).batchRank(); }

unsigned GroupedOuterOp::getBatchRank() { return tensorsOf(*this).batchRank(); }

LogicalResult GroupedDotOp::verify() {
  return verifyTensors(*this, tensorsOf(*this), "rows", "a result");
}

LogicalResult GroupedOuterOp::verify() {
  return verifyTensors(*this, tensorsOf(*this), "a left side", "a right side");
}

FactorRule GroupedDotOp::getFactorRule() {
  return ruleOf(tensorsOf(*this), {0}, {0, /*isResult=*/true}, {2});
}

FactorRule GroupedOuterOp::getFactorRule() {
  return ruleOf(tensorsOf(*this), {0}, {2}, {0, /*isResult=*/true});
}

OpWork GroupedDotOp::getWork(Types operands, Types results) {
  return workOf(
      {operands[0], results[0], operands[2], operands[1], getTransposed()},
      operands, results);
}

OpWork GroupedOuterOp::getWork(Types operands, Types results) {
  return workOf({operands[0], operands[2], results[0], operands[1]}, operands,
                results);
}

/// dx[r] = w[group[r]] dy[r], and dw the sum of x[r] dy[r]ᵀ over a group.
LogicalResult
GroupedDotOp::buildDerivative(ImplicitLocOpBuilder &builder,
                              ArrayRef<Value> resultCotangents,
                              SmallVectorImpl<Value> &operandCotangents) {
  operandCotangents.assign(3, nullptr);
  Value g = resultCotangents.front();
  if (!g)
    return success();
  GroupedDotOp toRows = groupedDot(builder, getRows().getType(), g, getGroups(),
                                   getMatrices(), !getTransposed());
  copySplit(*this, toRows, /*swapsDepthAndColumns=*/true);
  operandCotangents[0] = toRows;
  Value left = getTransposed() ? g : getRows();
  Value right = getTransposed() ? getRows() : g;
  auto toMatrices = GroupedOuterOp::create(builder, getMatrices().getType(),
                                           left, getGroups(), right);
  copySplit(*this, toMatrices, /*swapsDepthAndColumns=*/getTransposed());
  operandCotangents[2] = toMatrices;
  return success();
}

LogicalResult
GroupedOuterOp::buildDerivative(ImplicitLocOpBuilder &builder,
                                ArrayRef<Value> resultCotangents,
                                SmallVectorImpl<Value> &operandCotangents) {
  operandCotangents.assign(3, nullptr);
  Value g = resultCotangents.front();
  if (!g)
    return success();
  operandCotangents[0] = groupedDot(builder, getLhs().getType(), getRhs(),
                                    getGroups(), g, /*transposed=*/true);
  operandCotangents[2] = groupedDot(builder, getRhs().getType(), getLhs(),
                                    getGroups(), g, /*transposed=*/false);
  return success();
}

} // namespace shardsmith::smith

// SPDX-License-Identifier: Apache-2.0

#include "AttentionShapes.h"

#include "shardsmith/Interfaces/FactorRuleModel.h"
#include "shardsmith/Interfaces/WorkModel.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "shardsmith/Dialect/Smith/SmithAttentionOps.cpp.inc"

namespace shardsmith::smith {

bool isAttention(Operation *op) {
  return isa<AttentionOp, AttentionGradientOp, PartialAttentionOp,
             PartialAttentionGradientOp>(op);
}

AttentionSizes attentionSizes(RankedTensorType query, RankedTensorType key,
                              RankedTensorType value) {
  ArrayRef<int64_t> sizes = query.getShape();
  size_t rank = sizes.size();
  return {sizes.drop_back(3),    sizes[rank - 3],
          sizes[rank - 2],       key.getShape().drop_back().back(),
          key.getShape().back(), value.getShape().back()};
}

namespace {

/// Attention of all queries to all keys, whose positions are their indices.
template <typename AnyOp> LogicalResult verifyWhole(AnyOp op) {
  if (failed(verifyInputs(op)))
    return failure();
  AttentionSizes sizes = sizesOf(op);
  if ((op.getCausal() || op.getRing()) && sizes.queries != sizes.keys)
    return op.emitOpError() << "is " << (op.getCausal() ? "causal" : "a ring")
                            << " with " << sizes.queries << " queries and "
                            << sizes.keys << " keys: expected as many of each";
  if (!op.getZigzag())
    return success();
  if (!op.getRing())
    return op.emitOpError("is in zigzag but no ring: expected both");
  int64_t ranks = *op.getZigzag();
  if (sizes.queries % 2 != 0 || sizes.queries / 2 % ranks != 0)
    return op.emitOpError()
           << "is in zigzag over " << ranks << " ranks with " << sizes.queries
           << " positions: expected two equal parts per rank";
  return success();
}

/// Places of dimensions for the factors of either op.
///
///   attention  ([b, g, q, d], [b, k, d], [b, k, v], bias)
///                -> ([b, g, q, v], [b, g, q])
///   gradient   ([b, g, q, d], [b, k, d], [b, k, v], [b, g, q, v], [b, g, q],
///               [b, g, q, v], bias) -> ([b, g, q, d], [b, k, d], [b, k, v])
///
/// What the softmax runs over, and what scores are summed over before it, must
/// be whole. Groups and queries of the gradient must be too: over them the
/// gradients of keys and values are sums, but those of queries are not.
///
/// In a ring positions are one factor: q of all that has queries, and k of keys
/// and values. Ranks exchange these, so each has its part of all results.
class RuleWriter {
public:
  using Places = SmallVector<FactorRuleBuilder::Place, 8>;

  RuleWriter(Operation *op, const AttentionSizes &sizes, bool isGradient,
             Value bias)
      : builder(op->getNumOperands(), op->getNumResults()), sizes(sizes),
        isGradient(isGradient) {
    if (bias) {
      biasOperand = op->getNumOperands() - 1;
      biasShape = typeOf(bias).getShape();
    }
  }

  FactorRule run(bool isCausal, bool isRing) {
    unsigned rank = sizes.batch.size();
    for (unsigned dim = 0; dim < rank; ++dim)
      add(sizes.batch[dim], dim, FactorKind::PassThrough,
          {{0, dim}, {1, dim}, {2, dim}}, {{0, dim}, {1, dim}},
          {{3, dim}, {4, dim}, {5, dim}}, {{0, dim}, {1, dim}, {2, dim}});
    FactorKind alone =
        isGradient ? FactorKind::NeedReplication : FactorKind::PassThrough;
    add(sizes.groups, rank, alone, {{0, rank}}, {{0, rank}, {1, rank}},
        {{3, rank}, {4, rank}, {5, rank}}, {{0, rank}});
    addPositions(isCausal, isRing);
    add(sizes.keySize, std::nullopt, FactorKind::NeedReplication,
        {{0, rank + 2}, {1, rank + 1}}, {}, {}, {{0, rank + 2}, {1, rank + 1}});
    add(sizes.valueSize, std::nullopt, alone, {{2, rank + 1}}, {{0, rank + 2}},
        {{3, rank + 2}, {5, rank + 2}}, {{2, rank + 1}});
    for (auto [dim, size] : llvm::enumerate(biasShape))
      if (repeats(dim))
        builder.add(size, {{*biasOperand, unsigned(dim)}}, {},
                    FactorKind::NeedReplication);
    return builder.build();
  }

private:
  void addPositions(bool isCausal, bool isRing) {
    unsigned rank = sizes.batch.size(), query = rank + 1;
    Places keys{{1, rank}, {2, rank}}, queries{{0, query}};
    Places outputs{{0, query}, {1, query}};
    Places cotangents{{3, query}, {4, query}, {5, query}};
    if (isRing) {
      Places all = queries;
      llvm::append_range(all, keys);
      Places gradients = all;
      add(sizes.queries, query, FactorKind::PassThrough, all, outputs,
          cotangents, gradients);
      // Each step takes its keys out of the bias.
      if (biasOperand && !repeats(rank + 2))
        builder.add(sizes.keys, {{*biasOperand, rank + 2}}, {},
                    FactorKind::NeedReplication);
      return;
    }
    // A shard of causal queries does not know where it begins.
    add(sizes.queries, query,
        isGradient || isCausal ? FactorKind::NeedReplication
                               : FactorKind::PassThrough,
        queries, outputs, cotangents, queries);
    add(sizes.keys, rank + 2, FactorKind::NeedReplication, keys, {}, {}, keys);
  }

  int64_t scoreSize(unsigned dim) const {
    unsigned rank = sizes.batch.size();
    return dim < rank        ? sizes.batch[dim]
           : dim == rank     ? sizes.groups
           : dim == rank + 1 ? sizes.queries
                             : sizes.keys;
  }
  bool repeats(unsigned dim) const { return biasShape[dim] != scoreSize(dim); }

  /// `score` is the dimension of the scores, which the bias has too.
  void add(int64_t size, std::optional<unsigned> score, FactorKind kind,
           Places operands, const Places &forwardResults,
           const Places &gradientOperands, const Places &gradients) {
    if (isGradient)
      llvm::append_range(operands, gradientOperands);
    if (score && biasOperand && !repeats(*score))
      operands.push_back({*biasOperand, *score});
    builder.add(size, operands, isGradient ? gradients : forwardResults, kind);
  }

  FactorRuleBuilder builder;
  const AttentionSizes &sizes;
  bool isGradient;
  std::optional<unsigned> biasOperand;
  ArrayRef<int64_t> biasShape;
};

/// Positions of a ring stay where a plan has put them: split like this the
/// gradients are what the plan has priced.
void copySplit(AttentionOp op, AttentionGradientOp gradient) {
  auto axes = op->getAttrOfType<FactorAxesAttr>(kFactorAxesAttributeName);
  if (op.getRing() && axes)
    gradient->setAttr(kFactorAxesAttributeName, axes);
}

/// A product over all pairs of queries and keys, `depth` deep. Causal ones
/// leave out half of them.
OpWork workOf(Types operands, Types results, bool isCausal,
              int64_t productsOfKeys, int64_t productsOfValues) {
  OpWork work = readAndWrite(OpWork::Kind::Matmul, operands, results);
  AttentionSizes sizes = attentionSizes(operands[0], operands[1], operands[2]);
  int64_t keys =
      isCausal ? std::max<int64_t>((sizes.keys + 1) / 2, 1) : sizes.keys;
  int64_t batch = sizes.groups;
  for (int64_t size : sizes.batch)
    batch *= size;
  int64_t depth =
      productsOfKeys * sizes.keySize + productsOfValues * sizes.valueSize;
  work.product = MatrixProduct{
      .batch = batch, .rows = sizes.queries, .columns = keys, .depth = depth};
  auto rows = RankedTensorType::get({batch, sizes.queries},
                                    operands[0].getElementType());
  work.flops = elementsOf(rows) * keys * 2 * depth;
  return work;
}

/// Keys and values go around, and in the backward pass sums of their gradients.
/// In zigzag every step of a causal ring is as much work as the first.
RingWork ringOf(Types operands, bool isTriangular, bool isGradient) {
  RingWork ring;
  // Behind the leading dimensions and the group.
  ring.factor = operands[0].getRank() - 2;
  ring.isTriangular = isTriangular;
  for (RankedTensorType type : {operands[1], operands[2]}) {
    ring.message += bytesOf(type);
    if (isGradient)
      ring.message += bytesOf(type.clone(Float32Type::get(type.getContext())));
  }
  return ring;
}

} // namespace

LogicalResult AttentionOp::verify() { return verifyWhole(*this); }

LogicalResult AttentionGradientOp::verify() {
  if (failed(verifyWhole(*this)))
    return failure();
  if (typeOf(getOutputCotangent()).getShape() != typeOf(getOutput()).getShape())
    return emitOpError() << "has a cotangent of type "
                         << getOutputCotangent().getType()
                         << ": expected the shape of the output, "
                         << getOutput().getType();
  for (auto [operand, gradient] : llvm::zip(getOperands(), getResults()))
    if (operand.getType() != gradient.getType())
      return emitOpError() << "has a gradient of type " << gradient.getType()
                           << ": expected that of the operand, "
                           << operand.getType();
  return success();
}

/// Positions are one factor of a ring, of queries and keys.
bool AttentionOp::takesZigzag(FactorIndex factor, int64_t inner, int64_t size) {
  AttentionSizes sizes = sizesOf(*this);
  return getRing() && inner == 1 && size == sizes.queries &&
         factor == sizes.batch.size() + 1;
}

void AttentionOp::putInZigzag(int64_t ranks, FactorIndex, int64_t, int64_t) {
  setZigzag(ranks);
}

FactorRule AttentionOp::getFactorRule() {
  AttentionSizes sizes = sizesOf(*this);
  return RuleWriter(*this, sizes, /*isGradient=*/false, getBias())
      .run(getCausal(), getRing());
}

FactorRule AttentionGradientOp::getFactorRule() {
  AttentionSizes sizes = sizesOf(*this);
  return RuleWriter(*this, sizes, /*isGradient=*/true, getBias())
      .run(getCausal(), getRing());
}

OpWork AttentionOp::getWork(Types operands, Types results) {
  OpWork work = workOf(operands, results, getCausal(), 1, 1);
  if (getRing())
    work.ring = ringOf(operands, getCausal() && !getZigzag(),
                       /*isGradient=*/false);
  return work;
}

/// Scores and the gradients of queries and keys; the gradients of probabilities
/// and values.
OpWork AttentionGradientOp::getWork(Types operands, Types results) {
  OpWork work = workOf(operands, results, getCausal(), 3, 2);
  if (getRing())
    work.ring = ringOf(operands, getCausal() && !getZigzag(),
                       /*isGradient=*/true);
  return work;
}

LogicalResult
AttentionOp::buildDerivative(ImplicitLocOpBuilder &builder,
                             ArrayRef<Value> resultCotangents,
                             SmallVectorImpl<Value> &operandCotangents) {
  operandCotangents.assign(getNumOperands(), nullptr);
  if (resultCotangents[1])
    return emitOpError("has no derivative for its log-sum-exp; let nothing but "
                       "smith.attention_gradient read it");
  if (!resultCotangents[0])
    return success();
  auto gradient = AttentionGradientOp::create(
      builder,
      TypeRange{getQuery().getType(), getKey().getType(), getValue().getType()},
      getQuery(), getKey(), getValue(), getOutput(), getLogSumExp(),
      resultCotangents[0], getBias(), getCausal(), getRing(), getZigzagAttr(),
      getScale());
  copySplit(*this, gradient);
  for (unsigned operand = 0; operand < 3; ++operand)
    operandCotangents[operand] = gradient.getResult(operand);
  return success();
}

} // namespace shardsmith::smith

// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Dialect/Smith/AttentionOps.h"

#include "shardsmith/Interfaces/FactorRuleModel.h"
#include "shardsmith/Interfaces/WorkModel.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "shardsmith/Dialect/Smith/SmithAttentionOps.cpp.inc"

namespace shardsmith::smith {

AttentionSizes attentionSizes(RankedTensorType query, RankedTensorType key,
                              RankedTensorType value) {
  ArrayRef<int64_t> sizes = query.getShape();
  size_t rank = sizes.size();
  return {sizes.drop_back(3),    sizes[rank - 3],
          sizes[rank - 2],       key.getShape().drop_back().back(),
          key.getShape().back(), value.getShape().back()};
}

namespace {

RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

template <typename AnyOp> AttentionSizes sizesOf(AnyOp op) {
  return attentionSizes(typeOf(op.getQuery()), typeOf(op.getKey()),
                        typeOf(op.getValue()));
}

LogicalResult verifyShape(Operation *op, const char *name, Value value,
                          ArrayRef<int64_t> batch, ArrayRef<int64_t> rest) {
  SmallVector<int64_t> expected(batch);
  llvm::append_range(expected, rest);
  if (typeOf(value).getShape() == ArrayRef<int64_t>(expected))
    return success();
  InFlightDiagnostic error = op->emitOpError()
                             << "has " << name << " of type " << value.getType()
                             << ": expected the sizes ";
  llvm::interleave(
      expected, [&](int64_t size) { error << size; }, [&] { error << 'x'; });
  return error;
}

/// The bias may repeat along any dimension of the scores.
LogicalResult verifyBias(Operation *op, Value bias,
                         const AttentionSizes &sizes) {
  SmallVector<int64_t> scores(sizes.batch);
  scores.append({sizes.groups, sizes.queries, sizes.keys});
  ArrayRef<int64_t> shape = typeOf(bias).getShape();
  bool fits = shape.size() == scores.size();
  for (size_t dim = 0; fits && dim < scores.size(); ++dim)
    fits = shape[dim] == 1 || shape[dim] == scores[dim];
  if (fits)
    return success();
  InFlightDiagnostic error =
      op->emitOpError() << "has a bias of type " << bias.getType()
                        << ": expected for each dimension 1 or the size that "
                           "the scores have, ";
  llvm::interleave(
      scores, [&](int64_t size) { error << size; }, [&] { error << 'x'; });
  return error;
}

template <typename AnyOp> LogicalResult verifyInputs(AnyOp op) {
  if (typeOf(op.getQuery()).getRank() < 3)
    return op.emitOpError() << "has queries of type " << op.getQuery().getType()
                            << ": expected groups, positions and features as "
                               "their last three dimensions";
  for (Value value : {op.getKey(), op.getValue()})
    if (typeOf(value).getRank() != typeOf(op.getQuery()).getRank() - 1)
      return op.emitOpError()
             << "has keys or values of type " << value.getType()
             << ": expected one dimension less than the queries have, "
             << op.getQuery().getType();
  AttentionSizes sizes = sizesOf(op);
  if (failed(
          verifyShape(op, "keys", op.getKey(), sizes.batch,
                      {sizes.keys, typeOf(op.getQuery()).getShape().back()})) ||
      failed(verifyShape(op, "values", op.getValue(), sizes.batch,
                         {sizes.keys, sizes.valueSize})) ||
      failed(verifyShape(op, "an output", op.getOutput(), sizes.batch,
                         {sizes.groups, sizes.queries, sizes.valueSize})) ||
      failed(verifyShape(op, "log-sum-exps", op.getLogSumExp(), sizes.batch,
                         {sizes.groups, sizes.queries})))
    return failure();
  if (op.getBias() && failed(verifyBias(op, op.getBias(), sizes)))
    return failure();
  if (op.getCausal() && sizes.queries != sizes.keys)
    return op.emitOpError()
           << "is causal with " << sizes.queries << " queries and "
           << sizes.keys << " keys: expected as many of each";
  if (!op.getScale().isFinite())
    return op.emitOpError("has a scale that is no finite number");
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

  FactorRule run(bool isCausal) {
    unsigned rank = sizes.batch.size();
    for (unsigned dim = 0; dim < rank; ++dim)
      add(sizes.batch[dim], dim, FactorKind::PassThrough,
          {{0, dim}, {1, dim}, {2, dim}}, {{0, dim}, {1, dim}},
          {{3, dim}, {4, dim}, {5, dim}}, {{0, dim}, {1, dim}, {2, dim}});
    FactorKind alone =
        isGradient ? FactorKind::NeedReplication : FactorKind::PassThrough;
    for (unsigned dim : {rank, rank + 1})
      add(dim == rank ? sizes.groups : sizes.queries, dim,
          // A shard of queries does not know where it begins.
          dim > rank && isCausal ? FactorKind::NeedReplication : alone,
          {{0, dim}}, {{0, dim}, {1, dim}}, {{3, dim}, {4, dim}, {5, dim}},
          {{0, dim}});
    add(sizes.keys, rank + 2, FactorKind::NeedReplication,
        {{1, rank}, {2, rank}}, {}, {}, {{1, rank}, {2, rank}});
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
           Places operands, Places forwardResults, Places gradientOperands,
           Places gradients) {
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

} // namespace

LogicalResult AttentionOp::verify() { return verifyInputs(*this); }

LogicalResult AttentionGradientOp::verify() {
  if (failed(verifyInputs(*this)))
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

FactorRule AttentionOp::getFactorRule() {
  AttentionSizes sizes = sizesOf(*this);
  return RuleWriter(*this, sizes, /*isGradient=*/false, getBias())
      .run(getCausal());
}

FactorRule AttentionGradientOp::getFactorRule() {
  AttentionSizes sizes = sizesOf(*this);
  return RuleWriter(*this, sizes, /*isGradient=*/true, getBias())
      .run(getCausal());
}

OpWork AttentionOp::getWork(Types operands, Types results) {
  return workOf(operands, results, getCausal(), 1, 1);
}

/// Scores and the gradients of queries and keys; the gradients of probabilities
/// and values.
OpWork AttentionGradientOp::getWork(Types operands, Types results) {
  return workOf(operands, results, getCausal(), 3, 2);
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
      resultCotangents[0], getBias(), getCausal(), getScale());
  for (unsigned operand = 0; operand < 3; ++operand)
    operandCotangents[operand] = gradient.getResult(operand);
  return success();
}

} // namespace shardsmith::smith

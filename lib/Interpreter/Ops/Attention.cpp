// SPDX-License-Identifier: Apache-2.0
//
// Attention and its derivative by definition: all scores of one head, in double
// precision, rounded once.

#include "shardsmith/Dialect/Smith/AttentionOps.h"

#include "../Kernels/Elementwise.h"
#include "Register.h"
#include "shardsmith/Interpreter/EvaluatorRegistry.h"
#include "shardsmith/Interpreter/TensorAttributes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

using namespace llvm;

namespace shardsmith::inline interpreter {
namespace {

Tensor inDouble(const Tensor &tensor) {
  return convert(tensor, ElementType::F64).dense();
}

Tensor zerosLike(mlir::Value value) {
  return Tensor::zeros(ElementType::F64, staticTypeOf(value.getType())->shape)
      .denseCopy();
}

void pushRounded(const Tensor &result, mlir::Value value, Tensors &results) {
  results.push_back(convert(result, staticTypeOf(value.getType())->element));
}

/// The scores of an attention, head by head.
class Scores {
public:
  template <typename AnyOp>
  Scores(AnyOp op, Arguments operands)
      : sizes(smith::attentionSizes(
            cast<mlir::RankedTensorType>(op.getQuery().getType()),
            cast<mlir::RankedTensorType>(op.getKey().getType()),
            cast<mlir::RankedTensorType>(op.getValue().getType()))),
        query(inDouble(operands[0])), key(inDouble(operands[1])),
        scale(op.getScale().convertToDouble()), isCausal(op.getCausal()) {
    if (op.getBias())
      bias =
          inDouble(operands[op.getBiasMutable().begin()->getOperandNumber()]);
    queryPositions.resize(static_cast<size_t>(sizes.queries));
    std::iota(queryPositions.begin(), queryPositions.end(), 0);
    keyPositions.resize(static_cast<size_t>(sizes.keys));
    std::iota(keyPositions.begin(), keyPositions.end(), 0);
    biasKeys = keyPositions;
  }

  /// Of a step of a ring: where its queries and keys begin, in a sequence of
  /// `positions`.
  void place(const Tensor &firstQueryAt, const Tensor &firstKeyAt,
             int64_t positions, bool isZigzag) {
    end = positions;
    placeRows(queryPositions, *firstQueryAt.data<int32_t>(), isZigzag);
    placeRows(keyPositions, *firstKeyAt.data<int32_t>(), isZigzag);
  }
  /// All positions, as `ranks` ranks have them one after the other.
  void placeInZigzag(int64_t ranks) {
    end = sizes.queries;
    int64_t half = sizes.queries / ranks / 2;
    for (int64_t row = 0; row < sizes.queries; ++row) {
      int64_t rank = row / (2 * half), at = row % (2 * half);
      keyPositions[static_cast<size_t>(row)] =
          at < half ? rank * half + at : end - (rank + 2) * half + at;
    }
    queryPositions = biasKeys = keyPositions;
  }
  bool isInSequence(int64_t q) const { return queryAt(q) < end; }
  bool isKeyInSequence(int64_t k) const { return keyAt(k) < end; }
  /// Whether a key counts for a query.
  bool meet(int64_t q, int64_t k) const {
    return keyAt(k) < end && (!isCausal || keyAt(k) <= queryAt(q));
  }

  int64_t heads() const { return elementCount(sizes.batch) * sizes.groups; }
  const double *queryRow(int64_t head, int64_t q) const {
    return query.data<double>() + (head * sizes.queries + q) * sizes.keySize;
  }
  const double *keyRow(int64_t head, int64_t k) const {
    return key.data<double>() +
           (head / sizes.groups * sizes.keys + k) * sizes.keySize;
  }

  /// scores[k] for one query.
  std::vector<double> of(int64_t head, int64_t q) const {
    std::vector<double> scores(static_cast<size_t>(sizes.keys), -INFINITY);
    for (int64_t k = 0; k < sizes.keys; ++k) {
      if (!meet(q, k))
        continue;
      double sum = 0;
      for (int64_t d = 0; d < sizes.keySize; ++d)
        sum += queryRow(head, q)[d] * keyRow(head, k)[d];
      sum = sum * scale + (bias ? biasAt(head, q, k) : 0.0);
      scores[static_cast<size_t>(k)] = sum;
    }
    return scores;
  }

  smith::AttentionSizes sizes;
  Tensor query, key;
  double scale;

private:
  int64_t queryAt(int64_t q) const {
    return queryPositions[static_cast<size_t>(q)];
  }
  int64_t keyAt(int64_t k) const {
    return keyPositions[static_cast<size_t>(k)];
  }
  void placeRows(std::vector<int64_t> &positions, int64_t first,
                 bool isZigzag) const {
    int64_t rows = static_cast<int64_t>(positions.size());
    for (int64_t row = 0; row < rows; ++row)
      positions[static_cast<size_t>(row)] =
          isZigzag && row >= rows / 2 ? end - first - rows + row : first + row;
  }

  double biasAt(int64_t head, int64_t q, int64_t k) const {
    k = biasKeys[static_cast<size_t>(k)];
    SmallVector<int64_t> extents(sizes.batch);
    extents.append({sizes.groups, sizes.queries, sizes.keys});
    int64_t position = (head * sizes.queries + q) * sizes.keys + k;
    int64_t index = 0, stride = 1;
    for (size_t dim = extents.size(); dim-- > 0;) {
      int64_t at = position % extents[dim];
      position /= extents[dim];
      if (bias->shape()[dim] != 1)
        index += at * stride;
      stride *= bias->shape()[dim];
    }
    return bias->data<double>()[index];
  }

  std::optional<Tensor> bias;
  bool isCausal;
  /// Of each row its position in the sequence, and of each key its place in the
  /// bias.
  std::vector<int64_t> queryPositions, keyPositions, biasKeys;
  int64_t end = std::numeric_limits<int64_t>::max();
};

/// The output and log-sum-exp of one query, which begin as what earlier keys
/// have left, and take in those of `row`.
void takeKeys(const Scores &scores, int64_t head, int64_t q,
              const Tensor &value, double *output, double &logSumExp) {
  const smith::AttentionSizes &sizes = scores.sizes;
  std::vector<double> row = scores.of(head, q);
  double greatest = logSumExp;
  for (double score : row)
    greatest = std::fmax(greatest, score);
  if (greatest == -INFINITY) {
    std::fill_n(output, sizes.valueSize, std::nan(""));
    return;
  }
  double before = logSumExp == -INFINITY ? 0.0 : std::exp(logSumExp - greatest);
  double sum = before;
  for (double score : row)
    sum += std::exp(score - greatest);
  logSumExp = greatest + std::log(sum);
  for (int64_t v = 0; v < sizes.valueSize; ++v)
    output[v] = before == 0.0 ? 0.0 / sum : output[v] * before / sum;
  for (int64_t k = 0; k < sizes.keys; ++k) {
    if (!scores.meet(q, k))
      continue;
    double p = std::exp(row[static_cast<size_t>(k)] - greatest) / sum;
    const double *from =
        value.data<double>() +
        (head / sizes.groups * sizes.keys + k) * sizes.valueSize;
    for (int64_t v = 0; v < sizes.valueSize; ++v)
      output[v] += p * from[v];
  }
}

void attendTo(const Scores &scores, const Tensor &value, Tensor &output,
              Tensor &logSumExp) {
  const smith::AttentionSizes &sizes = scores.sizes;
  for (int64_t head = 0; head < scores.heads(); ++head)
    for (int64_t q = 0; q < sizes.queries; ++q) {
      int64_t at = head * sizes.queries + q;
      if (scores.isInSequence(q))
        takeKeys(scores, head, q, value,
                 output.mutableData<double>() + at * sizes.valueSize,
                 logSumExp.mutableData<double>()[at]);
    }
}

Tensor filledLike(mlir::Value value, double number) {
  Tensor tensor = zerosLike(value);
  std::fill_n(tensor.mutableData<double>(), elementCount(tensor.shape()),
              number);
  return tensor;
}

LogicalResult evaluateAttention(smith::AttentionOp op, Arguments operands,
                                const Device &, Tensors &results) {
  Scores scores(op, operands);
  if (op.getZigzag())
    scores.placeInZigzag(*op.getZigzag());
  Tensor output = zerosLike(op.getOutput());
  Tensor logSumExp = filledLike(op.getLogSumExp(), -INFINITY);
  attendTo(scores, inDouble(operands[2]), output, logSumExp);
  pushRounded(output, op.getOutput(), results);
  pushRounded(logSumExp, op.getLogSumExp(), results);
  return success();
}

/// The operand in double precision to be added to, or zeros like `result`.
Tensor startFrom(const mlir::MutableOperandRange &operand, mlir::Value result,
                 Arguments operands) {
  if (operand.empty())
    return zerosLike(result);
  return inDouble(operands[operand.begin()->getOperandNumber()]).denseCopy();
}

/// Rows of queries (or keys) whose positions are not in the sequence become
/// zeros.
void clearBehind(Tensor &tensor, int64_t rows,
                 function_ref<bool(int64_t)> isInSequence) {
  int64_t size = tensor.shape().back();
  int64_t total = elementCount(tensor.shape()) / size;
  for (int64_t row = 0; row < total; ++row)
    if (!isInSequence(row % rows))
      std::fill_n(tensor.mutableData<double>() + row * size, size, 0.0);
}

LogicalResult evaluatePartial(smith::PartialAttentionOp op, Arguments operands,
                              const Device &, Tensors &results) {
  Scores scores(op, operands);
  scores.place(operands[3], operands[4], op.getPositions(), op.getZigzag());
  Tensor output =
      startFrom(op.getOutputBeforeMutable(), op.getOutput(), operands);
  Tensor logSumExp = op.getLogSumExpBefore()
                         ? startFrom(op.getLogSumExpBeforeMutable(),
                                     op.getLogSumExp(), operands)
                         : filledLike(op.getLogSumExp(), -INFINITY);
  attendTo(scores, inDouble(operands[2]), output, logSumExp);
  clearBehind(output, scores.sizes.queries,
              [&](int64_t q) { return scores.isInSequence(q); });
  // Rows are numbers here.
  for (int64_t row = 0; row < elementCount(logSumExp.shape()); ++row)
    if (!scores.isInSequence(row % scores.sizes.queries))
      logSumExp.mutableData<double>()[row] = 0;
  pushRounded(output, op.getOutput(), results);
  pushRounded(logSumExp, op.getLogSumExp(), results);
  return success();
}

/// Adds to the gradients of queries, keys and values.
void addGradients(const Scores &scores, Arguments operands, Tensor &queries,
                  Tensor &keys, Tensor &values) {
  const smith::AttentionSizes &sizes = scores.sizes;
  const Tensor value = inDouble(operands[2]), output = inDouble(operands[3]),
               logSumExp = inDouble(operands[4]),
               cotangent = inDouble(operands[5]);
  for (int64_t head = 0; head < scores.heads(); ++head)
    for (int64_t q = 0; q < sizes.queries; ++q) {
      if (!scores.isInSequence(q))
        continue;
      std::vector<double> row = scores.of(head, q);
      int64_t at = head * sizes.queries + q;
      const double *in = cotangent.data<double>() + at * sizes.valueSize;
      const double *out = output.data<double>() + at * sizes.valueSize;
      double mean = 0;
      for (int64_t v = 0; v < sizes.valueSize; ++v)
        mean += in[v] * out[v];
      double *dq = queries.mutableData<double>() + at * sizes.keySize;
      for (int64_t k = 0; k < sizes.keys; ++k) {
        if (!scores.meet(q, k))
          continue;
        int64_t keyAt = head / sizes.groups * sizes.keys + k;
        double p = std::exp(row[static_cast<size_t>(k)] -
                            logSumExp.data<double>()[at]);
        const double *v = value.data<double>() + keyAt * sizes.valueSize;
        double *dv = values.mutableData<double>() + keyAt * sizes.valueSize;
        double dp = 0;
        for (int64_t i = 0; i < sizes.valueSize; ++i) {
          dp += in[i] * v[i];
          dv[i] += p * in[i];
        }
        double ds = p * (dp - mean) * scores.scale;
        double *dk = keys.mutableData<double>() + keyAt * sizes.keySize;
        for (int64_t d = 0; d < sizes.keySize; ++d) {
          dq[d] += ds * scores.keyRow(head, k)[d];
          dk[d] += ds * scores.queryRow(head, q)[d];
        }
      }
    }
}

LogicalResult evaluateGradient(smith::AttentionGradientOp op,
                               Arguments operands, const Device &,
                               Tensors &results) {
  Scores scores(op, operands);
  if (op.getZigzag())
    scores.placeInZigzag(*op.getZigzag());
  Tensor queries = zerosLike(op.getQueryGradient());
  Tensor keys = zerosLike(op.getKeyGradient());
  Tensor values = zerosLike(op.getValueGradient());
  addGradients(scores, operands, queries, keys, values);
  pushRounded(queries, op.getQueryGradient(), results);
  pushRounded(keys, op.getKeyGradient(), results);
  pushRounded(values, op.getValueGradient(), results);
  return success();
}

LogicalResult evaluatePartialGradient(smith::PartialAttentionGradientOp op,
                                      Arguments operands, const Device &,
                                      Tensors &results) {
  Scores scores(op, operands);
  scores.place(operands[6], operands[7], op.getPositions(), op.getZigzag());
  Tensor queries =
      startFrom(op.getQueryBeforeMutable(), op.getQueryGradient(), operands);
  Tensor keys =
      startFrom(op.getKeyBeforeMutable(), op.getKeyGradient(), operands);
  Tensor values =
      startFrom(op.getValueBeforeMutable(), op.getValueGradient(), operands);
  addGradients(scores, operands, queries, keys, values);
  auto isKeyInside = [&](int64_t k) { return scores.isKeyInSequence(k); };
  clearBehind(queries, scores.sizes.queries,
              [&](int64_t q) { return scores.isInSequence(q); });
  clearBehind(keys, scores.sizes.keys, isKeyInside);
  clearBehind(values, scores.sizes.keys, isKeyInside);
  pushRounded(queries, op.getQueryGradient(), results);
  pushRounded(keys, op.getKeyGradient(), results);
  pushRounded(values, op.getValueGradient(), results);
  return success();
}

} // namespace

void registerAttention(EvaluatorRegistry &registry) {
  registry.add(evaluateAttention, Rounding::Sum);
  registry.add(evaluateGradient, Rounding::Sum);
  registry.add(evaluatePartial, Rounding::Sum);
  registry.add(evaluatePartialGradient, Rounding::Sum);
}

} // namespace shardsmith::inline interpreter

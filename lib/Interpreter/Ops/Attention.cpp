// SPDX-License-Identifier: Apache-2.0
//
// Attention and its derivative by definition: all scores of one head, in double
// precision, rounded once.

#include "shardsmith/Dialect/Smith/AttentionOps.h"

#include "../Kernels/Elementwise.h"
#include "Register.h"
#include "shardsmith/Interpreter/EvaluatorRegistry.h"
#include "shardsmith/Interpreter/TensorAttributes.h"

#include <cmath>
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
      bias = inDouble(operands.back());
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
    std::vector<double> scores(static_cast<size_t>(sizes.keys));
    for (int64_t k = 0; k < sizes.keys; ++k) {
      double sum = 0;
      for (int64_t d = 0; d < sizes.keySize; ++d)
        sum += queryRow(head, q)[d] * keyRow(head, k)[d];
      sum = sum * scale + (bias ? biasAt(head, q, k) : 0.0);
      scores[static_cast<size_t>(k)] = isCausal && k > q ? -INFINITY : sum;
    }
    return scores;
  }

  smith::AttentionSizes sizes;
  Tensor query, key;
  double scale;

private:
  double biasAt(int64_t head, int64_t q, int64_t k) const {
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
};

LogicalResult evaluateAttention(smith::AttentionOp op, Arguments operands,
                                const Device &, Tensors &results) {
  Scores scores(op, operands);
  const smith::AttentionSizes &sizes = scores.sizes;
  const Tensor value = inDouble(operands[2]);
  Tensor output = zerosLike(op.getOutput());
  Tensor logSumExp = zerosLike(op.getLogSumExp());
  for (int64_t head = 0; head < scores.heads(); ++head)
    for (int64_t q = 0; q < sizes.queries; ++q) {
      std::vector<double> row = scores.of(head, q);
      double greatest = -INFINITY, sum = 0;
      for (double score : row)
        greatest = std::fmax(greatest, score);
      for (double score : row)
        sum += std::exp(score - greatest);
      int64_t at = head * sizes.queries + q;
      logSumExp.mutableData<double>()[at] = greatest + std::log(sum);
      double *out = output.mutableData<double>() + at * sizes.valueSize;
      for (int64_t k = 0; k < sizes.keys; ++k) {
        double p = std::exp(row[static_cast<size_t>(k)] - greatest) / sum;
        const double *from =
            value.data<double>() +
            (head / sizes.groups * sizes.keys + k) * sizes.valueSize;
        for (int64_t v = 0; v < sizes.valueSize; ++v)
          out[v] += p * from[v];
      }
    }
  pushRounded(output, op.getOutput(), results);
  pushRounded(logSumExp, op.getLogSumExp(), results);
  return success();
}

LogicalResult evaluateGradient(smith::AttentionGradientOp op,
                               Arguments operands, const Device &,
                               Tensors &results) {
  Scores scores(op, operands);
  const smith::AttentionSizes &sizes = scores.sizes;
  const Tensor value = inDouble(operands[2]), output = inDouble(operands[3]),
               logSumExp = inDouble(operands[4]),
               cotangent = inDouble(operands[5]);
  Tensor queries = zerosLike(op.getQueryGradient());
  Tensor keys = zerosLike(op.getKeyGradient());
  Tensor values = zerosLike(op.getValueGradient());
  for (int64_t head = 0; head < scores.heads(); ++head)
    for (int64_t q = 0; q < sizes.queries; ++q) {
      std::vector<double> row = scores.of(head, q);
      int64_t at = head * sizes.queries + q;
      const double *in = cotangent.data<double>() + at * sizes.valueSize;
      const double *out = output.data<double>() + at * sizes.valueSize;
      double mean = 0;
      for (int64_t v = 0; v < sizes.valueSize; ++v)
        mean += in[v] * out[v];
      double *dq = queries.mutableData<double>() + at * sizes.keySize;
      for (int64_t k = 0; k < sizes.keys; ++k) {
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
  pushRounded(queries, op.getQueryGradient(), results);
  pushRounded(keys, op.getKeyGradient(), results);
  pushRounded(values, op.getValueGradient(), results);
  return success();
}

} // namespace

void registerAttention(EvaluatorRegistry &registry) {
  registry.add(evaluateAttention, Rounding::Sum);
  registry.add(evaluateGradient, Rounding::Sum);
}

} // namespace shardsmith::inline interpreter

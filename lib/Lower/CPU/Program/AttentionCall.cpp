// SPDX-License-Identifier: Apache-2.0

#include "AttentionCall.h"

#include "RuntimeCalls.h"

#include "shardsmith/Support/TensorTypes.h"

using namespace mlir;

namespace shardsmith::cpu {
namespace {

/// The bias is read as if it had the dimensions of the scores: where it has
/// only one position, the stride is zero.
void describeBias(Value bias, smith_attention &to) {
  ArrayRef<int64_t> shape = typeOf(bias).getShape();
  int64_t stride = 1;
  for (size_t dim = shape.size(); dim-- > 0;) {
    int64_t step = shape[dim] == 1 ? 0 : stride;
    stride *= shape[dim];
    size_t fromEnd = shape.size() - dim;
    (fromEnd == 1   ? to.bias_key_stride
     : fromEnd == 2 ? to.bias_query_stride
     : fromEnd == 3 ? to.bias_group_stride
                    : to.bias_batch_stride[dim]) = step;
  }
}

template <typename AnyOp> smith_attention describe(AnyOp op) {
  smith::AttentionSizes sizes = smith::attentionSizes(
      typeOf(op.getQuery()), typeOf(op.getKey()), typeOf(op.getValue()));
  smith_attention to = {};
  to.query_dtype = dtypeOf(typeOf(op.getQuery()).getElementType());
  to.key_dtype = dtypeOf(typeOf(op.getKey()).getElementType());
  to.value_dtype = dtypeOf(typeOf(op.getValue()).getElementType());
  to.output_dtype = dtypeOf(typeOf(op.getOutput()).getElementType());
  to.cotangent_dtype = to.output_dtype;
  to.causal = op.getCausal();
  to.scale = static_cast<float>(op.getScale().convertToDouble());
  for (int64_t size : sizes.batch)
    to.batch[to.batch_count++] = size;
  to.groups = sizes.groups;
  to.queries = sizes.queries;
  to.keys = sizes.keys;
  to.key_size = sizes.keySize;
  to.value_size = sizes.valueSize;
  if (op.getBias())
    describeBias(op.getBias(), to);
  return to;
}

template <typename AnyOp> smith_attention describeGradient(AnyOp op) {
  smith_attention to = describe(op);
  auto element = [](Value value) {
    return dtypeOf(typeOf(value).getElementType());
  };
  to.cotangent_dtype = element(op.getOutputCotangent());
  to.query_gradient_dtype = element(op.getQueryGradient());
  to.key_gradient_dtype = element(op.getKeyGradient());
  to.value_gradient_dtype = element(op.getValueGradient());
  return to;
}

} // namespace

std::string whyNotAttention(Operation *op) {
  if (op->hasAttrOfType<IntegerAttr>("zigzag"))
    return "attention in zigzag of which one rank has all positions";
  int64_t batches = typeOf(op->getOperand(0)).getRank() - 3;
  if (batches <= SMITH_ATTENTION_MAX_BATCH)
    return "";
  return ("attention with " + Twine(batches) +
          " leading dimensions, more than " + Twine(SMITH_ATTENTION_MAX_BATCH))
      .str();
}

smith_attention describeAttention(smith::AttentionOp op) {
  return describe(op);
}

smith_attention describeAttention(smith::AttentionGradientOp op) {
  return describeGradient(op);
}

smith_attention describeAttention(smith::PartialAttentionOp op) {
  smith_attention to = describe(op);
  to.positions = op.getPositions();
  to.zigzag = op.getZigzag();
  return to;
}

smith_attention describeAttention(smith::PartialAttentionGradientOp op) {
  smith_attention to = describeGradient(op);
  to.positions = op.getPositions();
  to.zigzag = op.getZigzag();
  return to;
}

} // namespace shardsmith::cpu

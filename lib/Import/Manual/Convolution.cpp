// SPDX-License-Identifier: Apache-2.0
//
// Leading dimensions of the input alone are more samples, those of the kernel
// alone more features of the result. Where both have some, each position is a
// group of features:
//
//     input [2, samples, F]  ─▶  [samples, 2 F]     groups = 2
//     kernel [2, F, O]       ─▶  [F, 2 O]           result [samples, 2 O]

#include "Body.h"
#include "shardsmith/Dialect/Sdy/Sdy.h"
#include "shardsmith/Support/TensorTypes.h"

using namespace mlir;
using namespace shardsmith::stablehlo;

namespace shardsmith::manual {
namespace {

/// The leading dimensions become the outer part of dimension `dim` of what is
/// behind them.
Value mergeInto(Body &body, Value value, size_t lead, int64_t dim) {
  ArrayRef<int64_t> shape = shapeOf(value);
  Sizes order, merged;
  for (int64_t position = 0; position < int64_t(shape.size() - lead);
       ++position) {
    merged.push_back(shape[lead + position]);
    if (position == dim) {
      llvm::append_range(order, llvm::seq<int64_t>(lead));
      merged.back() *= llvm::product_of(shape.take_front(lead));
    }
    order.push_back(int64_t(lead) + position);
  }
  return body.reshape(body.transpose(value, order), merged);
}

/// The reverse: the outer part of dimension `dim`, of these sizes, leads.
Value splitFrom(Body &body, Value value, ArrayRef<int64_t> sizes, int64_t dim) {
  Sizes shape(shapeOf(value)), order;
  shape[dim] /= llvm::product_of(sizes);
  shape.insert(shape.begin() + dim, sizes.begin(), sizes.end());
  int64_t lead = sizes.size();
  for (int64_t position = 0; position < lead; ++position)
    order.push_back(dim + position);
  for (int64_t position = 0; position < int64_t(shape.size()); ++position)
    if (position < dim || position >= dim + lead)
      order.push_back(position);
  return body.transpose(body.reshape(value, shape), order);
}

} // namespace

LogicalResult expandConvolution(Body &body, ConvolutionOp op,
                                const Axes &axes) {
  ConvDimensionNumbersAttr numbers = op.getDimensionNumbers();
  size_t lead = axes.size();
  Sizes sizes = body.sizesOf(axes);
  int64_t count = llvm::product_of(sizes);
  int64_t featureGroups = op.getFeatureGroupCount();
  int64_t batchGroups = op.getBatchGroupCount();
  bool isOfInput = body.get(op.getRhs()).axes.empty() && batchGroups == 1;
  bool isOfKernel = body.get(op.getLhs()).axes.empty() && featureGroups == 1 &&
                    batchGroups == 1;
  bool isOfBoth = !isOfInput && !isOfKernel;

  Value lhs, rhs;
  if (isOfKernel)
    lhs = body.get(op.getLhs()).value;
  else
    lhs = mergeInto(body, body.get(op.getLhs(), axes), lead,
                    isOfInput || batchGroups > 1
                        ? numbers.getInputBatchDimension()
                        : numbers.getInputFeatureDimension());
  if (isOfInput)
    rhs = body.get(op.getRhs()).value;
  else
    rhs = mergeInto(body, body.get(op.getRhs(), axes), lead,
                    numbers.getKernelOutputFeatureDimension());
  int64_t resultDim = isOfInput ? numbers.getOutputBatchDimension()
                                : numbers.getOutputFeatureDimension();

  auto copy = cast<ConvolutionOp>(body.builder.clone(*op));
  copy->setOperands({lhs, rhs});
  copy->removeAttr(sdy::kShardingAttributeName);
  if (isOfBoth && batchGroups > 1)
    copy.setBatchGroupCount(batchGroups * count);
  else if (isOfBoth)
    copy.setFeatureGroupCount(featureGroups * count);
  Sizes shape(shapeOf(op.getResult()));
  shape[resultDim] *= count;
  copy.getResult().setType(typeOf(op.getResult()).clone(shape));
  body.set(op.getResult(),
           {splitFrom(body, copy.getResult(), sizes, resultDim), axes});
  return success();
}

} // namespace shardsmith::manual

// SPDX-License-Identifier: Apache-2.0
//
// Ops that read windows. A device fetches all that the windows of its part of
// the result see; its own op has the padding that is left.
//
//     16 rows over 4 devices, window of 3, padding 1 at both ends
//
//     whole      convolution of 16 rows, padding [1, 1]    -> 16 rows
//     device     convolution of 1 + 4 + 1 rows, padding 0  ->  4 rows

#include "LocalizeModel.h"
#include "Neighbours.h"
#include "shardsmith/Dialect/StableHLO/Matching.h"
#include "shardsmith/Support/TensorTypes.h"

using namespace mlir;

namespace shardsmith::stablehlo {
namespace {

/// Numbers per dimension, which ops leave out where they are trivial.
SmallVector<int64_t> orElse(std::optional<ArrayRef<int64_t>> numbers,
                            size_t count, int64_t otherwise) {
  return numbers ? SmallVector<int64_t>(*numbers)
                 : SmallVector<int64_t>(count, otherwise);
}

/// Low and high padding of every dimension, one after the other.
SmallVector<int64_t> paddingOf(std::optional<DenseIntElementsAttr> attribute,
                               size_t count) {
  if (!attribute)
    return SmallVector<int64_t>(2 * count, 0);
  return llvm::to_vector(attribute->getValues<int64_t>());
}

DenseIntElementsAttr paddingAttribute(OpBuilder &builder,
                                      ArrayRef<int64_t> padding) {
  auto type = RankedTensorType::get({int64_t(padding.size()) / 2, 2},
                                    builder.getI64Type());
  return DenseIntElementsAttr::get(type, padding);
}

/// How many of `groups` groups one device has. They are the major factor of the
/// kernel's output features.
int64_t groupsPerDevice(const LocalizeContext &context, int64_t groups,
                        ArrayRef<FactorIndex> outputFeatures) {
  return groups == 1 ? 1 : context.getLocalSize(outputFeatures.front());
}

SmallVector<Value> localizeConvolution(ConvolutionOp op,
                                       ImplicitLocOpBuilder &builder,
                                       const LocalizeContext &context,
                                       ValueRange operands) {
  ConvDimensionNumbersAttr numbers = op.getDimensionNumbers();
  ArrayRef<int64_t> spatial = numbers.getInputSpatialDimensions();
  SmallVector<int64_t> padding = paddingOf(op.getPadding(), spatial.size());
  SmallVector<int64_t> dilation =
      orElse(op.getLhsDilation(), spatial.size(), 1);
  Value lhs = maskReducedPadding(builder, context, 0, operands[0]);
  Value kernel = maskReducedPadding(builder, context, 1, operands[1]);
  bool hasFetched = false;
  for (auto [index, dim] : llvm::enumerate(spatial)) {
    std::optional<HaloExchange> exchange = findExchange(context, 0, dim);
    if (!exchange)
      continue;
    FetchedRange range = fetchRange(builder, context, 0, dim, *exchange, lhs,
                                    createZero(builder, lhs));
    lhs = range.value;
    padding[2 * index] = range.low;
    padding[2 * index + 1] = range.high;
    dilation[index] = range.interior + 1;
    hasFetched = true;
  }
  auto local = cast<ConvolutionOp>(context.rebuild(builder, {lhs, kernel}));
  if (hasFetched) {
    local.setPaddingAttr(paddingAttribute(builder, padding));
    local.setLhsDilationAttr(builder.getDenseI64ArrayAttr(dilation));
  }
  if (context.getRule().operands.empty())
    return local->getResults();
  ArrayRef<FactorIndex> features =
      context.getRule().operands[1][numbers.getKernelOutputFeatureDimension()];
  auto setGroups = [&](auto set, uint64_t groups) {
    (local.*set)(builder.getI64IntegerAttr(
        groupsPerDevice(context, int64_t(groups), features)));
  };
  setGroups(&ConvolutionOp::setFeatureGroupCountAttr,
            op.getFeatureGroupCount());
  setGroups(&ConvolutionOp::setBatchGroupCountAttr, op.getBatchGroupCount());
  return local->getResults();
}

SmallVector<Value> localizeReduceWindow(ReduceWindowOp op,
                                        ImplicitLocOpBuilder &builder,
                                        const LocalizeContext &context,
                                        ValueRange operands) {
  unsigned inputs = op.getInputs().size();
  unsigned rank = op.getWindowDimensions().size();
  SmallVector<int64_t> padding = paddingOf(op.getPadding(), rank);
  SmallVector<int64_t> dilation = orElse(op.getBaseDilations(), rank, 1);
  SmallVector<Value> locals(operands);
  bool hasFetched = false;
  for (unsigned dim = 0; dim < rank; ++dim) {
    std::optional<HaloExchange> exchange = findExchange(context, 0, dim);
    if (!exchange)
      continue;
    hasFetched = true;
    for (unsigned input = 0; input < inputs; ++input) {
      FetchedRange range = fetchRange(builder, context, input, dim, *exchange,
                                      locals[input], locals[inputs + input]);
      locals[input] = range.value;
      padding[2 * dim] = range.low;
      padding[2 * dim + 1] = range.high;
      dilation[dim] = range.interior + 1;
    }
  }
  auto local = cast<ReduceWindowOp>(context.rebuild(builder, locals));
  if (hasFetched) {
    local.setPaddingAttr(paddingAttribute(builder, padding));
    local.setBaseDilationsAttr(builder.getDenseI64ArrayAttr(dilation));
  }
  return local->getResults();
}

/// A device computes all windows that have one of its elements, from all that
/// these windows see, and keeps its own elements:
///
///     elements 4-7 of 16, windows of 3 every 2 elements
///     windows that begin at 2, 4, 6       see elements 2-8
///
/// The operand is fetched from `window - 1` elements before the device's part
/// on; the first window begins `lead` elements further.
SmallVector<Value> localizeSelectAndScatter(SelectAndScatterOp op,
                                            ImplicitLocOpBuilder &builder,
                                            const LocalizeContext &context,
                                            ValueRange operands) {
  RankedTensorType result = getLocalResultType(context);
  unsigned rank = result.getRank();
  SmallVector<int64_t> windows = orElse(op.getWindowDimensions(), rank, 1);
  SmallVector<int64_t> strides = orElse(op.getWindowStrides(), rank, 1);
  Value operand = operands[0], source = operands[1], init = operands[2];
  std::optional<ReductionKind> kind = matchReduction(op.getScatter());
  struct Crop {
    unsigned dim;
    HaloExchange windows;
  };
  SmallVector<Crop> crops;
  for (unsigned dim = 0; dim < rank; ++dim) {
    std::optional<HaloExchange> ofOperand = findExchange(context, 0, dim);
    std::optional<HaloExchange> ofSource = findExchange(context, 1, dim);
    if (!ofOperand || !ofSource)
      continue;
    auto scalar = RankedTensorType::get({}, result.getElementType());
    operand = fetchRange(builder, context, 0, dim, *ofOperand, operand,
                         createZero(builder, operand))
                  .value;
    // Windows of other shards beyond the ends add nothing.
    HaloExchange wanted = *ofSource;
    wanted.isAligned = true;
    source = fetchRange(builder, context, 1, dim, wanted, source,
                        createNeutral(builder, scalar, *kind))
                 .value;
    int64_t seen = (ofSource->size - 1) * strides[dim] + windows[dim];
    int64_t most = *llvm::max_element(ofSource->lead);
    int64_t have = typeOf(operand).getDimSize(dim);
    operand = padDimension(builder, operand, createZero(builder, operand), dim,
                           0, std::max<int64_t>(most + seen - have, 0));
    operand = sliceFrom(builder, context, context.getOperandLayout(0).dims[dim],
                        operand, dim, ofSource->lead, seen);
    crops.push_back({dim, std::move(*ofSource)});
  }
  if (crops.empty())
    return context.rebuild(builder, operands)->getResults();
  Operation *local = context.rebuild(builder, {operand, source, init});
  local->getResult(0).setType(operand.getType());
  Value value = local->getResult(0);
  for (const Crop &crop : crops) {
    // The device's part begins `window - 1 - lead` elements into the result.
    int64_t before = windows[crop.dim] - 1, size = result.getDimSize(crop.dim);
    int64_t most = *llvm::max_element(crop.windows.lead);
    int64_t low = std::max<int64_t>(most - before, 0);
    int64_t have = low + typeOf(value).getDimSize(crop.dim);
    int64_t least = *llvm::min_element(crop.windows.lead);
    int64_t end = low + before - least + size;
    value = padDimension(builder, value, init, crop.dim, low,
                         std::max<int64_t>(end - have, 0));
    SmallVector<int64_t> starts;
    for (int64_t lead : crop.windows.lead)
      starts.push_back(low + before - lead);
    value =
        sliceFrom(builder, context, context.getOperandLayout(0).dims[crop.dim],
                  value, crop.dim, starts, size);
  }
  return {value};
}

} // namespace

void attachWindowLocalization(MLIRContext *context) {
  LocalizeModel<ConvolutionOp, localizeConvolution>::attach(context);
  LocalizeModel<ReduceWindowOp, localizeReduceWindow>::attach(context);
  LocalizeModel<SelectAndScatterOp, localizeSelectAndScatter>::attach(context);
}

} // namespace shardsmith::stablehlo

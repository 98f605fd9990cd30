// SPDX-License-Identifier: Apache-2.0

#include "SortedRows.h"

#include "IndexViews.h"

#include "shardsmith/Dialect/Sdy/Sdy.h"
#include "shardsmith/Dialect/StableHLO/Matching.h"
#include "shardsmith/Interfaces/FactorRuleInterface.h"
#include "shardsmith/Interfaces/NeighbourhoodInterface.h"
#include "shardsmith/Support/TensorTypes.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace shardsmith {
namespace {

using stablehlo::ComparisonDirection;

/// True for a body that returns whether its first argument is less than its
/// second one.
bool comparesKeysAscending(stablehlo::SortOp sort) {
  Block &body = sort.getComparator().front();
  auto compare =
      body.getTerminator()->getOperand(0).getDefiningOp<stablehlo::CompareOp>();
  if (!compare)
    return false;
  Value first = body.getArgument(0), second = body.getArgument(1);
  auto direction = compare.getComparisonDirection();
  return (direction == ComparisonDirection::LT && compare.getLhs() == first &&
          compare.getRhs() == second) ||
         (direction == ComparisonDirection::GT && compare.getLhs() == second &&
          compare.getRhs() == first);
}

bool isIota(Value value) {
  auto iota = value.getDefiningOp<stablehlo::IotaOp>();
  return iota && typeOf(value).getRank() == 1;
}

} // namespace

/// Notes ops that are built, and gives them the marks of the op they stand for.
class SortedRows::Recorder : public OpBuilder::Listener {
public:
  explicit Recorder(SmallVectorImpl<Operation *> &made) : made(made) {}

  void notifyOperationInserted(Operation *op,
                               OpBuilder::InsertPoint previous) override {
    if (previous.isSet())
      return;
    made.push_back(op);
    if (!source || op->getNumOperands() == 0)
      return;
    for (StringRef name :
         {smith::kUnitAttributeName, smith::kStageAttributeName,
          smith::kRecomputeAttributeName})
      if (Attribute mark = source->getAttr(name))
        op->setAttr(name, mark);
  }

  Operation *source = nullptr;

private:
  SmallVectorImpl<Operation *> &made;
};

SortedRows::SortedRows(stablehlo::SortOp sort, const ExpertRanks &ranks,
                       PartRows partRows)
    : sort(sort), ranks(ranks), partRows(partRows),
      recorder(std::make_unique<Recorder>(made)) {}

SortedRows::~SortedRows() = default;

bool SortedRows::run() {
  if (!readSort())
    return false;
  bool isDone = true;
  for (Operation *op = sort->getNextNode(); op && isDone;
       op = op->getNextNode()) {
    if (llvm::is_contained(made, op) ||
        llvm::none_of(op->getOperands(),
                      [&](Value operand) { return find(operand); }))
      continue;
    isDone = visit(op);
    if (!isDone)
      failedAt = op;
  }
  if (!isDone || !hasProduct) {
    for (Operation *op : llvm::reverse(made))
      op->erase();
    return false;
  }
  for (auto [old, replacement] : replacements)
    old.replaceAllUsesWith(replacement);
  return true;
}

bool SortedRows::readSort() {
  if (sort->getNumOperands() != 2 ||
      typeOf(sort->getOperand(0)).getRank() != 1 ||
      !isa<IntegerType>(getElementTypeOrSelf(sort->getOperand(0))) ||
      !isIota(sort->getOperand(1)) || !comparesKeysAscending(sort))
    return false;
  experts = sort->getOperand(0);
  rowCount = typeOf(experts).getDimSize(0);
  // Only of these it is known that none is negative.
  chosen = withoutViews(experts);
  auto topK = chosen.getDefiningOp<chlo::TopKOp>();
  if (!topK || chosen != topK.getIndices())
    return false;
  choices = typeOf(chosen).getShape().back();
  if (choices == 0)
    return false;
  if (partRows == PartRows::Exchanged && !sendsRows())
    return false;
  if (ranks.capacityFactor > 0 && !areOfSamples())
    return false;
  define(sort->getResult(0), {experts});
  define(sort->getResult(1), {sort->getOperand(1)});
  return true;
}

void SortedRows::define(Value old, Row row) { rows[old] = row; }

const SortedRows::Row *SortedRows::find(Value value) const {
  auto found = rows.find(value);
  return found == rows.end() ? nullptr : &found->second;
}

ImplicitLocOpBuilder SortedRows::builderAt(Operation *op) {
  recorder->source = op;
  return ImplicitLocOpBuilder(op->getLoc(), op, recorder.get());
}

/// The order's own order is its inverse: the order is a permutation.
bool SortedRows::readInverse(stablehlo::SortOp op) {
  if (inverse || op->getNumOperands() != 2 || !isIota(op->getOperand(1)) ||
      !comparesKeysAscending(op) || !op->getResult(0).use_empty())
    return false;
  const Row *keys = find(op->getOperand(0));
  if (!keys || keys->value != sort->getOperand(1))
    return false;
  inverse = op->getResult(1);
  return true;
}

bool SortedRows::visit(Operation *op) {
  if (auto second = dyn_cast<stablehlo::SortOp>(op))
    return readInverse(second);
  if (auto product = dyn_cast<chlo::RaggedDotOp>(op))
    return rebuildProduct(product);
  if (auto gather = dyn_cast<stablehlo::GatherOp>(op))
    return rebuildGather(gather);
  if (auto scatter = dyn_cast<stablehlo::ScatterOp>(op))
    return rebuildScatter(scatter);
  bool isSpread = llvm::any_of(op->getOperands(), [&](Value operand) {
    const Row *row = find(operand);
    return row && row->isSpread;
  });
  // What has not been sent is not sent for an op that can as well be done where
  // the rows come back to.
  bool hasOther = llvm::any_of(op->getOperands(), [&](Value operand) {
    const Row *row = find(operand);
    return row && !row->isSpread;
  });
  if (isSpread && op->hasTrait<stablehlo::Elementwise>() &&
      op->getNumResults() == 1 &&
      !(hasOther && partRows == PartRows::Exchanged))
    return rebuildSpread(op);
  return rebuildRowwise(op);
}

/// `sizes[e]` is how often e occurs among the experts.
bool SortedRows::isCountOfEach(Value sizes, int64_t count) {
  sizes = withoutViews(sizes);
  if (typeOf(sizes).getNumElements() != count)
    return false;
  if (auto reduce = sizes.getDefiningOp<stablehlo::ReduceOp>())
    return isSumOfMatches(reduce);
  if (auto scatter = sizes.getDefiningOp<stablehlo::ScatterOp>())
    return isSumAtExperts(scatter);
  return false;
}

bool SortedRows::areExperts(Value value) {
  value = withoutViews(value);
  const Row *row = find(value);
  return value == withoutViews(experts) ||
         (row && withoutViews(row->value) == withoutViews(experts));
}

/// A sum over rows of whether the expert is e.
bool SortedRows::isSumOfMatches(stablehlo::ReduceOp reduce) {
  if (reduce->getNumResults() != 1 ||
      stablehlo::matchReduction(reduce.getBody()) != ReductionKind::Sum ||
      !stablehlo::isZero(reduce.getInitValues().front()))
    return false;
  auto compare = withoutViews(reduce.getInputs().front())
                     .getDefiningOp<stablehlo::CompareOp>();
  if (!compare || reduce.getDimensions().size() != 1 ||
      compare.getComparisonDirection() != ComparisonDirection::EQ)
    return false;
  int64_t rowDim = reduce.getDimensions().front();
  auto isSpreadExperts = [&](Value value) {
    auto broadcast = value.getDefiningOp<stablehlo::BroadcastInDimOp>();
    return broadcast && broadcast.getBroadcastDimensions()[0] == rowDim &&
           areExperts(broadcast.getOperand());
  };
  auto isNumber = [&](Value value) {
    RankedTensorType type = typeOf(value);
    return type.getRank() == 2 &&
           (rowDim == 0
                ? known.isDigit(value, 1, type.getDimSize(1))
                : known.isDigit(value, type.getDimSize(1), type.getDimSize(0)));
  };
  return (isSpreadExperts(compare.getLhs()) && isNumber(compare.getRhs())) ||
         (isSpreadExperts(compare.getRhs()) && isNumber(compare.getLhs()));
}

/// Ones that are added up at the experts, as `bincount` does.
bool SortedRows::isSumAtExperts(stablehlo::ScatterOp scatter) {
  auto numbers = scatter.getScatterDimensionNumbers();
  if (scatter.getInputs().size() != 1 ||
      stablehlo::matchReduction(scatter.getUpdateComputation()) !=
          ReductionKind::Sum ||
      !stablehlo::isZero(scatter.getInputs().front()) ||
      !stablehlo::isOne(scatter.getUpdates().front()) ||
      typeOf(scatter.getInputs().front()).getRank() != 1 ||
      typeOf(scatter.getUpdates().front()).getRank() != 1 ||
      !numbers.getUpdateWindowDims().empty())
    return false;
  Value indices = scatter.getScatterIndices();
  return typeOf(indices).getNumElements() == rowCount &&
         areExperts(withoutGuards(indices));
}

bool SortedRows::rebuildProduct(chlo::RaggedDotOp op) {
  std::optional<RowsByMatrices> product = RowsByMatrices::of(op);
  const Row *row = find(op.getLhs());
  if (!product || !row || product->contracted != 1 || find(op.getRhs()))
    return false;
  int64_t count = typeOf(op.getRhs()).getDimSize(product->group);
  if (!isCountOfEach(op.getGroupSizes(), count))
    return false;
  // Only one number of experts, and only slots that are fewer than rows.
  int64_t own = perRank(count);
  if ((expertsPerRank != 0 && expertsPerRank != own) ||
      (partRows == PartRows::OfExperts && own >= choices))
    return false;
  expertsPerRank = own;
  expertTotal = count;
  ImplicitLocOpBuilder builder = builderAt(op);
  TensorValue matrices(builder, product->matrices(builder, op.getRhs()));
  Value left = row->value;
  RankedTensorType type = op.getType();
  Value numbers = expertsOfRanks(builder, count);
  if (ranks.count > 1) {
    matrices = matricesOfRanks(matrices);
    if (!row->isSpread)
      left = spread(builder, left);
    SmallVector<int64_t> result(typeOf(numbers).getShape());
    result.push_back(type.getShape().back());
    type = type.clone(result);
  }
  auto dot = smith::GroupedDotOp::create(builder, type, left, numbers, matrices,
                                         product->isTransposed());
  splitLike(op, *product, dot);
  // Of a product that is split like this the result may have any layout.
  if (ranks.count > 1 && !dot->hasAttr(smith::kFactorAxesAttributeName))
    keepOnRanks(dot);
  define(op.getResult(), {dot, ranks.count > 1, /*isZeroElsewhere=*/true});
  hasProduct = true;
  return true;
}

/// One part per rank of what is computed element by element.
bool SortedRows::rebuildSpread(Operation *op) {
  ImplicitLocOpBuilder builder = builderAt(op);
  SmallVector<Value> operands;
  SmallVector<bool> isZero;
  for (Value operand : op->getOperands()) {
    const Row *row = find(operand);
    isZero.push_back(row && row->isSpread && row->isZeroElsewhere);
    Value value = row ? row->value : operand;
    bool isScalar = typeOf(operand).getRank() == 0;
    if (!row && !isScalar && !isSameInAllRows(operand))
      return false;
    if (row && !row->isSpread && getElementTypeOrSelf(value).isInteger(1) &&
        partRows == PartRows::OfExperts)
      return false; // sums of booleans are no booleans
    operands.push_back((row && row->isSpread) || isScalar ? value
                       : row ? spread(builder, value)
                             : spreadSame(builder, value));
  }
  IRMapping mapping;
  mapping.map(op->getOperands(), operands);
  Operation *copy = builder.clone(*op, mapping);
  copy->removeAttr(sdy::kShardingAttributeName);
  copy->removeAttr(smith::kFactorAxesAttributeName);
  RankedTensorType type = typeOf(op->getResult(0));
  copy->getResult(0).setType(type.clone(spreadShape(type.getShape())));
  keepOnRanks(copy->getResult(0));
  bool staysZero = isa<stablehlo::MulOp>(op) ? llvm::is_contained(isZero, true)
                   : isa<stablehlo::ConvertOp, stablehlo::NegOp,
                         stablehlo::AddOp, stablehlo::SubtractOp>(op)
                       ? llvm::all_of(isZero, [](bool each) { return each; })
                       : false;
  define(op->getResult(0), {copy->getResult(0), /*isSpread=*/true, staysZero});
  return true;
}

/// An op that treats every row alike, or sums over all of them.
bool SortedRows::rebuildRowwise(Operation *op) {
  auto interface = dyn_cast<FactorRuleInterface>(op);
  if (!interface)
    return false;
  FactorRule rule = interface.getFactorRule();
  std::optional<FactorIndex> factor;
  for (auto [number, operand] : llvm::enumerate(op->getOperands())) {
    if (!find(operand))
      continue;
    const TensorFactors &dims = rule.operands[number];
    if (dims.empty() || (factor && *factor != dims[0].front()))
      return false;
    for (FactorIndex minor : ArrayRef(dims[0]).drop_front())
      if (rule.factors[minor].size != 1)
        return false;
    factor = dims[0].front();
  }
  const Factor &rowFactor = rule.factors[*factor];
  for (auto [number, operand] : llvm::enumerate(op->getOperands()))
    if (!find(operand) && occursIn(rule.operands[number], *factor) &&
        !isSameInAllRows(operand))
      return false;
  bool passes = rowFactor.kind == FactorKind::PassThrough;
  if (rowFactor.size != rowCount || needsNeighbours(op, *factor) ||
      (!passes && rowFactor.kind != FactorKind::Reduction))
    return false;
  for (auto [number, result] : llvm::enumerate(op->getResults())) {
    const TensorFactors &dims = rule.results[number];
    if (occursIn(dims, *factor) != passes ||
        (passes && (dims[0].front() != *factor ||
                    typeOf(result).getDimSize(0) != rowCount)))
      return false;
  }
  ImplicitLocOpBuilder builder = builderAt(op);
  IRMapping mapping;
  for (Value operand : op->getOperands())
    if (const Row *row = find(operand)) {
      Value value = whole(builder, *row);
      if (!value)
        return false;
      mapping.map(operand, value);
    }
  Operation *copy = builder.clone(*op, mapping);
  copy->removeAttr(sdy::kShardingAttributeName);
  copy->removeAttr(smith::kFactorAxesAttributeName);
  for (auto [old, result] :
       llvm::zip_equal(op->getResults(), copy->getResults())) {
    if (passes)
      define(old, {result});
    else
      replacements.push_back({old, result});
  }
  return true;
}

/// Constants that are one number everywhere, and what is repeated for every
/// row.
bool SortedRows::isSameInAllRows(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto broadcast = dyn_cast_or_null<stablehlo::BroadcastInDimOp>(op))
    return !llvm::is_contained(broadcast.getBroadcastDimensions(), 0);
  auto constant = dyn_cast_or_null<stablehlo::ConstantOp>(op);
  auto elements = constant ? dyn_cast<DenseElementsAttr>(constant.getValue())
                           : DenseElementsAttr();
  return elements && elements.isSplat();
}

} // namespace shardsmith

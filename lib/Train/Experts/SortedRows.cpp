// SPDX-License-Identifier: Apache-2.0

#include "SortedRows.h"

#include "shardsmith/Dialect/Sdy/Sdy.h"
#include "shardsmith/Dialect/Smith/GroupedOps.h"
#include "shardsmith/Dialect/StableHLO/Matching.h"
#include "shardsmith/Interfaces/FactorRuleInterface.h"
#include "shardsmith/Transforms/RaggedDots.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace shardsmith {
namespace {

using stablehlo::ComparisonDirection;

RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// Through ops that only rename or convert elements.
Value withoutViews(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<stablehlo::ReshapeOp, stablehlo::ConvertOp>(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

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

/// Positions in a table whose rows are looked up or added to whole: `[r]` or
/// `[r, 1]`, with `rest` dimensions of the table behind them.
bool takesRows(ArrayRef<int64_t> windowDims, ArrayRef<int64_t> insertedDims,
               ArrayRef<int64_t> indexMap, ArrayRef<int64_t> batching,
               RankedTensorType positions, int64_t vectorDim, int64_t rest) {
  if (!batching.empty() || insertedDims != ArrayRef<int64_t>{0} ||
      indexMap != ArrayRef<int64_t>{0} || vectorDim != 1 ||
      positions.getRank() > 2 || int64_t(windowDims.size()) != rest)
    return false;
  for (auto [number, dim] : llvm::enumerate(windowDims))
    if (dim != int64_t(number) + 1)
      return false;
  return true;
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
  Value chosen = withoutViews(experts);
  auto topK = chosen.getDefiningOp<chlo::TopKOp>();
  if (!topK || chosen != topK.getIndices())
    return false;
  choices = typeOf(chosen).getShape().back();
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

bool SortedRows::visit(Operation *op) {
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
  if (isSpread && op->hasTrait<stablehlo::Elementwise>() &&
      op->getNumResults() == 1)
    return rebuildSpread(op);
  return rebuildRowwise(op);
}

/// `sizes[e]` is how often e occurs among the experts: a sum over rows of
/// whether the expert is e, or ones that are added up at the experts.
bool SortedRows::isCountOfEach(Value sizes, int64_t count) {
  sizes = withoutViews(sizes);
  auto isExperts = [&](Value value) {
    value = withoutViews(value);
    const Row *row = find(value);
    return value == withoutViews(experts) ||
           (row && withoutViews(row->value) == withoutViews(experts));
  };
  auto reduce = sizes.getDefiningOp<stablehlo::ReduceOp>();
  if (!reduce || reduce->getNumResults() != 1 ||
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
           isExperts(broadcast.getOperand());
  };
  auto isNumber = [&](Value value) {
    const std::vector<int64_t> *numbers = known.of(value);
    if (!numbers || typeOf(value).getRank() != 2)
      return false;
    for (size_t place = 0; place < numbers->size(); ++place) {
      int64_t row = int64_t(place) / typeOf(value).getDimSize(1);
      int64_t column = int64_t(place) % typeOf(value).getDimSize(1);
      if ((*numbers)[place] != (rowDim == 0 ? column : row))
        return false;
    }
    return true;
  };
  bool counts =
      (isSpreadExperts(compare.getLhs()) && isNumber(compare.getRhs())) ||
      (isSpreadExperts(compare.getRhs()) && isNumber(compare.getLhs()));
  return counts && typeOf(sizes).getNumElements() == count;
}

Value SortedRows::spread(ImplicitLocOpBuilder &builder, Value value) {
  TensorValue tensor(builder, value);
  SmallVector<int64_t> shape{ranks.count};
  llvm::append_range(shape, tensor.shape());
  if (partRows == PartRows::OfExperts) {
    shape[1] = slotCount();
    return spreadToSlots(tensor, shape);
  }
  auto dims = llvm::to_vector(llvm::seq<int64_t>(1, tensor.rank() + 1));
  Value result = broadcastInDim(tensor, shape, dims);
  keepOnRanks(result);
  return result;
}

/// A slot of expert e has the token's row for e if the token has chosen e, and
/// zeros if not. What is equal in all rows of a token is in all its slots.
Value SortedRows::spreadToSlots(TensorValue tensor, ArrayRef<int64_t> shape) {
  ImplicitLocOpBuilder &builder = tensor.builder();
  int64_t tokens = rowCount / choices;
  SmallVector<int64_t> bySlot(shape);
  bySlot[1] = slotCount() / tokens;
  bySlot.insert(bySlot.begin() + 1, tokens);
  auto finish = [&](TensorValue value) -> Value {
    Value result = reshape(value, shape);
    keepOnRanks(result);
    return result;
  };
  /// Dimensions of the result that those of a value behind its rows become.
  auto behind = [&](int64_t first, int64_t rank) {
    return llvm::to_vector(llvm::seq<int64_t>(first, first + rank));
  };
  int64_t rest = tensor.rank() - 1;
  if (Value table = repeated.lookup(tensor.value())) {
    SmallVector<int64_t> dims{1};
    llvm::append_range(dims, behind(3, rest));
    return finish(broadcastInDim({builder, table}, bySlot, dims));
  }
  auto broadcast = tensor.value().getDefiningOp<stablehlo::BroadcastInDimOp>();
  if (broadcast) {
    ArrayRef<int64_t> dims = broadcast.getBroadcastDimensions();
    TensorValue operand(builder, broadcast.getOperand());
    SmallVector<int64_t> moved;
    if (!dims.empty() && dims[0] == 0 && operand.shape()[0] == rowCount) {
      operand = {builder, spread(builder, operand)};
      moved = {0};
    }
    for (int64_t dim : dims)
      moved.push_back(dim + 1);
    Value result = broadcastInDim(operand, shape, moved);
    keepOnRanks(result);
    return result;
  }
  SmallVector<int64_t> byChoice(bySlot);
  byChoice.insert(byChoice.begin() + 3, choices);
  SmallVector<int64_t> rows{tokens, choices};
  llvm::append_range(rows, tensor.shape().drop_front());
  SmallVector<int64_t> dims{1, 3};
  llvm::append_range(dims, behind(4, rest));
  TensorValue each = broadcastInDim(reshape(tensor, rows), byChoice, dims);
  TensorValue mask =
      broadcastInDim({builder, isChosen}, byChoice, {0, 1, 2, 3});
  return finish(sum(select(mask, each, each.filled(0.0)), {3}));
}

/// The part of a rank is on that rank. How the other dimensions are split is
/// left open.
void SortedRows::keepOnRanks(Value value) {
  auto module = sort->getParentOfType<ModuleOp>();
  auto meshes = module.getOps<sdy::MeshOp>();
  if (ranks.axes.empty() || meshes.empty())
    return;
  MLIRContext *context = value.getContext();
  SmallVector<sdy::AxisRefAttr> axes;
  for (const std::string &name : ranks.axes)
    axes.push_back(sdy::AxisRefAttr::get(context, name));
  SmallVector<sdy::DimensionShardingAttr> dims{
      sdy::DimensionShardingAttr::get(context, axes, /*isClosed=*/true)};
  for (int64_t dim = 1; dim < typeOf(value).getRank(); ++dim)
    dims.push_back(
        sdy::DimensionShardingAttr::get(context, {}, /*isClosed=*/false));
  auto sharding = sdy::TensorShardingAttr::get(
      context, FlatSymbolRefAttr::get((*meshes.begin()).getSymNameAttr()), dims,
      /*replicatedAxes=*/{}, /*unreducedAxes=*/{}, ReductionKind::Sum);
  value.getDefiningOp()->setAttr(
      sdy::kShardingAttributeName,
      sdy::TensorShardingPerValueAttr::get(context, sharding));
}

Value SortedRows::expertsOfRanks(ImplicitLocOpBuilder &builder,
                                 int64_t expertCount) {
  Value &kept = ownExperts[expertCount];
  if (kept)
    return kept;
  TensorValue numbers =
      convert(TensorValue(builder, experts), builder.getI32Type());
  if (ranks.count == 1)
    return kept = numbers;
  if (partRows == PartRows::OfExperts)
    return kept = expertsOfSlots(numbers);
  TensorValue all(builder, spread(builder, numbers));
  TensorValue first =
      iota(builder, all.type(), 0) * double(perRank(expertCount));
  kept = all - first;
  keepOnRanks(kept);
  return kept;
}

/// A slot's number is that of its expert if its token has chosen it.
Value SortedRows::expertsOfSlots(TensorValue numbers) {
  ImplicitLocOpBuilder &builder = numbers.builder();
  int64_t tokens = rowCount / choices, own = slotCount() / tokens;
  SmallVector<int64_t> byChoice{ranks.count, tokens, own, choices};
  RankedTensorType type = numbers.type().clone(byChoice);
  TensorValue each =
      broadcastInDim(reshape(numbers, {tokens, choices}), byChoice, {1, 3});
  TensorValue first = iota(builder, type, 0) * double(own);
  TensorValue expert = first + iota(builder, type, 2);
  isChosen = compare(each, ComparisonDirection::EQ, expert);
  keepOnRanks(isChosen);
  TensorValue count =
      sum(convert(TensorValue(builder, isChosen), builder.getI32Type()), {3});
  TensorValue isTaken = compare(count, ComparisonDirection::GT, 0.0);
  TensorValue slot = iota(builder, count.type(), 2);
  Value result = reshape(select(isTaken, slot, count.filled(-1.0)),
                         {ranks.count, tokens * own});
  keepOnRanks(result);
  return result;
}

int64_t SortedRows::slotCount() const {
  return rowCount / choices * expertsPerRank;
}

int64_t SortedRows::perRank(int64_t experts) const {
  return (experts + ranks.count - 1) / ranks.count;
}

/// `[experts, …]` as `[ranks, experts of a rank, …]`. The last ranks have fewer
/// where sizes do not divide: no row names the matrices that fill them up.
TensorValue SortedRows::matricesOfRanks(TensorValue matrices) {
  ImplicitLocOpBuilder &builder = matrices.builder();
  SmallVector<int64_t> shape(matrices.shape());
  int64_t own = perRank(shape[0]), missing = ranks.count * own - shape[0];
  if (missing > 0) {
    SmallVector<int64_t> none(shape.size(), 0), high(none);
    high[0] = missing;
    shape[0] += missing;
    matrices = {builder, stablehlo::PadOp::create(
                             builder, matrices.type().clone(shape), matrices,
                             scalar(builder, matrices.elementType(), 0.0), none,
                             high, none)};
  }
  shape[0] = own;
  shape.insert(shape.begin(), ranks.count);
  return reshape(matrices, shape);
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
  ImplicitLocOpBuilder builder = builderAt(op);
  TensorValue matrices(builder, product->matrices(builder, op.getRhs()));
  Value left = row->value;
  RankedTensorType type = op.getType();
  Value numbers = expertsOfRanks(builder, count);
  if (ranks.count > 1) {
    matrices = matricesOfRanks(matrices);
    if (!row->isSpread)
      left = spread(builder, left);
    SmallVector<int64_t> result{ranks.count};
    llvm::append_range(result, type.getShape());
    result[1] = typeOf(numbers).getDimSize(1);
    type = type.clone(result);
  }
  Value result = smith::GroupedDotOp::create(builder, type, left, numbers,
                                             matrices, product->isTransposed());
  if (ranks.count > 1)
    keepOnRanks(result);
  define(op.getResult(), {result, ranks.count > 1, /*isZeroElsewhere=*/true});
  hasProduct = true;
  return true;
}

std::optional<int64_t> SortedRows::rowsPerToken(Value positions,
                                                int64_t tokens) {
  const std::vector<int64_t> *numbers = known.of(positions);
  if (!numbers || tokens == 0 || rowCount % tokens != 0 ||
      int64_t(numbers->size()) != rowCount)
    return std::nullopt;
  int64_t perToken = rowCount / tokens;
  for (int64_t row = 0; row < rowCount; ++row)
    if ((*numbers)[size_t(row)] != row / perToken)
      return std::nullopt;
  return perToken;
}

/// Null where the parts have slots instead of rows.
Value SortedRows::whole(ImplicitLocOpBuilder &builder, const Row &row) {
  if (!row.isSpread)
    return row.value;
  if (partRows == PartRows::OfExperts)
    return {};
  return sum(TensorValue(builder, byTokens(builder, row, rowCount)), {0});
}

/// Parts whose foreign rows are not zero are masked first.
Value SortedRows::byTokens(ImplicitLocOpBuilder &builder, const Row &row,
                           int64_t tokens) {
  TensorValue value(builder, row.value);
  if (row.isSpread && !row.isZeroElsewhere) {
    int64_t count = perRank(ownExperts.begin()->first);
    TensorValue own(builder, ownExperts.begin()->second);
    TensorValue isOwn = compare(own, ComparisonDirection::GE, 0.0) &
                        compare(own, ComparisonDirection::LT, double(count));
    TensorValue mask = broadcastInDim(isOwn, value.shape(), {0, 1});
    value = select(mask, value, value.filled(0.0));
  }
  size_t rowDim = row.isSpread ? 1 : 0;
  if (tokens == value.shape()[rowDim])
    return value;
  SmallVector<int64_t> shape(value.shape());
  shape[rowDim] /= tokens;
  shape.insert(shape.begin() + rowDim, tokens);
  return reshape(value, shape);
}

/// Rows of a table of tokens are that table with each row repeated.
bool SortedRows::rebuildGather(stablehlo::GatherOp op) {
  const Row *positions = find(op.getStartIndices());
  if (!positions || positions->isSpread || find(op.getOperand()))
    return false;
  auto numbers = op.getDimensionNumbers();
  RankedTensorType table = typeOf(op.getOperand());
  ArrayRef<int64_t> sizes = op.getSliceSizes();
  bool isPlain =
      takesRows(numbers.getOffsetDims(), numbers.getCollapsedSliceDims(),
                numbers.getStartIndexMap(), numbers.getOperandBatchingDims(),
                typeOf(op.getStartIndices()), numbers.getIndexVectorDim(),
                table.getRank() - 1) &&
      sizes.drop_front() == table.getShape().drop_front();
  if (!isPlain)
    return false;
  ImplicitLocOpBuilder builder = builderAt(op);
  int64_t tokens = table.getDimSize(0);
  std::optional<int64_t> perToken = rowsPerToken(positions->value, tokens);
  if (!perToken) {
    IRMapping mapping;
    mapping.map(op.getStartIndices(), positions->value);
    Operation *copy = builder.clone(*op, mapping);
    copy->removeAttr(sdy::kShardingAttributeName);
    copy->removeAttr(smith::kFactorAxesAttributeName);
    define(op.getResult(), {copy->getResult(0)});
    return true;
  }
  TensorValue value(builder, op.getOperand());
  if (*perToken > 1) {
    SmallVector<int64_t> shape(table.getShape());
    shape.insert(shape.begin() + 1, *perToken);
    SmallVector<int64_t> dims{0};
    for (int64_t dim = 1; dim < table.getRank(); ++dim)
      dims.push_back(dim + 1);
    Value table = value;
    value = reshape(broadcastInDim(value, shape, dims),
                    typeOf(op.getResult()).getShape());
    if (*perToken == choices)
      repeated[value] = table;
  }
  define(op.getResult(), {value});
  return true;
}

/// Rows that are added to their tokens are a sum over the rows of each token.
bool SortedRows::rebuildScatter(stablehlo::ScatterOp op) {
  if (op.getInputs().size() != 1)
    return false;
  Value input = op.getInputs().front();
  const Row *positions = find(op.getScatterIndices());
  const Row *updates = find(op.getUpdates().front());
  if (!positions || positions->isSpread || !updates || find(input))
    return false;
  auto numbers = op.getScatterDimensionNumbers();
  int64_t tokens = typeOf(input).getDimSize(0);
  std::optional<int64_t> perToken = rowsPerToken(positions->value, tokens);
  bool isPlain =
      perToken &&
      takesRows(numbers.getUpdateWindowDims(), numbers.getInsertedWindowDims(),
                numbers.getScatterDimsToOperandDims(),
                numbers.getInputBatchingDims(), typeOf(op.getScatterIndices()),
                numbers.getIndexVectorDim(), typeOf(input).getRank() - 1);
  if (!isPlain)
    return false;
  bool replaces = stablehlo::returnsSecondArgument(op.getUpdateComputation());
  bool adds = stablehlo::matchReduction(op.getUpdateComputation()) ==
              ReductionKind::Sum;
  if (!adds && !(replaces && *perToken == 1))
    return false;
  bool hasSlots = updates->isSpread && partRows == PartRows::OfExperts;
  if (hasSlots && *perToken != choices)
    return false;
  ImplicitLocOpBuilder builder = builderAt(op);
  TensorValue value(builder, byTokens(builder, *updates, tokens));
  SmallVector<int64_t> dims;
  if (updates->isSpread)
    dims.push_back(0);
  if (value.rank() > typeOf(input).getRank() + int64_t(dims.size()))
    dims.push_back(updates->isSpread ? 2 : 1);
  if (!dims.empty())
    value = sum(value, dims);
  if (adds && !stablehlo::isZero(input))
    value = TensorValue(builder, input) + value;
  replacements.push_back({op->getResult(0), value});
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

SmallVector<int64_t> SortedRows::spreadShape(ArrayRef<int64_t> rows) const {
  SmallVector<int64_t> shape{ranks.count};
  llvm::append_range(shape, rows);
  if (partRows == PartRows::OfExperts)
    shape[1] = slotCount();
  return shape;
}

/// What is the same in all rows, for all rows of all parts.
Value SortedRows::spreadSame(ImplicitLocOpBuilder &builder, Value value) {
  SmallVector<int64_t> shape = spreadShape(typeOf(value).getShape());
  Value result;
  if (auto broadcast = value.getDefiningOp<stablehlo::BroadcastInDimOp>()) {
    SmallVector<int64_t> dims;
    for (int64_t dim : broadcast.getBroadcastDimensions())
      dims.push_back(dim + 1);
    result = broadcastInDim({builder, broadcast.getOperand()}, shape, dims);
  } else {
    auto constant = value.getDefiningOp<stablehlo::ConstantOp>();
    auto elements = cast<DenseElementsAttr>(constant.getValue());
    RankedTensorType type = typeOf(value).clone(shape);
    return stablehlo::ConstantOp::create(
        builder,
        DenseElementsAttr::get(type, elements.getSplatValue<Attribute>()));
  }
  keepOnRanks(result);
  return result;
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
  auto hasFactor = [&](const TensorFactors &dims) {
    return llvm::any_of(dims, [&](const auto &list) {
      return llvm::is_contained(list, *factor);
    });
  };
  for (auto [number, operand] : llvm::enumerate(op->getOperands()))
    if (!find(operand) && hasFactor(rule.operands[number]) &&
        !isSameInAllRows(operand))
      return false;
  bool passes = rowFactor.kind == FactorKind::PassThrough;
  if (rowFactor.size != rowCount ||
      (!passes && rowFactor.kind != FactorKind::Reduction))
    return false;
  for (auto [number, result] : llvm::enumerate(op->getResults())) {
    const TensorFactors &dims = rule.results[number];
    if (hasFactor(dims) != passes ||
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

// SPDX-License-Identifier: Apache-2.0
//
// A new body is built beside the old one, op by op, and takes its place. Each
// value of the old one has a layout on a mesh of the temporal axis alone:
//
//   whole     equal in all micro-batches
//   split     one dimension is; the new value is that of one micro-batch
//   partial   the sum over all micro-batches of the new value is the old one
//
// With per-micro-batch semantics, where single samples use a value of the whole
// batch, the micro-batch's own takes its place: count times its term of a sum,
// and all that is computed of such.
//
// Ops of whole operands are copied. An op of a split operand is split along
// the same factor, whole operands of that factor are cut; an op of partial
// operands stays partial if it is linear in just these, otherwise they are
// accumulated before.

#include "shardsmith/Partition/Passes.h"

#include "KnownAhead.h"
#include "SampleSlices.h"
#include "TimeSplit.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "shardsmith/Dialect/Smith/LoopOps.h"
#include "shardsmith/Dialect/Smith/MicroBatchOps.h"
#include "shardsmith/Dialect/StableHLO/StableHLO.h"
#include "shardsmith/Interfaces/FactorRuleInterface.h"
#include "shardsmith/Interfaces/LocalizeInterface.h"
#include "shardsmith/Localization/StableHLO.h"

using namespace mlir;

namespace shardsmith {

#define GEN_PASS_DEF_SPLITMICROBATCHES
#include "shardsmith/Partition/Passes.h.inc"

namespace {

RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

class MicroBatchSplitter {
public:
  MicroBatchSplitter(func::FuncOp function, int64_t count, Block *body)
      : function(function), count(count), mesh({Mesh::Axis{"time", count}}),
        body(body), indices(body, mesh),
        builder(function.getLoc(), function.getContext()),
        isPerMicroBatch(function->hasAttr(smith::kPerMicroBatchAttributeName)) {
    builder.setInsertionPointToEnd(body);
  }

  LogicalResult run() {
    index = smith::MicroBatchIndexOp::create(
        builder, RankedTensorType::get({}, builder.getI32Type()), count);
    slices.emplace(builder, index, count);
    for (BlockArgument argument : function.getArguments())
      if (failed(addArgument(argument)))
        return failure();
    ahead.emplace(function, body, [&](Value value) { return isSplit(value); });
    for (Operation &op : function.front().without_terminator()) {
      builder.setLoc(op.getLoc());
      if (failed(visit(&op)))
        return failure();
    }
    addReturn(cast<func::ReturnOp>(function.front().getTerminator()));
    for (auto shard :
         llvm::make_early_inc_range(body->getOps<smith::ShardIndexOp>()))
      if (cast<StringAttr>(shard.getAxes()[0]) == "time") {
        shard.getResult().replaceAllUsesWith(index);
        shard.erase();
      }
    index.getDefiningOp()->moveBefore(&body->front());
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*body)))
      if (isOpTriviallyDead(&op))
        op.erase();
    return success();
  }

private:
  bool isSplit(Value value) const {
    return llvm::any_of(layouts.lookup(value).dims,
                        [](const AxisList &axes) { return !axes.empty(); });
  }
  bool isPartial(Value value) const {
    return layouts.lookup(value).isPartial();
  }

  static unsigned splitDim(const Layout &layout) {
    unsigned dim = 0;
    while (layout.dims[dim].empty())
      ++dim;
    return dim;
  }
  unsigned splitDim(Value value) const {
    return splitDim(layouts.lookup(value));
  }

  void setWhole(Value value, Value local) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    layouts[value] = Layout::replicated(type ? type.getRank() : 0);
    locals.map(value, local);
  }

  LogicalResult addArgument(BlockArgument argument) {
    Value local = body->addArgument(argument.getType(), argument.getLoc());
    setWhole(argument, local);
    unsigned number = argument.getArgNumber();
    auto role = function.getArgAttrOfType<StringAttr>(
        number, smith::kRoleAttributeName);
    if (!role || role.getValue() != "batch")
      return success();
    auto dimension = function.getArgAttrOfType<IntegerAttr>(
        number, smith::kBatchDimAttributeName);
    int64_t dim = dimension ? dimension.getInt() : 0;
    if (dim < 0 || dim >= typeOf(argument).getRank())
      return success();
    if (int64_t size = typeOf(argument).getDimSize(dim); size % count != 0)
      return function.emitError()
             << "argument " << number << " has a batch of " << size
             << ", which does not divide into " << count
             << " micro-batches; use a divisor of it";
    layouts[argument].dims[dim] = {timeAxis};
    grains[argument] = 1;
    locals.map(argument, slices->take(local, dim));
    return success();
  }

  /// Regions may use what an op does not list as operands.
  LogicalResult visitCaptures(Operation *op) {
    llvm::SetVector<Value> captured;
    getUsedValuesDefinedAbove(op->getRegions(), captured);
    for (Value value : captured)
      if (isSplit(value) || isPartial(value) || combined.contains(value))
        return refuse(op, "uses the batch inside of a region");
    return success();
  }

  LogicalResult visit(Operation *op) {
    if (failed(visitCaptures(op)))
      return failure();
    if (auto barrier = dyn_cast<stablehlo::OptimizationBarrierOp>(op)) {
      visitBarrier(barrier);
      return success();
    }
    auto isSplitOperand = [&](Value operand) { return isSplit(operand); };
    if (llvm::any_of(op->getOperands(), isSplitOperand))
      return visitSplit(op);
    std::optional<FactorAxes> axes = linearIn(op);
    if (axes) {
      addResults(op, *axes, localOperands(op));
      return success();
    }
    accumulatePartialOperands(op);
    Operation *copy = cloneWhole(op);
    for (auto [result, local] :
         llvm::zip_equal(op->getResults(), copy->getResults()))
      setWhole(result, local);
    return success();
  }

  /// An op may be built again for one micro-batch. Arguments of its regions are
  /// therefore not remembered: regions are cloned without arguments that are
  /// mapped already.
  Operation *cloneWhole(Operation *op) {
    if (op->getNumRegions() == 0)
      return builder.clone(*op, locals);
    IRMapping ofRegions = locals;
    return builder.clone(*op, ofRegions);
  }

  /// Every operand is handed on as it is. What is done once per micro-batch and
  /// what is done once cannot wait for each other, so that they get barriers of
  /// their own.
  void visitBarrier(stablehlo::OptimizationBarrierOp op) {
    SmallVector<unsigned> inParts, equal;
    for (OpOperand &operand : op->getOpOperands()) {
      Value value = operand.get();
      bool isInParts = isSplit(value) || isPartial(value);
      (isInParts ? inParts : equal).push_back(operand.getOperandNumber());
    }
    for (ArrayRef<unsigned> group : {ArrayRef(inParts), ArrayRef(equal)}) {
      if (group.empty())
        continue;
      SmallVector<Value> operands;
      for (unsigned number : group)
        operands.push_back(locals.lookup(op->getOperand(number)));
      auto barrier = stablehlo::OptimizationBarrierOp::create(
          builder, ValueRange(operands).getTypes(), operands);
      if (group.size() == op->getNumOperands())
        barrier->setDiscardableAttrs(op->getDiscardableAttrDictionary());
      for (auto [number, local] : llvm::zip_equal(group, barrier.getResults()))
        setLike(op->getResult(number), op->getOperand(number), local);
    }
  }

  /// What is known of one value holds for another one, too.
  void setLike(Value value, Value other, Value local) {
    locals.map(value, local);
    layouts[value] = layouts.lookup(other);
    grains[value] = grains.lookup(other);
    if (Operation *mixer = mixers.lookup(other))
      mixers[value] = mixer;
    if (Operation *maker = combined.lookup(other))
      combined[value] = maker;
  }

  /// The linear set that the partial operands are, if there are any and they
  /// are one. What has been accumulated is known after all micro-batches alone,
  /// so that nothing it goes into can wait to be.
  std::optional<FactorAxes> linearIn(Operation *op) const {
    auto interface = dyn_cast<FactorRuleInterface>(op);
    if (!interface)
      return std::nullopt;
    SmallVector<unsigned, 2> partial;
    for (OpOperand &operand : op->getOpOperands()) {
      if (combined.contains(operand.get()))
        return std::nullopt;
      if (isPartial(operand.get())) {
        if (layouts.lookup(operand.get()).partialKind != ReductionKind::Sum)
          return std::nullopt;
        partial.push_back(operand.getOperandNumber());
      }
    }
    if (partial.empty() || !isWorthWaiting(op, partial))
      return std::nullopt;
    FactorRule rule = interface.getFactorRule();
    auto set = llvm::find(rule.linearOperandSets, partial);
    if (set == rule.linearOperandSets.end())
      return std::nullopt;
    FactorAxes axes = FactorAxes::none(rule);
    axes.partial = {timeAxis};
    axes.linearSet = set - rule.linearOperandSets.begin();
    return axes;
  }

  /// Sums are taken where they are smallest, and once: of what several ops
  /// read, and of what an op makes larger, before.
  bool isWorthWaiting(Operation *op, ArrayRef<unsigned> partial) const {
    int64_t before = 0, behind = 0;
    for (unsigned operand : partial) {
      Value value = op->getOperand(operand);
      if (llvm::any_of(value.getUsers(),
                       [&](Operation *user) { return user != op; }))
        return false;
      before = std::max(before, typeOf(value).getNumElements());
    }
    // What stages make is not sent from one to the other in every micro-batch.
    Attribute stage = stageOf(op->getOperand(partial.front()));
    for (unsigned operand : partial)
      if (stageOf(op->getOperand(operand)) != stage)
        return false;
    for (Value result : op->getResults())
      behind += typeOf(result).getNumElements();
    return behind <= before;
  }

  static Attribute stageOf(Value value) {
    Operation *maker = value.getDefiningOp();
    return maker ? maker->getAttr(smith::kStageAttributeName) : Attribute();
  }

  LogicalResult visitSplit(Operation *op) {
    if (isPerMicroBatch)
      takeSumsAhead(op);
    else
      accumulatePartialOperands(op);
    for (Value operand : op->getOperands())
      if (Operation *maker = whyNotOwn(operand))
        return refuse(op,
                      "uses values of single samples together with one of "
                      "the whole batch",
                      maker);
    auto interface = dyn_cast<FactorRuleInterface>(op);
    if (!interface)
      return refuse(op, "has no factor rule, so nobody can split its batch");
    FactorRule rule = interface.getFactorRule();
    std::optional<TimeSplit> split = splitLike(op, rule);
    if (!split)
      return refuse(op, "does not treat samples one by one");
    addResults(op, split->axes, operandsOf(op, rule, *split));
    for (OpResult result : op->getResults())
      if (isSplit(result))
        grains[result] =
            split->grainOf(rule, rule.results[result.getResultNumber()]);
    return success();
  }

  /// Null if single samples may use the value; else the op that combined them.
  Operation *whyNotOwn(Value value) {
    Operation *maker = combined.lookup(value);
    if (isPartial(value))
      maker = mixers.lookup(value);
    return maker && (!isPerMicroBatch || !ownOf(value)) ? maker : nullptr;
  }

  /// Of a value that is partial, or that what is accumulated goes into: what
  /// the micro-batch alone gives. Null if there is no such thing.
  Value ownOf(Value value) {
    if (auto known = own.find(value); known != own.end())
      return known->second;
    Value made = isPartial(value) || sums.contains(value) ? ownOfTerm(value)
                                                          : ownOfMaker(value);
    return own[value] = made;
  }

  /// `count` times the term of a sum; the least or the greatest of its own.
  Value ownOfTerm(Value value) {
    Term term = isPartial(value) ? Term{locals.lookup(value),
                                        layouts.lookup(value).partialKind}
                                 : terms.lookup(value);
    if (term.kind == ReductionKind::Max || term.kind == ReductionKind::Min)
      return term.local;
    auto type = typeOf(term.local);
    if (term.kind != ReductionKind::Sum ||
        !isa<FloatType>(type.getElementType()))
      return nullptr;
    auto times = FloatAttr::get(type.getElementType(), double(count));
    return stablehlo::MulOp::create(
        builder, term.local,
        stablehlo::ConstantOp::create(builder,
                                      DenseElementsAttr::get(type, times)));
  }

  /// Computed again, of what the micro-batch alone gives.
  Value ownOfMaker(Value value) {
    auto result = cast<OpResult>(value);
    Operation *maker = result.getOwner();
    llvm::SetVector<Value> captured;
    getUsedValuesDefinedAbove(maker->getRegions(), captured);
    if (!captured.empty())
      return nullptr;
    IRMapping operands;
    for (Value operand : maker->getOperands()) {
      Value local = combined.contains(operand) || isPartial(operand)
                        ? ownOf(operand)
                        : locals.lookup(operand);
      if (!local)
        return nullptr;
      operands.map(operand, local);
    }
    return builder.clone(*maker, operands)->getResult(result.getResultNumber());
  }

  /// What an op of single samples gets of a value without a split dimension.
  Value ownOrWhole(Value value) {
    bool isOfBatch = combined.contains(value) || isPartial(value);
    return isPerMicroBatch && isOfBatch ? ownOf(value) : locals.lookup(value);
  }

  /// Partial operands that are known before the first micro-batch are whole.
  void takeSumsAhead(Operation *op) {
    for (Value operand : op->getOperands())
      if (isPartial(operand))
        if (Value known = ahead->compute(builder, operand))
          setWhole(operand, known);
  }

  SmallVector<Value> operandsOf(Operation *op, const FactorRule &rule,
                                const TimeSplit &split) {
    SmallVector<Value> operands;
    for (OpOperand &operand : op->getOpOperands()) {
      unsigned number = operand.getOperandNumber();
      operands.push_back(inLayout(
          operand.get(), getOperandLayout(mesh, rule, split.axes, number),
          split.grainOf(rule, rule.operands[number])));
    }
    return operands;
  }

  /// How an op is split whose split operands stay as they are.
  std::optional<TimeSplit> splitLike(Operation *op,
                                     const FactorRule &rule) const {
    std::optional<TimeSplit> all;
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isSplit(operand.get()))
        continue;
      std::optional<TimeSplit> split =
          splitAlong(rule, rule.operands[operand.getOperandNumber()],
                     splitDim(operand.get()), grains.lookup(operand.get()));
      if (!split ||
          (all && (all->grain != split->grain || all->factor != split->factor)))
        return std::nullopt;
      all = std::move(split);
    }
    if (!canSplit(op, mesh, rule, all->axes))
      return std::nullopt;
    for (OpOperand &operand : op->getOpOperands())
      if (isSplit(operand.get()) &&
          getOperandLayout(mesh, rule, all->axes, operand.getOperandNumber()) !=
              layouts.lookup(operand.get()))
        return std::nullopt;
    return all;
  }

  SmallVector<Value> localOperands(Operation *op) const {
    return llvm::map_to_vector(op->getOperands(), [&](Value operand) {
      return locals.lookup(operand);
    });
  }

  Value inLayout(Value value, const Layout &layout, int64_t grain) {
    if (layout.isReplicated())
      return ownOrWhole(value);
    return layouts.lookup(value) == layout ? locals.lookup(value)
                                           : cut(value, layout, grain);
  }

  /// One micro-batch of a value that is equal in all of them. Values that are
  /// made from small ones are made smaller.
  Value cut(Value value, const Layout &layout, int64_t grain) {
    unsigned dim = splitDim(layout);
    std::tuple<Value, unsigned, int64_t> key(value, dim, grain);
    if (Value known = cuts.lookup(key))
      return known;
    Value made = remake(value, dim, layout, grain);
    if (!made)
      made = slices->take(ownOrWhole(value), dim, grain);
    return cuts[key] = made;
  }

  /// Null if the op that makes the value cannot make less.
  Value remake(Value value, unsigned dim, const Layout &layout, int64_t grain) {
    auto result = dyn_cast<OpResult>(value);
    if (!result)
      return nullptr;
    Operation *op = result.getOwner();
    if (auto constant = dyn_cast<stablehlo::ConstantOp>(op)) {
      auto splat = dyn_cast<SplatElementsAttr>(constant.getValue());
      auto type =
          cast<RankedTensorType>(getLocalType(mesh, value.getType(), layout));
      return splat ? stablehlo::ConstantOp::create(builder,
                                                   splat.resizeSplat(type))
                         .getResult()
                   : nullptr;
    }
    // Of what a micro-batch has there is no whole to make less of.
    bool isOfBatch = combined.contains(value) || isPartial(value);
    for (Value operand : op->getOperands())
      if (isSplit(operand) || (!isOfBatch && isPartial(operand)))
        return nullptr;
    auto interface = dyn_cast<FactorRuleInterface>(op);
    if (!interface || op->getNumOperands() == 0)
      return nullptr;
    FactorRule rule = interface.getFactorRule();
    unsigned number = result.getResultNumber();
    std::optional<TimeSplit> split =
        splitAlong(rule, rule.results[number], dim, grain);
    if (!split || !canSplit(op, mesh, rule, split->axes) ||
        getResultLayout(mesh, rule, split->axes, number) != layout)
      return nullptr;
    return build(op, rule, split->axes, operandsOf(op, rule, *split))[number];
  }

  void addResults(Operation *op, const FactorAxes &axes, ValueRange operands) {
    FactorRule rule = cast<FactorRuleInterface>(op).getFactorRule();
    SmallVector<Value> values = build(op, rule, axes, operands);
    for (auto [result, local] : llvm::zip_equal(op->getResults(), values)) {
      Layout layout =
          getResultLayout(mesh, rule, axes, result.getResultNumber());
      if (layout.isPartial() && !isPartialOperand(op))
        mixers[result] = op;
      for (Value operand : op->getOperands())
        if (Operation *mixer = mixers.lookup(operand))
          mixers[result] = mixer;
      layouts[result] = layout;
      locals.map(result, local);
    }
  }

  bool isPartialOperand(Operation *op) const {
    return llvm::any_of(op->getOperands(),
                        [&](Value operand) { return isPartial(operand); });
  }

  SmallVector<Value> build(Operation *op, const FactorRule &rule,
                           const FactorAxes &axes, ValueRange operands) {
    LocalizeContext context(op, mesh, indices, locals, rule, axes);
    SmallVector<Value> values;
    auto interface = dyn_cast<LocalizeInterface>(op);
    if (!interface ||
        failed(interface.localize(builder, context, operands, values)))
      values =
          SmallVector<Value>(context.rebuild(builder, operands)->getResults());
    bool isTerm = llvm::any_of(op->getResults(), [&](OpResult result) {
      return getResultLayout(mesh, rule, axes, result.getResultNumber())
          .isPartial();
    });
    for (Value value : values)
      if (Operation *maker = value.getDefiningOp())
        annotate(maker, op, rule, axes, isTerm);
    return values;
  }

  /// What is decided of the old op holds for the new one, as long as factors
  /// are the same. Decisions about a sum are about the whole of it: its terms
  /// may stay partial over devices until they are accumulated, so how they are
  /// handed out is open, and what ops that are linear in them need.
  static void annotate(Operation *to, Operation *from, const FactorRule &before,
                       const FactorAxes &axes, bool isTerm) {
    if (to->getName() != from->getName())
      return;
    FactorRule after = cast<FactorRuleInterface>(to).getFactorRule();
    bool isSame = after.factors.size() == before.factors.size() &&
                  after.operands == before.operands &&
                  after.results == before.results;
    bool keepsSharding = isSame && !isTerm;
    bool keepsFactorAxes = isSame && axes.partial.empty();
    for (NamedAttribute attribute : from->getDiscardableAttrs()) {
      StringAttr name = attribute.getName();
      if ((name == sdy::kShardingAttributeName && !keepsSharding) ||
          (name == smith::kFactorAxesAttributeName && !keepsFactorAxes))
        continue;
      to->setDiscardableAttr(name, attribute.getValue());
    }
  }

  Value accumulate(Value part, ReductionKind kind) {
    return smith::AccumulateOp::create(
        builder, part.getType(), part,
        sdy::ReductionKindAttr::get(builder.getContext(), kind));
  }

  /// The value itself, of one that is partial.
  Value accumulated(Value value) {
    if (Value known = sums.lookup(value))
      return known;
    terms[value] = {locals.lookup(value), layouts.lookup(value).partialKind};
    Value part = locals.lookup(value);
    RankedTensorType type = typeOf(part);
    auto element = dyn_cast<FloatType>(type.getElementType());
    bool isNarrow = element && element.getWidth() < 32;
    if (isNarrow)
      part = stablehlo::ConvertOp::create(
          builder, type.clone(builder.getF32Type()), part);
    Value sum = accumulate(part, layouts.lookup(value).partialKind);
    if (isNarrow)
      sum = stablehlo::ConvertOp::create(builder, type, sum);
    return sums[value] = sum;
  }

  /// Afterwards they are whole. Those that are accumulated are known to be of
  /// the whole batch.
  void accumulatePartialOperands(Operation *op) {
    for (Value operand : op->getOperands())
      if (isPartial(operand)) {
        if (Value known = ahead->compute(builder, operand)) {
          setWhole(operand, known);
          continue;
        }
        combined[operand] = mixers.lookup(operand);
        setWhole(operand, accumulated(operand));
      }
    for (Value operand : op->getOperands())
      if (Operation *maker = combined.lookup(operand))
        for (Value result : op->getResults())
          combined[result] = maker;
  }

  void addReturn(func::ReturnOp op) {
    SmallVector<Value> values;
    for (Value value : op.getOperands()) {
      if (isPartial(value)) {
        values.push_back(accumulated(value));
      } else if (isSplit(value)) {
        Value all = slices->amongZeros(locals.lookup(value), splitDim(value),
                                       grains.lookup(value));
        bool isBoolean = typeOf(all).getElementType().isInteger(1);
        values.push_back(accumulate(all, isBoolean ? ReductionKind::Or
                                                   : ReductionKind::Sum));
      } else {
        values.push_back(locals.lookup(value));
      }
    }
    func::ReturnOp::create(builder, values);
  }

  LogicalResult refuse(Operation *op, const Twine &why,
                       Operation *combiner = nullptr) {
    InFlightDiagnostic error =
        op->emitError() << "no micro-batches: '" << op->getName().getStringRef()
                        << "' " << why << "; use one micro-batch per step"
                        << (combiner && !isPerMicroBatch
                                ? ", or --per-micro-batch-semantics"
                                : "");
    if (combiner)
      error.attachNote(combiner->getLoc())
          << "'" << combiner->getName().getStringRef()
          << "' combines the samples of the batch";
    for (BlockArgument argument : function.getArguments())
      if (isSplit(argument)) {
        error.attachNote(argument.getLoc())
            << "argument " << argument.getArgNumber() << " is a batch";
        break;
      }
    return failure();
  }

  func::FuncOp function;
  int64_t count;
  Mesh mesh;
  Block *body;
  ShardIndices indices;
  ImplicitLocOpBuilder builder;
  Value index;
  std::optional<SampleSlices> slices;
  std::optional<KnownAhead> ahead;
  /// By value of the old body: its layout, and the new value that is so.
  llvm::DenseMap<Value, Layout> layouts;
  IRMapping locals;
  /// Elements per sample along the dimension of a value that is split.
  llvm::DenseMap<Value, int64_t> grains;
  /// What has been cut along a dimension of that grain, and accumulated.
  llvm::DenseMap<std::tuple<Value, unsigned, int64_t>, Value> cuts;
  llvm::DenseMap<Value, Value> sums;
  /// By value that was partial before: what it is the sum of.
  struct Term {
    Value local;
    ReductionKind kind = ReductionKind::Sum;
  };
  llvm::DenseMap<Value, Term> terms;
  /// Values of the whole batch as the micro-batch alone gives them.
  bool isPerMicroBatch = false;
  llvm::DenseMap<Value, Value> own;
  /// By partial value the op that combined samples; by value into which an
  /// accumulated one has gone the same.
  llvm::DenseMap<Value, Operation *> mixers, combined;
};

struct SplitMicroBatchesPass
    : impl::SplitMicroBatchesBase<SplitMicroBatchesPass> {
  using SplitMicroBatchesBase::SplitMicroBatchesBase;

  /// Emits an error if there is a loop; true if so.
  static bool refuseLoop(func::FuncOp function) {
    for (Operation &op : function.front())
      if (smith::getMarkedLoop(&op)) {
        op.emitError() << "no micro-batches: the step has a loop of "
                       << op.getAttrOfType<IntegerAttr>("count").getInt()
                       << " iterations; use one micro-batch per step";
        return true;
      }
    return false;
  }

  void runOnOperation() override {
    auto function = getOperation().lookupSymbol<func::FuncOp>("main");
    if (!function || !function.getBody().hasOneBlock()) {
      getOperation().emitError("needs a function @main of one block");
      return signalPassFailure();
    }
    if (count < 1) {
      function.emitError() << count.getValue()
                           << " micro-batches; at least 1 is needed";
      return signalPassFailure();
    }
    if (count == 1 && !foldOne)
      return;
    if (refuseLoop(function))
      return signalPassFailure();
    auto *body = new Block;
    function.getBody().push_back(body);
    LogicalResult result = MicroBatchSplitter(function, count, body).run();
    Block &obsolete = failed(result) ? *body : function.front();
    obsolete.dropAllReferences();
    obsolete.erase();
    if (failed(result))
      signalPassFailure();
  }
};

} // namespace
} // namespace shardsmith

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
//
// What goes around a loop has one layout, which is known only when the end of
// an iteration has been built: `CarriedLayouts` is what has been found so far,
// and the body is built again as long as more is found.

#ifndef SHARDSMITH_LIB_PARTITION_MICROBATCHES_MICROBATCHSPLITTER_H
#define SHARDSMITH_LIB_PARTITION_MICROBATCHES_MICROBATCHSPLITTER_H

#include "KnownAhead.h"
#include "SampleSlices.h"
#include "TimeSplit.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "shardsmith/Dialect/Smith/LoopNest.h"
#include "shardsmith/Dialect/Smith/MicroBatchOps.h"
#include "shardsmith/Dialect/StableHLO/StableHLO.h"
#include "shardsmith/Interfaces/FactorRuleInterface.h"
#include "shardsmith/Localization/StableHLO.h"

namespace shardsmith {

/// By `smith.loop_carry` of the old body: the layout of what goes around, if it
/// is not whole, its elements per sample, and the op that combined samples.
struct CarriedLayout {
  Layout layout;
  int64_t grain = 1;
  mlir::Operation *mixer = nullptr;
};
using CarriedLayouts = llvm::DenseMap<mlir::Operation *, CarriedLayout>;

/// Builds the body of a step for one micro-batch of each data rank into `body`,
/// from that of `function`, which stays as it is.
class MicroBatchSplitter {
public:
  MicroBatchSplitter(mlir::func::FuncOp function,
                     const MicroBatchShares &shares, mlir::Block *body,
                     CarriedLayouts &carried)
      : function(function), shares(shares), count(shares.slots()),
        mesh({Mesh::Axis{"time", shares.parts()}}), body(body),
        carried(carried), nest(function.front()), indices(body, mesh),
        builder(function.getLoc(), function.getContext()),
        isPerMicroBatch(function->hasAttr(smith::kPerMicroBatchAttributeName)) {
    builder.setInsertionPointToEnd(body);
  }

  /// Fails, with a diagnostic at the op, where the batch cannot be split.
  llvm::LogicalResult run();

  /// Whether more has become known of what goes around loops, so that neither
  /// the body nor a diagnostic counts.
  bool hasFoundMore() const { return foundMore; }

private:
  bool isSplit(mlir::Value value) const {
    return llvm::any_of(layouts.lookup(value).dims,
                        [](const AxisList &axes) { return !axes.empty(); });
  }
  bool isPartial(mlir::Value value) const {
    return layouts.lookup(value).isPartial();
  }
  static unsigned splitDim(const Layout &layout) {
    unsigned dim = 0;
    while (layout.dims[dim].empty())
      ++dim;
    return dim;
  }
  unsigned splitDim(mlir::Value value) const {
    return splitDim(layouts.lookup(value));
  }
  void setWhole(mlir::Value value, mlir::Value local) {
    auto type = llvm::dyn_cast<mlir::RankedTensorType>(value.getType());
    layouts[value] = Layout::replicated(type ? type.getRank() : 0);
    locals.map(value, local);
  }

  // MicroBatchSplitter.cpp
  llvm::LogicalResult addArgument(mlir::BlockArgument argument);
  /// Rows are looked up where ranks have different shares, which takes all.
  void keepWhole(mlir::BlockArgument argument, unsigned dim);
  /// Regions may use what an op does not list as operands.
  llvm::LogicalResult visitCaptures(mlir::Operation *op);
  llvm::LogicalResult visit(mlir::Operation *op);
  /// An op may be built again for one micro-batch. Arguments of its regions are
  /// therefore not remembered: regions are cloned without arguments that are
  /// mapped already.
  mlir::Operation *cloneWhole(mlir::Operation *op);
  /// Every operand is handed on as it is. What is done once per micro-batch and
  /// what is done once cannot wait for each other, so that they get barriers of
  /// their own.
  void visitBarrier(stablehlo::OptimizationBarrierOp op);
  /// What is known of one value holds for another one, too.
  void setLike(mlir::Value value, mlir::Value other, mlir::Value local);
  llvm::LogicalResult visitSplit(mlir::Operation *op);
  llvm::SmallVector<mlir::Value> operandsOf(mlir::Operation *op,
                                            const FactorRule &rule,
                                            const TimeSplit &split);
  /// How an op is split whose split operands stay as they are.
  std::optional<TimeSplit> splitLike(mlir::Operation *op,
                                     const FactorRule &rule) const;
  llvm::SmallVector<mlir::Value> localOperands(mlir::Operation *op) const;
  void addResults(mlir::Operation *op, const FactorAxes &axes,
                  mlir::ValueRange operands);
  bool isPartialOperand(mlir::Operation *op) const;
  llvm::SmallVector<mlir::Value> build(mlir::Operation *op,
                                       const FactorRule &rule,
                                       const FactorAxes &axes,
                                       mlir::ValueRange operands);
  /// What is decided of the old op holds for the new one, as long as factors
  /// are the same. Decisions about a sum are about the whole of it: its terms
  /// may stay partial over devices until they are accumulated, so how they are
  /// handed out is open, and what ops that are linear in them need.
  static void annotate(mlir::Operation *to, mlir::Operation *from,
                       const FactorRule &before, const FactorAxes &axes,
                       bool isTerm);
  /// Of uneven shares, for an op that combines samples: operands in which
  /// those that do not count are neutral.
  llvm::LogicalResult
  neutralizeUncounted(mlir::Operation *op, const FactorRule &rule,
                      const TimeSplit &split,
                      llvm::MutableArrayRef<mlir::Value> operands);
  void addReturn(mlir::func::ReturnOp op);
  llvm::LogicalResult refuse(mlir::Operation *op, const llvm::Twine &why,
                             mlir::Operation *combiner = nullptr);

  // LoopValues.cpp
  bool isInLoop(mlir::Operation *op) const { return !nest.loopsOf(op).empty(); }
  bool isOfIteration(mlir::Value value) const {
    return !nest.loopsOf(value).empty();
  }
  llvm::LogicalResult visitCarry(smith::LoopCarryOp op);
  llvm::LogicalResult visitNext(smith::LoopNextOp op);
  /// Notes that a value with the layout of `value` goes around.
  llvm::LogicalResult join(smith::LoopCarryOp carry, mlir::Value value,
                           mlir::Operation *op);
  /// The value in the layout that goes around.
  mlir::Value inCarriedLayout(mlir::Value value, const CarriedLayout &known);
  /// A whole value as a sum over micro-batches: of itself in the first and zero
  /// in all others.
  mlir::Value asTerm(mlir::Value local);
  /// An op of a loop that reads partial values and no split ones: in a loop
  /// nothing can be accumulated, so it is linear in them, together with whole
  /// operands at need.
  llvm::LogicalResult visitTermsInLoop(mlir::Operation *op);
  /// What a loop that is repeated makes equal in all micro-batches, and the
  /// rest of the step reads.
  void accumulateWholeValues();
  /// Fails if a loop reads what is known after it only.
  llvm::LogicalResult checkLoops();

  // WholeBatchValues.cpp
  /// The linear set that the partial operands are, if there are any and they
  /// are one. What has been accumulated is known after all micro-batches alone,
  /// so that nothing it goes into can wait to be.
  std::optional<FactorAxes> linearIn(mlir::Operation *op) const;
  /// Sums are taken where they are smallest, and once: of what several ops
  /// read, and of what an op makes larger, before.
  bool isWorthWaiting(mlir::Operation *op,
                      llvm::ArrayRef<unsigned> partial) const;
  static mlir::Attribute stageOf(mlir::Value value);
  /// Null if single samples may use the value; else the op that combined them.
  mlir::Operation *whyNotOwn(mlir::Value value);
  /// Of a value that is partial, or that what is accumulated goes into: what
  /// the micro-batch alone gives. Null if there is no such thing.
  mlir::Value ownOf(mlir::Value value);
  /// `count` times the term of a sum; the least or the greatest of its own.
  mlir::Value ownOfTerm(mlir::Value value);
  /// Computed again, of what the micro-batch alone gives.
  mlir::Value ownOfMaker(mlir::Value value);
  /// What an op of single samples gets of a value without a split dimension.
  mlir::Value ownOrWhole(mlir::Value value);
  /// Partial operands that are known before the first micro-batch are whole.
  void takeSumsAhead(mlir::Operation *op);
  mlir::Value accumulate(mlir::Value part, ReductionKind kind);
  /// The value itself, of one that is partial.
  mlir::Value accumulated(mlir::Value value);
  /// Afterwards they are whole. Those that are accumulated are known to be of
  /// the whole batch.
  void accumulatePartialOperands(mlir::Operation *op);

  // CutValues.cpp
  mlir::Value inLayout(mlir::Value value, const Layout &layout, int64_t grain);
  /// One micro-batch of a value that is equal in all of them. Values that are
  /// made from small ones are made smaller.
  mlir::Value cut(mlir::Value value, const Layout &layout, int64_t grain);
  /// Null if the op that makes the value cannot make less.
  mlir::Value remake(mlir::Value value, unsigned dim, const Layout &layout,
                     int64_t grain);

  mlir::func::FuncOp function;
  const MicroBatchShares &shares;
  int64_t count;
  Mesh mesh;
  mlir::Block *body;
  CarriedLayouts &carried;
  bool foundMore = false;
  smith::LoopNest nest;
  ShardIndices indices;
  mlir::ImplicitLocOpBuilder builder;
  mlir::Value index;
  std::optional<SampleSlices> slices;
  std::optional<KnownAhead> ahead;
  /// By value of the old body: its layout, and the new value that is so.
  llvm::DenseMap<mlir::Value, Layout> layouts;
  mlir::IRMapping locals;
  /// Elements per sample along the dimension of a value that is split.
  llvm::DenseMap<mlir::Value, int64_t> grains;
  /// What has been cut along a dimension of that grain, and accumulated.
  llvm::DenseMap<std::tuple<mlir::Value, unsigned, int64_t>, mlir::Value> cuts;
  llvm::DenseMap<mlir::Value, mlir::Value> sums;
  /// By value that was partial before: what it is the sum of.
  struct Term {
    mlir::Value local;
    ReductionKind kind = ReductionKind::Sum;
  };
  llvm::DenseMap<mlir::Value, Term> terms;
  /// Values of the whole batch as the micro-batch alone gives them.
  bool isPerMicroBatch = false;
  llvm::DenseMap<mlir::Value, mlir::Value> own;
  /// By partial value the op that combined samples; by value into which an
  /// accumulated one has gone the same.
  llvm::DenseMap<mlir::Value, mlir::Operation *> mixers, combined;
};

} // namespace shardsmith

#endif // SHARDSMITH_LIB_PARTITION_MICROBATCHES_MICROBATCHSPLITTER_H

// SPDX-License-Identifier: Apache-2.0
//
// dot_general in terms of smith.gemm. The dimensions of the three tensors
// fall into four kinds:
//
//     batch    in lhs, rhs and result
//     m        in lhs and result
//     n        in rhs and result
//     k        in lhs and rhs
//
// Dimensions of a kind that are evenly spaced in both of their tensors are
// joined. One of m, n and k each may remain; surplus m or n become batch
// dimensions in which the other operand stands still.

#include "Addends.h"
#include "StridedView.h"

#include "shardsmith/Dialect/Smith/Smith.h"
#include "shardsmith/Dialect/StableHLO/StableHLO.h"
#include "shardsmith/Lower/Common/Passes.h"
#include "shardsmith/Lower/Common/Target.h"

#include <numeric>
#include <tuple>

using namespace mlir;

namespace shardsmith {
#define GEN_PASS_DEF_LOWERDOTS
#include "shardsmith/Lower/Common/Passes.h.inc"

namespace lower {
namespace {

/// One loop of the product, with its stride in each of the tensors.
struct Loop {
  int64_t size = 1;
  int64_t lhs = 0, rhs = 0, result = 0;
};
using Loops = SmallVector<Loop, 4>;

/// Joins neighbours (major first) that are evenly spaced in every tensor.
Loops join(ArrayRef<Loop> loops) {
  Loops joined;
  for (const Loop &loop : llvm::reverse(loops)) {
    if (loop.size == 1)
      continue;
    if (!joined.empty()) {
      Loop &inner = joined.back();
      auto follows = [&](int64_t outer, int64_t stride) {
        return outer == stride * inner.size;
      };
      if (follows(loop.lhs, inner.lhs) && follows(loop.rhs, inner.rhs) &&
          follows(loop.result, inner.result)) {
        inner.size *= loop.size;
        continue;
      }
    }
    joined.push_back(loop);
  }
  std::reverse(joined.begin(), joined.end());
  return joined;
}

/// Takes the largest loop out as the matrix dimension.
Loop takeLargest(Loops &loops) {
  if (loops.empty())
    return {};
  auto largest = llvm::max_element(
      loops, [](const Loop &a, const Loop &b) { return a.size < b.size; });
  Loop taken = *largest;
  loops.erase(largest);
  return taken;
}

/// The result may be stored transposed at no cost if that is its only use.
struct ResultView {
  Value value;                     ///< what the product replaces
  SmallVector<int64_t, 4> strides; ///< of the dot's dimensions in it
};

ResultView findResultView(stablehlo::DotGeneralOp dot) {
  ResultView view;
  view.value = dot.getResult();
  ArrayRef<int64_t> shape = dot.getType().getShape();
  view.strides = rowMajorStrides(shape);
  if (!dot->hasOneUse())
    return view;
  auto transpose = dyn_cast<stablehlo::TransposeOp>(*dot->getUsers().begin());
  if (!transpose)
    return view;
  view.value = transpose.getResult();
  SmallVector<int64_t, 4> stored =
      rowMajorStrides(transpose.getType().getShape());
  for (auto [to, from] : llvm::enumerate(transpose.getPermutation()))
    view.strides[from] = stored[to];
  return view;
}

struct ProductLoops {
  Loops batch, m, n, k;
};

ProductLoops findLoops(stablehlo::DotGeneralOp dot, const StridedView &lhs,
                       const StridedView &rhs, ArrayRef<int64_t> result) {
  auto numbers = dot.getDotDimensionNumbers();
  ArrayRef<int64_t> lhsBatch = numbers.getLhsBatchingDimensions();
  ArrayRef<int64_t> rhsBatch = numbers.getRhsBatchingDimensions();
  ArrayRef<int64_t> lhsReduced = numbers.getLhsContractingDimensions();
  ArrayRef<int64_t> rhsReduced = numbers.getRhsContractingDimensions();
  ProductLoops loops;
  size_t next = 0;
  for (auto [l, r] : llvm::zip_equal(lhsBatch, rhsBatch))
    loops.batch.push_back(
        {lhs.sizes[l], lhs.strides[l], rhs.strides[r], result[next++]});
  for (auto [l, r] : llvm::zip_equal(lhsReduced, rhsReduced))
    loops.k.push_back({lhs.sizes[l], lhs.strides[l], rhs.strides[r], 0});
  for (int64_t d = 0, e = lhs.sizes.size(); d < e; ++d)
    if (!llvm::is_contained(lhsBatch, d) && !llvm::is_contained(lhsReduced, d))
      loops.m.push_back({lhs.sizes[d], lhs.strides[d], 0, result[next++]});
  for (int64_t d = 0, e = rhs.sizes.size(); d < e; ++d)
    if (!llvm::is_contained(rhsBatch, d) && !llvm::is_contained(rhsReduced, d))
      loops.n.push_back({rhs.sizes[d], 0, rhs.strides[d], result[next++]});
  // The order of summation is free.
  llvm::sort(loops.k, [](const Loop &a, const Loop &b) {
    return std::tie(a.lhs, a.rhs, a.size) > std::tie(b.lhs, b.rhs, b.size);
  });
  loops.batch = join(loops.batch);
  loops.m = join(loops.m);
  loops.n = join(loops.n);
  loops.k = join(loops.k);
  return loops;
}

/// True if a library can run through the matrix without gathering: one of
/// its two strides is 1.
bool hasUnitStride(const Loop &a, const Loop &b, int64_t Loop::*tensor) {
  return a.size == 1 || b.size == 1 || a.*tensor == 1 || b.*tensor == 1;
}

/// The view as it is, if the value is not worth or not able to be read
/// through strides.
StridedView plainView(Value value) {
  StridedView view;
  view.base = value;
  ArrayRef<int64_t> shape = cast<RankedTensorType>(value.getType()).getShape();
  view.sizes.assign(shape.begin(), shape.end());
  view.strides = rowMajorStrides(shape);
  return view;
}

/// Whether sizes and strides are those of a library that multiplies floats of
/// eight bits by groups along what is contracted: of two dimensions of a matrix
/// one has stride 1, and here it is none of m and n.
bool isFloat8Product(const Loop &m, const Loop &n, const Loop &k,
                     ArrayRef<Loop> batch, int64_t multiple) {
  auto areMultiples = [&](ArrayRef<int64_t> numbers) {
    return llvm::all_of(numbers,
                        [&](int64_t number) { return number % multiple == 0; });
  };
  return areMultiples({m.size, n.size, k.size, m.lhs, n.rhs}) &&
         llvm::all_of(batch, [&](const Loop &loop) {
           return areMultiples({loop.lhs, loop.rhs, loop.result});
         });
}

class DotLowering {
public:
  DotLowering(stablehlo::DotGeneralOp dot, const TargetTraits &target)
      : dot(dot), target(target) {}

  LogicalResult run() {
    if (!isLibraryProduct(dot, target))
      return success(); // Another pass makes a reduction of it.
    ResultView plainResult;
    plainResult.value = dot.getResult();
    plainResult.strides = rowMajorStrides(dot.getType().getShape());
    ResultView result = findResultView(dot);
    Value lhs = dot.getLhs(), rhs = dot.getRhs();
    // From the most to the least folded form.
    if (succeeded(tryEmit(viewOf(lhs), viewOf(rhs), result)) ||
        succeeded(tryEmit(viewOf(lhs), viewOf(rhs), plainResult)) ||
        succeeded(tryEmit(viewOf(lhs), plainView(rhs), plainResult)) ||
        succeeded(tryEmit(plainView(lhs), viewOf(rhs), plainResult)) ||
        succeeded(tryEmit(plainView(lhs), plainView(rhs), plainResult)))
      return success();
    return materializeAndEmit();
  }

private:
  LogicalResult tryEmit(const StridedView &lhs, const StridedView &rhs,
                        const ResultView &result) {
    ProductLoops loops = findLoops(dot, lhs, rhs, result.strides);
    Loop m = takeLargest(loops.m), n = takeLargest(loops.n),
         k = takeLargest(loops.k);
    if (!loops.k.empty())
      return failure();
    llvm::append_range(loops.batch, loops.m);
    llvm::append_range(loops.batch, loops.n);
    if (loops.batch.size() > target.gemmBatchDimensions ||
        !hasUnitStride(m, k, &Loop::lhs) || !hasUnitStride(k, n, &Loop::rhs) ||
        !hasUnitStride(m, n, &Loop::result))
      return failure();
    int64_t multiple = target.float8Multiple;
    if (isFloat8(getElementTypeOrSelf(dot.getLhs())) &&
        (!isFloat8Product(m, n, k, loops.batch, multiple) ||
         lhs.offset % multiple != 0 || rhs.offset % multiple != 0))
      return failure();

    SmallVector<int64_t> batch, lhsStrides, rhsStrides, resultStrides;
    for (const Loop &loop : loops.batch) {
      batch.push_back(loop.size);
      lhsStrides.push_back(loop.lhs);
      rhsStrides.push_back(loop.rhs);
      resultStrides.push_back(loop.result);
    }
    llvm::append_range(lhsStrides, ArrayRef<int64_t>{m.lhs, k.lhs});
    llvm::append_range(rhsStrides, ArrayRef<int64_t>{k.rhs, n.rhs});
    llvm::append_range(resultStrides, ArrayRef<int64_t>{m.result, n.result});
    OpBuilder builder(dot);
    auto gemm = smith::GemmOp::create(
        builder, dot.getLoc(), result.value.getType(), lhs.base, rhs.base,
        batch, ArrayRef<int64_t>{m.size, n.size, k.size}, lhs.offset,
        lhsStrides, rhs.offset, rhsStrides, resultStrides);
    Value replaced = result.value;
    replaced.replaceAllUsesWith(gemm.getResult());
    if (replaced != dot.getResult())
      replaced.getDefiningOp()->erase();
    dot.erase();
    return success();
  }

  /// Brings both operands into the order [batch, free, contracting], which
  /// always has a plain form.
  LogicalResult materializeAndEmit() {
    auto numbers = dot.getDotDimensionNumbers();
    auto arrange = [&](Value operand, ArrayRef<int64_t> batch,
                       ArrayRef<int64_t> reduced) -> Value {
      auto type = cast<RankedTensorType>(operand.getType());
      SmallVector<int64_t> order(batch);
      for (int64_t d = 0; d < type.getRank(); ++d)
        if (!llvm::is_contained(batch, d) && !llvm::is_contained(reduced, d))
          order.push_back(d);
      llvm::append_range(order, reduced);
      if (llvm::is_sorted(order))
        return operand;
      OpBuilder builder(dot);
      SmallVector<int64_t> shape;
      for (int64_t d : order)
        shape.push_back(type.getDimSize(d));
      return stablehlo::TransposeOp::create(builder, dot.getLoc(),
                                            type.clone(shape), operand, order);
    };
    Value lhs = arrange(dot.getLhs(), numbers.getLhsBatchingDimensions(),
                        numbers.getLhsContractingDimensions());
    Value rhs = arrange(dot.getRhs(), numbers.getRhsBatchingDimensions(),
                        numbers.getRhsContractingDimensions());
    int64_t batchCount = numbers.getLhsBatchingDimensions().size();
    int64_t reducedCount = numbers.getLhsContractingDimensions().size();
    auto range = [](int64_t first, int64_t count) {
      SmallVector<int64_t> values(count);
      std::iota(values.begin(), values.end(), first);
      return values;
    };
    auto rankOf = [](Value v) {
      return cast<RankedTensorType>(v.getType()).getRank();
    };
    auto arranged = stablehlo::DotDimensionNumbersAttr::get(
        dot.getContext(), range(0, batchCount), range(0, batchCount),
        range(rankOf(lhs) - reducedCount, reducedCount),
        range(rankOf(rhs) - reducedCount, reducedCount));
    dot.getLhsMutable().assign(lhs);
    dot.getRhsMutable().assign(rhs);
    dot.setDotDimensionNumbersAttr(arranged);
    ResultView plainResult;
    plainResult.value = dot.getResult();
    plainResult.strides = rowMajorStrides(dot.getType().getShape());
    return tryEmit(plainView(lhs), plainView(rhs), plainResult);
  }

  stablehlo::DotGeneralOp dot;
  const TargetTraits &target;
};

} // namespace
} // namespace lower

namespace {

struct LowerDots : impl::LowerDotsBase<LowerDots> {
  using LowerDotsBase::LowerDotsBase;

  void runOnOperation() override {
    const lower::TargetTraits *traits =
        lower::findTarget(getOperation(), target);
    if (!traits)
      return signalPassFailure();
    SmallVector<stablehlo::DotGeneralOp> dots;
    getOperation().walk(
        [&](stablehlo::DotGeneralOp dot) { dots.push_back(dot); });
    for (stablehlo::DotGeneralOp dot : dots) {
      Location location = dot.getLoc();
      if (failed(lower::DotLowering(dot, *traits).run())) {
        emitError(location) << "stablehlo.dot_general has dimensions that no "
                               "matrix product of the "
                            << traits->displayName << " lowering covers";
        return signalPassFailure();
      }
    }
    lower::addOntoProducts(getOperation(), *traits);
  }
};

} // namespace
} // namespace shardsmith

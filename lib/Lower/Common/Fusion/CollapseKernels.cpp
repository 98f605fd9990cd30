// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Dialect/Smith/Smith.h"
#include "shardsmith/Dialect/StableHLO/StableHLO.h"
#include "shardsmith/Lower/Common/ElementOps.h"
#include "shardsmith/Lower/Common/Passes.h"
#include "shardsmith/Support/TensorTypes.h"

using namespace mlir;

namespace shardsmith {
#define GEN_PASS_DEF_COLLAPSEKERNELS
#include "shardsmith/Lower/Common/Passes.h.inc"

namespace lower {
namespace {

bool isRange(ArrayRef<int64_t> dimensions, int64_t first, size_t count) {
  if (dimensions.size() != count)
    return false;
  for (auto [i, d] : llvm::enumerate(dimensions))
    if (d != first + static_cast<int64_t>(i))
      return false;
  return true;
}

// A kernel whose reductions, if any, run over the trailing dimensions. With
// domain = outer ++ row, every tensor must have one of the shapes
//
//     full    outer ++ row   →  [|outer|, |row|]
//     kept    outer          →  [|outer|]
//     row     row            →  [|row|]
//     scalar  []             →  []
//
// and every op must take one of them to another as a whole.
class Collapse {
public:
  explicit Collapse(smith::KernelOp kernel)
      : kernel(kernel), body(kernel.getBody().front()),
        full(kernel.getDomain()) {
    size_t rowRank =
        kernel.getReduced().empty() ? full.size() : kernel.getReduced().size();
    outer = full.drop_back(rowRank);
    row = full.take_back(rowRank);
  }

  void run() {
    bool nothingToJoin = outer.size() <= 1 && row.size() <= 1;
    if (nothingToJoin || outer == row)
      return;
    if (!kernel.getReduced().empty() &&
        !isRange(kernel.getReduced(), outer.size(), row.size()))
      return;
    for (BlockArgument argument : body.getArguments())
      if (!hasShape(argument))
        return;
    for (Operation &op : body.without_terminator())
      if (!isWhole(&op))
        return;
    rewrite();
  }

private:
  bool hasShape(Value tensor) const {
    ArrayRef<int64_t> shape = shapeOf(tensor);
    return shape.empty() || shape == full || shape == outer || shape == row;
  }

  bool isWhole(Operation *op) const {
    if (!llvm::all_of(op->getResults(), [&](Value v) { return hasShape(v); }))
      return false;
    if (isa<stablehlo::ConstantOp, stablehlo::ReduceOp>(op))
      return true;
    if (auto broadcast = dyn_cast<stablehlo::BroadcastInDimOp>(op)) {
      ArrayRef<int64_t> from = shapeOf(broadcast.getOperand());
      ArrayRef<int64_t> places = broadcast.getBroadcastDimensions();
      if (from.empty())
        return true;
      if (shapeOf(broadcast.getResult()) != full)
        return false;
      return (from == outer && isRange(places, 0, outer.size())) ||
             (from == row && isRange(places, outer.size(), row.size()));
    }
    return findElementOp(op)->kind == ElementKind::Pointwise;
  }

  SmallVector<int64_t> collapsed(ArrayRef<int64_t> shape) const {
    SmallVector<int64_t> sizes;
    if (shape.empty())
      return sizes;
    if ((shape == full || shape == outer) && !outer.empty())
      sizes.push_back(llvm::product_of(outer));
    if (shape == full || shape == row)
      sizes.push_back(llvm::product_of(row));
    return sizes;
  }
  Type collapsed(Type type) const {
    auto tensor = cast<RankedTensorType>(type);
    return tensor.clone(collapsed(tensor.getShape()));
  }

  void rewrite() {
    Builder builder(kernel.getContext());
    int64_t rowDimension = outer.empty() ? 0 : 1;
    SmallVector<int64_t> domain = collapsed(full);
    for (Operation &op : body.without_terminator()) {
      if (auto constant = dyn_cast<stablehlo::ConstantOp>(op)) {
        auto type = cast<ShapedType>(collapsed(constant.getType()));
        constant.setValueAttr(cast<ElementsAttr>(
            cast<DenseElementsAttr>(constant.getValue()).resizeSplat(type)));
      } else if (auto broadcast = dyn_cast<stablehlo::BroadcastInDimOp>(op)) {
        SmallVector<int64_t> places;
        if (ArrayRef<int64_t> from = broadcast.getBroadcastDimensions();
            !from.empty())
          places.push_back(from.front() == 0 ? 0 : rowDimension);
        broadcast.setBroadcastDimensions(places);
      } else if (auto reduce = dyn_cast<stablehlo::ReduceOp>(op)) {
        reduce.setDimensions(ArrayRef<int64_t>{rowDimension});
      }
      for (Value result : op.getResults())
        result.setType(collapsed(result.getType()));
    }
    // The kernel's attributes hold the shapes compared above: change them and
    // the arguments last.
    for (BlockArgument argument : body.getArguments())
      argument.setType(collapsed(argument.getType()));
    bool reduces = !kernel.getReduced().empty();
    kernel.setReduced(reduces ? ArrayRef<int64_t>{rowDimension}
                              : ArrayRef<int64_t>());
    kernel.setDomain(domain);
  }

  smith::KernelOp kernel;
  Block &body;
  ArrayRef<int64_t> full, outer, row;
};

} // namespace
} // namespace lower

namespace {

struct CollapseKernels : impl::CollapseKernelsBase<CollapseKernels> {
  void runOnOperation() override {
    getOperation().walk(
        [](smith::KernelOp kernel) { lower::Collapse(kernel).run(); });
  }
};

} // namespace
} // namespace shardsmith

// SPDX-License-Identifier: Apache-2.0

#include "Gelu.h"

#include "shardsmith/Dialect/Smith/AddGemmOp.h"
#include "shardsmith/Dialect/Smith/Smith.h"
#include "shardsmith/Lower/Common/BufferPlan.h"
#include "shardsmith/Lower/Common/Passes.h"

using namespace mlir;

namespace shardsmith {
#define GEN_PASS_DEF_FINDEPILOGUES
#include "shardsmith/Lower/Common/Passes.h.inc"

namespace {

/// The product whose GELU the kernel is, and nothing else; null if it is not.
Operation *findProduct(smith::KernelOp kernel) {
  if (kernel.getInputs().size() != 1 || kernel.getNumResults() != 1)
    return nullptr;
  Value input = kernel.getInputs().front();
  Operation *product = input.getDefiningOp();
  if (!isa_and_nonnull<smith::GemmOp, smith::AddGemmOp>(product) ||
      getElementTypeOrSelf(input) != getElementTypeOrSelf(kernel.getResult(0)))
    return nullptr;
  Block &body = kernel.getBody().front();
  return lower::isGelu(body.getTerminator()->getOperand(0), body.getArgument(0))
             ? product
             : nullptr;
}

struct FindEpilogues : impl::FindEpiloguesBase<FindEpilogues> {
  using FindEpiloguesBase::FindEpiloguesBase;

  void runOnOperation() override {
    const lower::TargetTraits *traits =
        lower::findTarget(getOperation(), target);
    if (!traits)
      return signalPassFailure();
    SmallVector<std::pair<smith::KernelOp, Operation *>> found;
    getOperation().walk([&](smith::KernelOp kernel) {
      Operation *product = findProduct(kernel);
      if (product && traits->hasGelu(
                         getElementTypeOrSelf(product->getResult(0).getType())))
        found.emplace_back(kernel, product);
    });
    for (auto [kernel, product] : found) {
      Operation *next = product->getNextNode();
      if (next->hasAttr(lower::geluAttributeName))
        continue; // a product has one
      kernel->moveAfter(product);
      kernel->setAttr(lower::geluAttributeName, UnitAttr::get(&getContext()));
    }
  }
};

} // namespace
} // namespace shardsmith

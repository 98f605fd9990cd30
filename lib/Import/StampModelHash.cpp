// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Dialect/Smith/Smith.h"
#include "shardsmith/Dialect/Smith/WeightNames.h"
#include "shardsmith/Import/Passes.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;

namespace shardsmith {
#define GEN_PASS_DEF_STAMPMODELHASH
#include "shardsmith/Import/Passes.h.inc"

namespace {

struct StampModelHash : impl::StampModelHashBase<StampModelHash> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    module->removeAttr(smith::kModelHashAttributeName);
    // How files spell the parameters is nothing that the model computes.
    Attribute weights = module->removeAttr(smith::kWeightNamesAttributeName);
    std::string text;
    llvm::raw_string_ostream stream(text);
    module.print(stream);
    if (weights)
      module->setAttr(smith::kWeightNamesAttributeName, weights);
    std::string digits = llvm::utohexstr(llvm::xxh3_64bits(text),
                                         /*LowerCase=*/true, /*Width=*/16);
    module->setAttr(smith::kModelHashAttributeName,
                    StringAttr::get(&getContext(), digits));
  }
};

} // namespace
} // namespace shardsmith

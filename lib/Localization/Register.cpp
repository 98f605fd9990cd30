// SPDX-License-Identifier: Apache-2.0

#include "LocalizeModel.h"

using namespace mlir;

namespace shardsmith::stablehlo {

void registerStableHLOLocalization(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, StableHLODialect *) {
    attachDynamicSliceLocalization(context);
    attachGeneratorLocalization(context);
    attachIndexingLocalization(context);
    attachReductionLocalization(context);
    attachSlicingLocalization(context);
    attachWindowLocalization(context);
  });
  registry.addExtension(+[](MLIRContext *context, smith::SmithDialect *) {
    attachAttentionLocalization(context);
    attachRowLocalization(context);
  });
}

} // namespace shardsmith::stablehlo

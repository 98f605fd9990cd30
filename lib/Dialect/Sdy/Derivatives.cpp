// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Dialect/Sdy/Derivatives.h"

#include "shardsmith/Dialect/Sdy/Sdy.h"
#include "shardsmith/Interfaces/DifferentiableInterface.h"

using namespace mlir;

namespace shardsmith::sdy {
namespace {

/// A value that is split in a given way has a cotangent that is split so too.
/// Where the value is a partial sum, its cotangent is whole: all partial
/// values have the same.
TensorShardingAttr ofCotangent(TensorShardingAttr sharding) {
  return TensorShardingAttr::get(sharding.getContext(), sharding.getMeshOrRef(),
                                 sharding.getDimShardings(),
                                 sharding.getReplicatedAxes(),
                                 /*unreduced_axes=*/{}, ReductionKind::Sum);
}

struct ConstraintDerivative
    : DifferentiableInterface::ExternalModel<ConstraintDerivative,
                                             ShardingConstraintOp> {
  LogicalResult
  buildDerivative(Operation *op, ImplicitLocOpBuilder &builder,
                  ArrayRef<Value> resultCotangents,
                  SmallVectorImpl<Value> &operandCotangents) const {
    Value cotangent = resultCotangents.front();
    if (cotangent)
      cotangent = ShardingConstraintOp::create(
          builder, cotangent,
          ofCotangent(cast<ShardingConstraintOp>(op).getSharding()));
    operandCotangents.assign(1, cotangent);
    return success();
  }
};

} // namespace

void registerSdyDerivatives(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, SdyDialect *) {
    ShardingConstraintOp::attachInterface<ConstraintDerivative>(*context);
  });
}

} // namespace shardsmith::sdy

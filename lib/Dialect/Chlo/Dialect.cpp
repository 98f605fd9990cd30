// SPDX-License-Identifier: Apache-2.0

#include "../StableHLO/OpModel.h"
#include "shardsmith/Dialect/Chlo/Chlo.h"

#include "shardsmith/Dialect/Chlo/Dialect.cpp.inc"

using namespace shardsmith::chlo;

void ChloDialect::initialize() {
  registerAttributes();
  shardsmith::stablehlo::insertOps<
#define GET_OP_LIST
#include "shardsmith/Dialect/Chlo/Ops.cpp.inc"
      >(*this);
}

// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Dialect/Chlo/Chlo.h"

#include "shardsmith/Dialect/Chlo/Dialect.cpp.inc"

using namespace shardsmith::chlo;

void ChloDialect::initialize() {
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "shardsmith/Dialect/Chlo/Ops.cpp.inc"
      >();
}

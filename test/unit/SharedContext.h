// SPDX-License-Identifier: Apache-2.0
//
// One context with all dialects for all tests of a program, never taken down.

#ifndef SHARDSMITH_TEST_UNIT_SHAREDCONTEXT_H
#define SHARDSMITH_TEST_UNIT_SHAREDCONTEXT_H

#include "shardsmith/InitAll.h"

#include "mlir/IR/MLIRContext.h"

namespace shardsmith {

inline mlir::MLIRContext &sharedContext() {
  static mlir::MLIRContext *context = [] {
    mlir::DialectRegistry registry;
    registerAllDialects(registry);
    auto *result = new mlir::MLIRContext(registry);
    result->loadAllAvailableDialects();
    return result;
  }();
  return *context;
}

} // namespace shardsmith

#endif // SHARDSMITH_TEST_UNIT_SHAREDCONTEXT_H

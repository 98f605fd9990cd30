// SPDX-License-Identifier: Apache-2.0
//
// A context with all dialects, whose diagnostics go nowhere. A context keeps
// every type and attribute that it has seen, so it is made anew now and then.

#ifndef SHARDSMITH_TEST_FUZZ_MLIRSESSION_H
#define SHARDSMITH_TEST_FUZZ_MLIRSESSION_H

#include "shardsmith/InitAll.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"

#include <memory>

namespace shardsmith::fuzz {

/// For one input.
inline mlir::MLIRContext &freshContext() {
  static std::unique_ptr<mlir::MLIRContext> context;
  static unsigned used = 0;
  constexpr unsigned longest = 64;
  if (!context || ++used % longest == 0) {
    mlir::DialectRegistry registry;
    registerAllDialects(registry);
    context = std::make_unique<mlir::MLIRContext>(
        registry, mlir::MLIRContext::Threading::DISABLED);
    context->getDiagEngine().registerHandler(
        [](mlir::Diagnostic &) { return mlir::success(); });
  }
  return *context;
}

} // namespace shardsmith::fuzz

#endif // SHARDSMITH_TEST_FUZZ_MLIRSESSION_H

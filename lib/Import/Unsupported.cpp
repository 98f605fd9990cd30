// SPDX-License-Identifier: Apache-2.0

#include "Unsupported.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace shardsmith {
namespace {

constexpr StringLiteral mark = "smith.unsupported";

} // namespace

void reportUnsupported(func::FuncOp function, const ErrorList &errors) {
  if (errors.empty())
    return;
  errors.emit();
  function->setAttr(mark, UnitAttr::get(function.getContext()));
}

bool hasUnsupported(func::FuncOp function) { return function->hasAttr(mark); }

} // namespace shardsmith

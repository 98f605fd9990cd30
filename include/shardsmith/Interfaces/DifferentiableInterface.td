// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_INTERFACES_DIFFERENTIABLEINTERFACE_TD
#define SHARDSMITH_INTERFACES_DIFFERENTIABLEINTERFACE_TD

include "mlir/IR/OpBase.td"

def DifferentiableInterface : OpInterface<"DifferentiableInterface"> {
  let cppNamespace = "::shardsmith";
  let description = [{
    An op whose vector-Jacobian product can be built as IR. For y = f(x...) and
    a cotangent of each y, `buildDerivative` builds the contribution to the
    cotangent of each x.

    Cotangents have the type of their value. A null cotangent is an exact zero
    that was never built; ops must cope with null for results and may leave
    null for operands (integers, booleans, constant paths).
  }];
  let methods = [
    InterfaceMethod<[{
        Builds the derivative at the builder's insertion point. On failure a
        diagnostic has been emitted.
      }],
      "::llvm::LogicalResult", "buildDerivative",
      (ins "::mlir::ImplicitLocOpBuilder &":$builder,
           "::llvm::ArrayRef<::mlir::Value>":$resultCotangents,
           "::llvm::SmallVectorImpl<::mlir::Value> &":$operandCotangents)>
  ];
}

#endif

// SPDX-License-Identifier: Apache-2.0
//
// What a loss graph says of derivatives that its ops do not say themselves.
// These ops stand between the import and the train step; no program has them.

#ifndef SHARDSMITH_DIALECT_SMITH_SMITHDERIVATIVEOPS_TD
#define SHARDSMITH_DIALECT_SMITH_SMITHDERIVATIVEOPS_TD

include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "shardsmith/Dialect/Smith/SmithDialect.td"
include "shardsmith/Interfaces/FactorRuleInterface.td"

def Smith_StopGradientOp : Op<Smith_Dialect, "stop_gradient",
    [Pure, SameOperandsAndResultType,
     DeclareOpInterfaceMethods<FactorRuleInterface>]> {
  let summary = "The operand, as a constant for derivatives";
  let description = [{
    ```mlir
    %1 = smith.stop_gradient %0 : tensor<4x8xf32>
    ```
    The result is the operand; its derivative is zero. This is JAX's
    `stop_gradient`.
  }];
  let arguments = (ins AnyStaticShapeTensor:$input);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($result)";
}

def Smith_WithDerivativeOp : Op<Smith_Dialect, "with_derivative",
    [Pure, AttrSizedOperandSegments,
     DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Values of a function that has a derivative of its own";
  let description = [{
    ```mlir
    %v = stablehlo.round_nearest_even %x : tensor<8xf32>
    %y = smith.with_derivative @straight_through of(%x) values(%v)
           : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    ```
    The results are `values`. Their derivative is not that of the ops that made
    them, but what the function computes: it takes `inputs` and then the
    cotangents of the results, and returns the cotangents of those inputs that
    are floats, in order. This is JAX's `custom_vjp` and `custom_jvp`.

    Constraints: the function's type is the one that follows from this.
  }];
  let arguments = (ins FlatSymbolRefAttr:$derivative,
                       Variadic<AnyStaticShapeTensor>:$inputs,
                       Variadic<AnyStaticShapeTensor>:$values);
  let results = (outs Variadic<AnyStaticShapeTensor>:$results);
  let assemblyFormat = [{
    $derivative `of` `(` $inputs `)` `values` `(` $values `)` attr-dict
    `:` functional-type(operands, results)
  }];
  let extraClassDeclaration = [{
    /// The type that the function must have.
    ::mlir::FunctionType getDerivativeType();
  }];
}

#endif

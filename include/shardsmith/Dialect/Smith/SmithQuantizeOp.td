// SPDX-License-Identifier: Apache-2.0
//
// Values that are rounded to floats of eight bits for products.

#ifndef SHARDSMITH_DIALECT_SMITH_SMITHQUANTIZEOP_TD
#define SHARDSMITH_DIALECT_SMITH_SMITHQUANTIZEOP_TD

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "shardsmith/Dialect/Smith/SmithDialect.td"
include "shardsmith/Interfaces/DifferentiableInterface.td"

def Smith_QuantizeOp : Op<Smith_Dialect, "quantize",
    [Pure, SameOperandsAndResultType,
     DeclareOpInterfaceMethods<DifferentiableInterface>]> {
  let summary = "Rounds a tensor, or its gradient, to floats of eight bits";
  let description = [{
    ```mlir
    %q = smith.quantize %x values = f8E4M3FN : tensor<64x32xbf16>
    %r = smith.quantize %y gradients = f8E5M2 : tensor<64x32xbf16>
    ```
    With `values`, the result is `round(x / s) * s`, where `round` is to the
    type, and the *scale* s is the least power of two with which no element of
    the tensor is beyond the type's largest number. With `gradients`, the result
    is x, and the gradient that comes back is rounded so. What rounds values
    hands a gradient on as it is.

    The op is there while a train step is built. Then products of two rounded
    tensors become products of tensors of eight bits, multiplied by both scales,
    which is the same number: a power of two changes no digit.

    Constraints: a tensor of bf16, f16 or f32; one of the two types is given,
    and is f8E4M3FN or f8E5M2.
  }];
  let arguments = (ins AnyStaticShapeTensor:$input,
                       OptionalAttr<TypeAttr>:$values,
                       OptionalAttr<TypeAttr>:$gradients);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = [{
    $input (`values` `=` $values^)? (`gradients` `=` $gradients^)? attr-dict
    `:` type($result)
  }];
  let hasVerifier = 1;
}

#endif

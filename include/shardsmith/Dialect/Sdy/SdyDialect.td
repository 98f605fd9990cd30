// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_DIALECT_SDY_SDYDIALECT_TD
#define SHARDSMITH_DIALECT_SDY_SDYDIALECT_TD

include "mlir/IR/OpBase.td"

def Sdy_Dialect : Dialect {
  let name = "sdy";
  let cppNamespace = "::shardsmith::sdy";
  let summary = "Meshes and shardings by axis name";
  let description = [{
    How tensors are spread over a mesh of devices, in the text form that JAX
    prints. Types are those of the whole ("global") tensor everywhere.

    `sdy.sharding` is a discardable attribute: `#sdy.sharding` on function
    arguments and results, `#sdy.sharding_per_value` on ops, one per result.
  }];
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  // Written by hand for the one attribute that is kept as text.
  let extraClassDeclaration = [{
    ::mlir::Attribute parseAttribute(::mlir::DialectAsmParser &parser,
                                     ::mlir::Type type) const override;
    void printAttribute(::mlir::Attribute attribute,
                        ::mlir::DialectAsmPrinter &printer) const override;
  }];
}

#endif

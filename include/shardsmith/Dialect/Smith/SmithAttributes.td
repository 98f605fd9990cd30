// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_DIALECT_SMITH_SMITHATTRIBUTES_TD
#define SHARDSMITH_DIALECT_SMITH_SMITHATTRIBUTES_TD

include "mlir/IR/AttrTypeBase.td"
include "shardsmith/Dialect/Smith/SmithDialect.td"

def Smith_FactorAxes : AttrDef<Smith_Dialect, "FactorAxes"> {
  let mnemonic = "factor_axes";
  let summary = "Mesh axes over which each factor of an op is split";
  let description = [{
    `<[{"data"}, {}, {"tensor"} ]>`: one list of axes, major to minor, per
    factor of the op's rule, in the rule's order.

    `<[{"data"}, {} ], partial={"z"}>`: over axis "z" the operands of a linear set
    of the rule are partial sums, and so are the results. The first linear set
    is meant; `partial={"z"} of 1` names another by its position.

    Constraints: an axis occurs at most once.
  }];
  let parameters = (ins
    OptionalArrayRefParameter<"::mlir::ArrayAttr">:$factors,
    "::mlir::ArrayAttr":$partial,
    "unsigned":$linear_set);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Smith_Parts : AttrDef<Smith_Dialect, "Parts"> {
  let mnemonic = "parts";
  let summary = "Mesh axes that split the inside of a dimension";
  let description = [{
    `<dim 2: [3, 12, 64] [{}, {"tensor"}, {} ]>`: dimension 2, of 2304 elements,
    is 3 × 12 × 64, major to minor, and the middle one of these is split. An
    `sdy.sharding` can only split a dimension from its major end.

    Constraints: one list of axes per size; an axis occurs at most once.
  }];
  let parameters = (ins
    "unsigned":$dim,
    ArrayRefParameter<"int64_t">:$sizes,
    ArrayRefParameter<"::mlir::ArrayAttr">:$axes);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

#endif

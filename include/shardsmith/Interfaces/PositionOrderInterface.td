// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_INTERFACES_POSITIONORDERINTERFACE_TD
#define SHARDSMITH_INTERFACES_POSITIONORDERINTERFACE_TD

include "mlir/IR/OpBase.td"

def PositionOrderInterface : OpInterface<"PositionOrderInterface"> {
  let cppNamespace = "::shardsmith";
  let description = [{
    An op with a factor rule whose results depend on the order of positions,
    and which can be told of another order than that of the sequence: zigzag
    over n ranks, in which rank r has parts r and 2n − 1 − r of 2n. Operands
    and results are in that order then, and what it computes is the same.
  }];
  let methods = [
    InterfaceMethod<[{
        Whether positions may be in zigzag along index / inner % size of a
        factor of the op's rule.
      }],
      "bool", "takesZigzag",
      (ins "::shardsmith::FactorIndex":$factor, "int64_t":$inner,
           "int64_t":$size)>,
    InterfaceMethod<[{
        Tells the op that they are, over so many ranks, of which twice as many
        divide the size. `takesZigzag` has said yes.
      }],
      "void", "putInZigzag",
      (ins "int64_t":$ranks, "::shardsmith::FactorIndex":$factor,
           "int64_t":$inner, "int64_t":$size)>
  ];
}

#endif

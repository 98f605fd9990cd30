// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_INTERFACES_FACTORRULEINTERFACE_TD
#define SHARDSMITH_INTERFACES_FACTORRULEINTERFACE_TD

include "mlir/IR/OpBase.td"

def FactorRuleInterface : OpInterface<"FactorRuleInterface"> {
  let cppNamespace = "::shardsmith";
  let description = [{
    An op that can say which factors its iteration space has and which
    dimensions of which operand and result they run along. An op without this
    interface (or of more than static shape) must see all of its operands
    whole.
  }];
  let methods = [
    InterfaceMethod<"The rule for the op's present types.",
      "::shardsmith::FactorRule", "getFactorRule", (ins)>
  ];
}

#endif

// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_INTERFACES_NEIGHBOURHOODINTERFACE_TD
#define SHARDSMITH_INTERFACES_NEIGHBOURHOODINTERFACE_TD

include "mlir/IR/OpBase.td"

def NeighbourhoodInterface : OpInterface<"NeighbourhoodInterface"> {
  let cppNamespace = "::shardsmith";
  let description = [{
    An op with a factor rule whose shards may need elements of each other:
    windows, shifts, reversal. Says which; the partitioner exchanges them.
  }];
  let methods = [
    InterfaceMethod<[{
        What factors of the op's rule need of dimensions of its operands.
        - A neighbourhood is of a Permutation or Reduction factor that is its
          dimension alone, and no dimension has two.
        - Every Permutation factor has one.
      }],
      "::shardsmith::Neighbourhoods", "getNeighbourhoods", (ins)>
  ];
}

#endif

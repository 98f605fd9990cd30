// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_INTERFACES_LOCALIZEINTERFACE_TD
#define SHARDSMITH_INTERFACES_LOCALIZEINTERFACE_TD

include "mlir/IR/OpBase.td"

def LocalizeInterface : OpInterface<"LocalizeInterface"> {
  let cppNamespace = "::shardsmith";
  let description = [{
    An op whose per-device form is more than "the same op on smaller tensors":
    one that mentions sizes or positions in its attributes or values (iota,
    slice, gather over a sharded dimension). Ops without this interface are
    rebuilt with local types.
  }];
  let methods = [
    InterfaceMethod<[{
        Builds the local form at the builder's insertion point and appends its
        results. `context` knows the sharding of every operand and result and
        builds shard offsets and masks. On failure a diagnostic has been
        emitted.
      }],
      "::llvm::LogicalResult", "localize",
      (ins "::mlir::ImplicitLocOpBuilder &":$builder,
           "const ::shardsmith::LocalizeContext &":$context,
           "::mlir::ValueRange":$localOperands,
           "::llvm::SmallVectorImpl<::mlir::Value> &":$localResults)>
  ];
}

#endif

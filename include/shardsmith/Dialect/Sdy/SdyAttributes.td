// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_DIALECT_SDY_SDYATTRIBUTES_TD
#define SHARDSMITH_DIALECT_SDY_SDYATTRIBUTES_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "shardsmith/Dialect/Sdy/SdyDialect.td"

class Sdy_Attr<string name, string keyword> : AttrDef<Sdy_Dialect, name> {
  let mnemonic = keyword;
  let hasCustomAssemblyFormat = 1;
}

def Sdy_PropagationDirection : I32EnumAttr<"PropagationDirection",
    "Which way shardings may flow through a barrier",
    [I32EnumAttrCase<"NONE", 0>, I32EnumAttrCase<"FORWARD", 1>,
     I32EnumAttrCase<"BACKWARD", 2>]> {
  let cppNamespace = "::shardsmith::sdy";
  let genSpecializedAttr = 0;
}
def Sdy_PropagationDirectionAttr
    : EnumAttr<Sdy_Dialect, Sdy_PropagationDirection, "propagation_direction">;

def Sdy_ReductionKind : Sdy_Attr<"ReductionKind", "reduction_kind"> {
  let summary = "How partial values combine: sum, product, max, min, and, or";
  let parameters = (ins "::shardsmith::ReductionKind":$value);
}

def Sdy_MeshAxis : Sdy_Attr<"MeshAxis", "mesh_axis"> {
  let summary = "A named axis of a mesh: `\"data\"=4`";
  let parameters = (ins StringRefParameter<>:$name, "int64_t":$size);
  let genVerifyDecl = 1;
}

def Sdy_Mesh : Sdy_Attr<"Mesh", "mesh"> {
  let summary = "Axes and, if not the identity, the order of devices";
  let description = [{
    `<["data"=4, "model"=8]>`, `<["a"=2, "b"=2], device_ids=[0, 2, 1, 3]>` or,
    for one device, `<[], device_ids=[3]>`.

    Constraints:
    - axis names are unique and sizes positive;
    - the product of the sizes fits 64 bits;
    - `device_ids`, if present, is a permutation of 0…product−1 other than the
      identity, or a single device id when there are no axes.
  }];
  let parameters = (ins OptionalArrayRefParameter<"MeshAxisAttr">:$axes,
                        OptionalArrayRefParameter<"int64_t">:$device_ids);
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    static MeshAttr get(::mlir::MLIRContext *context,
                        ::llvm::ArrayRef<MeshAxisAttr> axes);
    /// Size of the axis of that name, if there is one.
    std::optional<int64_t> getAxisSize(::llvm::StringRef name) const;
    /// Product of the axis sizes.
    int64_t getDeviceCount() const;
    /// True if the mesh is one given device, without axes.
    bool isMaximal() const;
  }];
}

def Sdy_SubAxisInfo : Sdy_Attr<"SubAxisInfo", "sub_axis_info"> {
  let summary = "`(pre_size)size`: a part of an axis";
  let description = [{
    An axis of size pre_size · size · post_size, seen as three axes; this is
    the middle one.
  }];
  let parameters = (ins "int64_t":$pre_size, "int64_t":$size);
  let genVerifyDecl = 1;
}

def Sdy_AxisRef : Sdy_Attr<"AxisRef", "axis_ref"> {
  let summary = "`\"x\"`, or a part of it: `\"x\":(2)4`";
  let parameters = (ins StringRefParameter<>:$name,
                        OptionalParameter<"SubAxisInfoAttr">:$sub_axis_info);
  let extraClassDeclaration = [{
    static AxisRefAttr get(::mlir::MLIRContext *context,
                           ::llvm::StringRef name);
    /// Number of shards this axis makes on `mesh`, which must have it.
    int64_t getSize(MeshAttr mesh) const;
  }];
}

def Sdy_AxisRefList : Sdy_Attr<"AxisRefList", "axis_ref_list"> {
  let summary = "`{\"x\", \"y\"}`";
  let parameters = (ins OptionalArrayRefParameter<"AxisRefAttr">:$value);
}

def Sdy_ListOfAxisRefLists
    : Sdy_Attr<"ListOfAxisRefLists", "list_of_axis_ref_lists"> {
  let summary = "One list of axes per dimension: `[{\"x\"}, {}]`";
  let parameters = (ins OptionalArrayRefParameter<"AxisRefListAttr">:$value);
}

def Sdy_DimensionSharding : Sdy_Attr<"DimensionSharding", "dim_sharding"> {
  let summary = "Axes that split one dimension, major to minor";
  let description = [{
    `{"x", "y"}` is closed; with `?` in place of a last axis it is open:
    propagation may append axes. `p1` after it is its priority.
  }];
  let parameters = (ins OptionalArrayRefParameter<"AxisRefAttr">:$axes,
                        "bool":$is_closed,
                        OptionalParameter<"std::optional<int64_t>">:$priority);
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    static DimensionShardingAttr get(::mlir::MLIRContext *context,
                                     ::llvm::ArrayRef<AxisRefAttr> axes,
                                     bool isClosed = true);
    static DimensionShardingAttr get(::mlir::MLIRContext *context,
                                     ::llvm::ArrayRef<::llvm::StringRef> axes);
  }];
}

def Sdy_TensorSharding : Sdy_Attr<"TensorSharding", "sharding"> {
  let summary = "How one tensor is spread over a mesh";
  let description = [{
    `<@mesh, [{"data"}, {?} ], replicated={"model"}, unreduced={"z"}>`.

    - per dimension the axes that split it;
    - `replicated`: axes that propagation must not use for this tensor;
    - `unreduced`: axes whose devices hold partial values that combine by sum,
      or by another kind written before the axes: `unreduced=max{"z"}`.

    Constraints:
    - no axis (or part of one) occurs twice;
    - axes exist in the mesh, parts divide them (checked where the mesh is
      known, see `verifySharding`).
  }];
  let parameters = (ins
    "::mlir::Attribute":$mesh_or_ref,
    OptionalArrayRefParameter<"DimensionShardingAttr">:$dim_shardings,
    OptionalArrayRefParameter<"AxisRefAttr">:$replicated_axes,
    OptionalArrayRefParameter<"AxisRefAttr">:$unreduced_axes,
    "::shardsmith::ReductionKind":$unreduced_kind);
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    static TensorShardingAttr
    get(::mlir::MLIRContext *context, ::llvm::StringRef meshName,
        ::llvm::ArrayRef<DimensionShardingAttr> dims,
        ::llvm::ArrayRef<AxisRefAttr> unreduced = {},
        ::shardsmith::ReductionKind kind = ::shardsmith::ReductionKind::Sum);
    /// Closed, whole on every device.
    static TensorShardingAttr getReplicated(::mlir::MLIRContext *context,
                                            ::llvm::StringRef meshName,
                                            int64_t rank);

    int64_t getRank() const { return getDimShardings().size(); }
    /// Name of the mesh, empty if it is written inline.
    ::llvm::StringRef getMeshName() const;
    /// The mesh, looked up from `from` if it is a symbol; null if not found.
    MeshAttr getMesh(::mlir::Operation *from) const;
    /// True if every device holds the whole, final tensor.
    bool isReplicated() const;
  }];
}

def Sdy_TensorShardingPerValue
    : Sdy_Attr<"TensorShardingPerValue", "sharding_per_value"> {
  let summary = "One sharding per result of an op";
  let parameters = (ins
    OptionalArrayRefParameter<"TensorShardingAttr">:$shardings);
  let extraClassDeclaration = [{
    int64_t size() const { return getShardings().size(); }
  }];
}

def Sdy_ManualAxes : Sdy_Attr<"ManualAxes", "manual_axes"> {
  let summary = "Axes over which a region is written per device";
  let parameters = (ins OptionalArrayRefParameter<"::mlir::StringAttr">:$value);
}

def Sdy_AllToAllParam : Sdy_Attr<"AllToAllParam", "all_to_all_param"> {
  let summary = "`{\"x\"}: 0->2`: axes that move from one dimension to another";
  let parameters = (ins OptionalArrayRefParameter<"AxisRefAttr">:$axes,
                        "int64_t":$src_dim, "int64_t":$tgt_dim);
  let genVerifyDecl = 1;
}

def Sdy_AllToAllParamList
    : Sdy_Attr<"AllToAllParamList", "all_to_all_param_list"> {
  let summary = "Moves of one all-to-all, by source dimension";
  let parameters = (ins OptionalArrayRefParameter<"AllToAllParamAttr">:$value);
}

def Sdy_DimMapping : Sdy_Attr<"DimMapping", "dim_mapping"> {
  let summary = "Factors of one dimension, major to minor";
  let parameters = (ins OptionalArrayRefParameter<"int64_t">:$factor_indices);
}

def Sdy_TensorMapping : Sdy_Attr<"TensorMapping", "tensor_mapping"> {
  let summary = "Factors of each dimension of one tensor";
  let parameters = (ins
    OptionalArrayRefParameter<"DimMappingAttr">:$dim_mappings);
}

def Sdy_OpShardingRule : Sdy_Attr<"OpShardingRule", "op_sharding_rule"> {
  let summary = "An op as an einsum over factors";
  let description = [{
    `<([i, k], [k, j])->([i, j]) {i=8, j=16, k=8} reduction={k}>`. Factors are
    called i…z, then z_1, z_2, …; a rule that ends in `, custom` was given by
    the user.
  }];
  let parameters = (ins
    OptionalArrayRefParameter<"int64_t">:$factor_sizes,
    OptionalArrayRefParameter<"TensorMappingAttr">:$operand_mappings,
    OptionalArrayRefParameter<"TensorMappingAttr">:$result_mappings,
    OptionalArrayRefParameter<"int64_t">:$reduction_factors,
    OptionalArrayRefParameter<"int64_t">:$need_replication_factors,
    OptionalArrayRefParameter<"int64_t">:$permutation_factors,
    OptionalArrayRefParameter<"int64_t">:$blocked_propagation_factors,
    "bool":$is_custom);
  let genVerifyDecl = 1;
}

def Sdy_PropagationEdges : AttrDef<Sdy_Dialect, "PropagationEdges"> {
  let summary = "How Shardy found a sharding: text that nothing here reads";
  let description = [{
    `#sdy.propagation_edges<[{step-2 = …} ]>` in the discardable attributes of
    that name.
  }];
  // Without a mnemonic: the dialect reads and prints it by hand.
  let attrName = "sdy.propagation_edges";
  let parameters = (ins StringRefParameter<>:$text);
}

#endif

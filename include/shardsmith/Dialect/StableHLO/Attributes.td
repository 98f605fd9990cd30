// SPDX-License-Identifier: Apache-2.0
// Structured attributes. They print their fields in the order below, leave out
// empty lists, and parse fields in any order (lib/.../AttributeSyntax.cpp).

#ifndef SHARDSMITH_DIALECT_STABLEHLO_ATTRIBUTES_TD
#define SHARDSMITH_DIALECT_STABLEHLO_ATTRIBUTES_TD

include "shardsmith/Dialect/StableHLO/Enums.td"

class StableHLO_Attr<string name, string attrMnemonic>
    : AttrDef<StableHLO_Dialect, name> {
  let mnemonic = attrMnemonic;
  let hasCustomAssemblyFormat = 1;
}

def StableHLO_Dims : ArrayRefParameter<"int64_t", "dimensions">;

def StableHLO_DotDimensionNumbersAttr
    : StableHLO_Attr<"DotDimensionNumbers", "dot"> {
  let summary = "batching and contracting dimensions of a contraction";
  let parameters = (ins
    StableHLO_Dims:$lhsBatchingDimensions,
    StableHLO_Dims:$rhsBatchingDimensions,
    StableHLO_Dims:$lhsContractingDimensions,
    StableHLO_Dims:$rhsContractingDimensions);
}

def StableHLO_DotAlgorithmAttr
    : StableHLO_Attr<"DotAlgorithm", "dot_algorithm"> {
  let summary = "element types and passes that compute a contraction";
  let parameters = (ins
    "::mlir::Type":$lhsPrecisionType,
    "::mlir::Type":$rhsPrecisionType,
    "::mlir::Type":$accumulationType,
    "int64_t":$lhsComponentCount,
    "int64_t":$rhsComponentCount,
    "int64_t":$numPrimitiveOperations,
    "bool":$allowImpreciseAccumulation);
}

def StableHLO_GatherDimensionNumbersAttr
    : StableHLO_Attr<"GatherDimensionNumbers", "gather"> {
  let summary = "what each dimension of a gather means";
  let parameters = (ins
    StableHLO_Dims:$offsetDims,
    StableHLO_Dims:$collapsedSliceDims,
    StableHLO_Dims:$operandBatchingDims,
    StableHLO_Dims:$startIndicesBatchingDims,
    StableHLO_Dims:$startIndexMap,
    "int64_t":$indexVectorDim);
}

def StableHLO_ScatterDimensionNumbersAttr
    : StableHLO_Attr<"ScatterDimensionNumbers", "scatter"> {
  let summary = "what each dimension of a scatter means";
  let parameters = (ins
    StableHLO_Dims:$updateWindowDims,
    StableHLO_Dims:$insertedWindowDims,
    StableHLO_Dims:$inputBatchingDims,
    StableHLO_Dims:$scatterIndicesBatchingDims,
    StableHLO_Dims:$scatterDimsToOperandDims,
    "int64_t":$indexVectorDim);
}

def StableHLO_ConvDimensionNumbersAttr
    : StableHLO_Attr<"ConvDimensionNumbers", "conv"> {
  let summary = "what each dimension of a convolution means";
  let parameters = (ins
    "int64_t":$inputBatchDimension,
    "int64_t":$inputFeatureDimension,
    StableHLO_Dims:$inputSpatialDimensions,
    "int64_t":$kernelInputFeatureDimension,
    "int64_t":$kernelOutputFeatureDimension,
    StableHLO_Dims:$kernelSpatialDimensions,
    "int64_t":$outputBatchDimension,
    "int64_t":$outputFeatureDimension,
    StableHLO_Dims:$outputSpatialDimensions);
}

def StableHLO_ChannelHandleAttr
    : StableHLO_Attr<"ChannelHandle", "channel_handle"> {
  let summary = "identifies a communication channel";
  // `handle`: identifier; `type`: 0 or 1 for collectives.
  let parameters = (ins "int64_t":$handle, "int64_t":$type);
}

def StableHLO_OutputOperandAliasAttr
    : StableHLO_Attr<"OutputOperandAlias", "output_operand_alias"> {
  let summary = "an operand whose buffer a custom call's result may reuse";
  let parameters = (ins
    StableHLO_Dims:$outputTupleIndices,
    "int64_t":$operandIndex,
    StableHLO_Dims:$operandTupleIndices);
}

def StableHLO_TypeExtensionsAttr : StableHLO_Attr<"TypeExtensions", "bounds"> {
  let summary = "upper bounds of dynamic dimensions, as a tensor encoding";
  let parameters = (ins StableHLO_Dims:$bounds);
}

def StableHLO_ResultAccuracyAttr
    : StableHLO_Attr<"ResultAccuracy", "result_accuracy"> {
  let summary = "requested accuracy of a transcendental function";
  let parameters = (ins
    "::llvm::APFloat":$atol,
    "::llvm::APFloat":$rtol,
    "int64_t":$ulps,
    "ResultAccuracyModeAttr":$mode);
}

def StableHLO_AxisRefAttr : StableHLO_Attr<"AxisRef", "axis_ref"> {
  let summary = "a mesh axis by name";
  let parameters = (ins StringRefParameter<>:$name);
}

def StableHLO_ReplicaGroupMeshAxesAttr
    : StableHLO_Attr<"ReplicaGroupMeshAxes", "replica_group_mesh_axes"> {
  let summary = "replica groups as the axes of a mesh they run along";
  let parameters = (ins
    "::mlir::FlatSymbolRefAttr":$mesh,
    ArrayRefParameter<"AxisRefAttr">:$axes);
}

//===----------------------------------------------------------------------===//
// Attribute constraints
//===----------------------------------------------------------------------===//

def StableHLO_ReplicaGroups
    : AnyAttrOf<[I64ElementsAttr, StableHLO_ReplicaGroupMeshAxesAttr],
                "groups of devices, listed or along axes of a mesh">;

def StableHLO_PrecisionConfig
    : TypedArrayAttrBase<StableHLO_PrecisionAttr, "precision per operand">;

def StableHLO_Layouts
    : TypedArrayAttrBase<IndexElementsAttr, "layout per value"> {
}

def StableHLO_OutputOperandAliases
    : TypedArrayAttrBase<StableHLO_OutputOperandAliasAttr,
                         "aliases of results and operands">;

#endif

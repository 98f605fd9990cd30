// SPDX-License-Identifier: Apache-2.0
// Text of the structured attributes; docs/dialects/stablehlo.md shows each.

#include "AttributeSyntax.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

#include "shardsmith/Dialect/StableHLO/Enums.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "shardsmith/Dialect/StableHLO/Types.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "shardsmith/Dialect/StableHLO/Attributes.cpp.inc"

using namespace mlir;
using namespace shardsmith::stablehlo;

void StableHLODialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "shardsmith/Dialect/StableHLO/Attributes.cpp.inc"
      >();
}

void StableHLODialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "shardsmith/Dialect/StableHLO/Types.cpp.inc"
      >();
}

namespace {

Field dimsField(AsmParser &parser, StringRef name, Shape &dims) {
  return {name, [&parser, &dims] { return parseDims(parser, dims); }};
}

Field integerField(AsmParser &parser, StringRef name, int64_t &value,
                   bool isRequired = false) {
  return {name, [&parser, &value] { return parser.parseInteger(value); },
          isRequired};
}

} // namespace

//===----------------------------------------------------------------------===//
// Contractions
//===----------------------------------------------------------------------===//

Attribute DotDimensionNumbersAttr::parse(AsmParser &parser, Type) {
  Shape lhsBatching, rhsBatching, lhsContracting, rhsContracting;
  Field fields[] = {
      dimsField(parser, "lhs_batching_dimensions", lhsBatching),
      dimsField(parser, "rhs_batching_dimensions", rhsBatching),
      dimsField(parser, "lhs_contracting_dimensions", lhsContracting),
      dimsField(parser, "rhs_contracting_dimensions", rhsContracting)};
  if (parseFields(parser, fields))
    return {};
  return get(parser.getContext(), lhsBatching, rhsBatching, lhsContracting,
             rhsContracting);
}

void DotDimensionNumbersAttr::print(AsmPrinter &printer) const {
  FieldPrinter fields(printer);
  fields.list("lhs_batching_dimensions", getLhsBatchingDimensions());
  fields.list("rhs_batching_dimensions", getRhsBatchingDimensions());
  fields.list("lhs_contracting_dimensions", getLhsContractingDimensions());
  fields.list("rhs_contracting_dimensions", getRhsContractingDimensions());
}

Attribute DotAlgorithmAttr::parse(AsmParser &parser, Type) {
  Type lhs, rhs, accumulation;
  int64_t lhsCount = 1, rhsCount = 1, operations = 1;
  bool allowImprecise = false;
  auto typeField = [&](StringRef name, Type &type) -> Field {
    return {name, [&] { return parser.parseType(type); }, /*isRequired=*/true};
  };
  Field fields[] = {
      typeField("lhs_precision_type", lhs),
      typeField("rhs_precision_type", rhs),
      typeField("accumulation_type", accumulation),
      integerField(parser, "lhs_component_count", lhsCount, true),
      integerField(parser, "rhs_component_count", rhsCount, true),
      integerField(parser, "num_primitive_operations", operations, true),
      {"allow_imprecise_accumulation",
       [&]() -> ParseResult {
         StringRef word;
         if (parser.parseKeyword(&word))
           return failure();
         if (word != "true" && word != "false")
           return parser.emitError(parser.getCurrentLocation())
                  << "expected 'true' or 'false', found '" << word << "'";
         allowImprecise = word == "true";
         return success();
       },
       true}};
  if (parseFields(parser, fields))
    return {};
  return get(parser.getContext(), lhs, rhs, accumulation, lhsCount, rhsCount,
             operations, allowImprecise);
}

void DotAlgorithmAttr::print(AsmPrinter &printer) const {
  FieldPrinter fields(printer);
  fields.field("lhs_precision_type") << getLhsPrecisionType();
  fields.field("rhs_precision_type") << getRhsPrecisionType();
  fields.field("accumulation_type") << getAccumulationType();
  fields.field("lhs_component_count") << getLhsComponentCount();
  fields.field("rhs_component_count") << getRhsComponentCount();
  fields.field("num_primitive_operations") << getNumPrimitiveOperations();
  fields.field("allow_imprecise_accumulation")
      << (getAllowImpreciseAccumulation() ? "true" : "false");
}

//===----------------------------------------------------------------------===//
// Indexing
//===----------------------------------------------------------------------===//

Attribute GatherDimensionNumbersAttr::parse(AsmParser &parser, Type) {
  Shape offset, collapsed, operandBatching, indicesBatching, indexMap;
  int64_t indexVectorDim = 0;
  Field fields[] = {
      dimsField(parser, "offset_dims", offset),
      dimsField(parser, "collapsed_slice_dims", collapsed),
      dimsField(parser, "operand_batching_dims", operandBatching),
      dimsField(parser, "start_indices_batching_dims", indicesBatching),
      dimsField(parser, "start_index_map", indexMap),
      integerField(parser, "index_vector_dim", indexVectorDim)};
  if (parseFields(parser, fields))
    return {};
  return get(parser.getContext(), offset, collapsed, operandBatching,
             indicesBatching, indexMap, indexVectorDim);
}

void GatherDimensionNumbersAttr::print(AsmPrinter &printer) const {
  FieldPrinter fields(printer);
  fields.list("offset_dims", getOffsetDims());
  fields.list("collapsed_slice_dims", getCollapsedSliceDims());
  fields.list("operand_batching_dims", getOperandBatchingDims());
  fields.list("start_indices_batching_dims", getStartIndicesBatchingDims());
  fields.list("start_index_map", getStartIndexMap());
  if (getIndexVectorDim() != 0)
    fields.field("index_vector_dim") << getIndexVectorDim();
}

Attribute ScatterDimensionNumbersAttr::parse(AsmParser &parser, Type) {
  Shape window, inserted, inputBatching, indicesBatching, indexMap;
  int64_t indexVectorDim = 0;
  Field fields[] = {
      dimsField(parser, "update_window_dims", window),
      dimsField(parser, "inserted_window_dims", inserted),
      dimsField(parser, "input_batching_dims", inputBatching),
      dimsField(parser, "scatter_indices_batching_dims", indicesBatching),
      dimsField(parser, "scatter_dims_to_operand_dims", indexMap),
      integerField(parser, "index_vector_dim", indexVectorDim)};
  if (parseFields(parser, fields))
    return {};
  return get(parser.getContext(), window, inserted, inputBatching,
             indicesBatching, indexMap, indexVectorDim);
}

void ScatterDimensionNumbersAttr::print(AsmPrinter &printer) const {
  FieldPrinter fields(printer);
  fields.list("update_window_dims", getUpdateWindowDims());
  fields.list("inserted_window_dims", getInsertedWindowDims());
  fields.list("input_batching_dims", getInputBatchingDims());
  fields.list("scatter_indices_batching_dims", getScatterIndicesBatchingDims());
  fields.list("scatter_dims_to_operand_dims", getScatterDimsToOperandDims());
  if (getIndexVectorDim() != 0)
    fields.field("index_vector_dim") << getIndexVectorDim();
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

Attribute ConvDimensionNumbersAttr::parse(AsmParser &parser, Type) {
  ConvDimensionNumbersAttr numbers;
  if (parser.parseLess() || parseConvDimensions(parser, numbers) ||
      parser.parseGreater())
    return {};
  return numbers;
}

void ConvDimensionNumbersAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printConvDimensions(printer, *this);
  printer << '>';
}

//===----------------------------------------------------------------------===//
// Communication and calls
//===----------------------------------------------------------------------===//

Attribute ChannelHandleAttr::parse(AsmParser &parser, Type) {
  int64_t handle = 0, type = 0;
  Field fields[] = {integerField(parser, "handle", handle, true),
                    integerField(parser, "type", type, true)};
  if (parseFields(parser, fields))
    return {};
  return get(parser.getContext(), handle, type);
}

void ChannelHandleAttr::print(AsmPrinter &printer) const {
  FieldPrinter fields(printer);
  fields.field("handle") << getHandle();
  fields.field("type") << getType();
}

Attribute OutputOperandAliasAttr::parse(AsmParser &parser, Type) {
  Shape outputIndices, operandIndices;
  int64_t operandIndex = 0;
  Field fields[] = {dimsField(parser, "output_tuple_indices", outputIndices),
                    integerField(parser, "operand_index", operandIndex, true),
                    dimsField(parser, "operand_tuple_indices", operandIndices)};
  if (parseFields(parser, fields))
    return {};
  return get(parser.getContext(), outputIndices, operandIndex, operandIndices);
}

void OutputOperandAliasAttr::print(AsmPrinter &printer) const {
  FieldPrinter fields(printer);
  fields.field("output_tuple_indices");
  printDims(printer, getOutputTupleIndices());
  fields.field("operand_index") << getOperandIndex();
  fields.field("operand_tuple_indices");
  printDims(printer, getOperandTupleIndices());
}

Attribute AxisRefAttr::parse(AsmParser &parser, Type) {
  std::string name;
  Field fields[] = {{"name", [&] { return parser.parseString(&name); }, true}};
  if (parseFields(parser, fields))
    return {};
  return get(parser.getContext(), name);
}

void AxisRefAttr::print(AsmPrinter &printer) const {
  FieldPrinter fields(printer);
  fields.field("name");
  printer.printString(getName());
}

Attribute ReplicaGroupMeshAxesAttr::parse(AsmParser &parser, Type) {
  FlatSymbolRefAttr mesh;
  SmallVector<AxisRefAttr> axes;
  auto parseAxes = [&] {
    return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
      return parser.parseAttribute(axes.emplace_back());
    });
  };
  Field fields[] = {{"mesh", [&] { return parser.parseAttribute(mesh); }, true},
                    {"axes", parseAxes, true}};
  if (parseFields(parser, fields))
    return {};
  return get(parser.getContext(), mesh, axes);
}

void ReplicaGroupMeshAxesAttr::print(AsmPrinter &printer) const {
  FieldPrinter fields(printer);
  fields.field("mesh");
  printer << getMesh();
  fields.field("axes");
  printer << '[';
  llvm::interleaveComma(getAxes(), printer);
  printer << ']';
}

//===----------------------------------------------------------------------===//
// Types and accuracy
//===----------------------------------------------------------------------===//

Attribute TypeExtensionsAttr::parse(AsmParser &parser, Type) {
  Shape bounds;
  auto parseBound = [&]() -> ParseResult {
    if (succeeded(parser.parseOptionalQuestion())) {
      bounds.push_back(ShapedType::kDynamic);
      return success();
    }
    return parser.parseInteger(bounds.emplace_back());
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater,
                                     parseBound))
    return {};
  return get(parser.getContext(), bounds);
}

void TypeExtensionsAttr::print(AsmPrinter &printer) const {
  printer << '<';
  llvm::interleaveComma(getBounds(), printer, [&](int64_t bound) {
    if (ShapedType::isDynamic(bound))
      printer << '?';
    else
      printer << bound;
  });
  printer << '>';
}

Attribute ResultAccuracyAttr::parse(AsmParser &parser, Type) {
  double absolute = 0, relative = 0;
  int64_t ulps = 0;
  ResultAccuracyModeAttr mode;
  Field fields[] = {
      {"atol", [&] { return parser.parseFloat(absolute); }},
      {"rtol", [&] { return parser.parseFloat(relative); }},
      integerField(parser, "ulps", ulps),
      {"mode", [&] { return parser.parseAttribute(mode); }, true}};
  if (parseFields(parser, fields))
    return {};
  return get(parser.getContext(), llvm::APFloat(absolute),
             llvm::APFloat(relative), ulps, mode);
}

void ResultAccuracyAttr::print(AsmPrinter &printer) const {
  FieldPrinter fields(printer);
  if (!getAtol().isZero()) {
    fields.field("atol");
    printer.printFloat(getAtol());
  }
  if (!getRtol().isZero()) {
    fields.field("rtol");
    printer.printFloat(getRtol());
  }
  if (getUlps() != 0)
    fields.field("ulps") << getUlps();
  fields.field("mode");
  printer << getMode();
}

// SPDX-License-Identifier: Apache-2.0

#include "../StableHLO/AttributeSyntax.h"
#include "mlir/IR/DialectImplementation.h"
#include "shardsmith/Dialect/Chlo/Chlo.h"
#include "llvm/ADT/TypeSwitch.h"

#include "shardsmith/Dialect/Chlo/Enums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "shardsmith/Dialect/Chlo/Attributes.cpp.inc"

using namespace mlir;
using namespace shardsmith;
using namespace shardsmith::chlo;

void ChloDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "shardsmith/Dialect/Chlo/Attributes.cpp.inc"
      >();
}

namespace {

/// The fields in the order they print, empty lists included.
constexpr StringLiteral kFieldNames[] = {
    "lhs_batching_dimensions",    "rhs_batching_dimensions",
    "lhs_contracting_dimensions", "rhs_contracting_dimensions",
    "lhs_ragged_dimensions",      "rhs_group_dimensions"};

} // namespace

Attribute RaggedDotDimensionNumbersAttr::parse(AsmParser &parser, Type) {
  stablehlo::Shape dims[std::size(kFieldNames)];
  SmallVector<stablehlo::Field> fields;
  for (auto [name, list] : llvm::zip(kFieldNames, dims))
    fields.push_back({name, [&parser, &list = list] {
                        return stablehlo::parseDims(parser, list);
                      }});
  if (stablehlo::parseFields(parser, fields))
    return {};
  return get(parser.getContext(), dims[0], dims[1], dims[2], dims[3], dims[4],
             dims[5]);
}

void RaggedDotDimensionNumbersAttr::print(AsmPrinter &printer) const {
  ArrayRef<int64_t> dims[] = {
      getLhsBatchingDimensions(),    getRhsBatchingDimensions(),
      getLhsContractingDimensions(), getRhsContractingDimensions(),
      getLhsRaggedDimensions(),      getRhsGroupDimensions()};
  stablehlo::FieldPrinter fields(printer);
  for (auto [name, list] : llvm::zip(kFieldNames, dims)) {
    fields.field(name);
    stablehlo::printDims(printer, list);
  }
}

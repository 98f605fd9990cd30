// SPDX-License-Identifier: Apache-2.0

#include "AxisLists.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace shardsmith::smith {

ParseResult parseAxes(AsmParser &parser, ArrayAttr &axes) {
  SmallVector<Attribute> names;
  if (parser.parseCommaSeparatedList(
          AsmParser::Delimiter::Braces, [&]() -> ParseResult {
            std::string name;
            if (parser.parseString(&name))
              return failure();
            names.push_back(parser.getBuilder().getStringAttr(name));
            return success();
          }))
    return failure();
  axes = parser.getBuilder().getArrayAttr(names);
  return success();
}

void printAxes(AsmPrinter &printer, ArrayAttr axes) {
  printer << '{';
  llvm::interleaveComma(axes, printer);
  printer << '}';
}

LogicalResult verifyAxes(ArrayAttr axes, llvm::StringSet<> &seen,
                         function_ref<InFlightDiagnostic()> emitError) {
  for (Attribute axis : axes) {
    auto name = dyn_cast<StringAttr>(axis);
    if (!name)
      return emitError() << "expected names of axes, got " << axis;
    if (!seen.insert(name.getValue()).second)
      return emitError() << "axis " << name << " occurs twice";
  }
  return success();
}

Attribute PartsAttr::parse(AsmParser &parser, Type) {
  SMLoc location = parser.getCurrentLocation();
  unsigned dim = 0;
  SmallVector<int64_t> sizes;
  SmallVector<ArrayAttr> axes;
  if (parser.parseLess() || parser.parseKeyword("dim") ||
      parser.parseInteger(dim) || parser.parseColon() ||
      parser.parseCommaSeparatedList(
          AsmParser::Delimiter::Square,
          [&] { return parser.parseInteger(sizes.emplace_back()); }) ||
      parser.parseCommaSeparatedList(
          AsmParser::Delimiter::Square,
          [&] { return parseAxes(parser, axes.emplace_back()); }) ||
      parser.parseGreater())
    return {};
  return getChecked([&] { return parser.emitError(location); },
                    parser.getContext(), dim, ArrayRef(sizes), ArrayRef(axes));
}

void PartsAttr::print(AsmPrinter &printer) const {
  printer << "<dim " << getDim() << ": [";
  llvm::interleaveComma(getSizes(), printer);
  printer << "] [";
  llvm::interleaveComma(getAxes(), printer,
                        [&](ArrayAttr list) { printAxes(printer, list); });
  printer << "]>";
}

LogicalResult PartsAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                unsigned, ArrayRef<int64_t> sizes,
                                ArrayRef<ArrayAttr> axes) {
  if (sizes.size() != axes.size())
    return emitError() << sizes.size() << " sizes, but " << axes.size()
                       << " lists of axes";
  for (int64_t size : sizes)
    if (size < 1)
      return emitError() << "expected positive sizes, got " << size;
  llvm::StringSet<> seen;
  for (ArrayAttr list : axes)
    if (failed(verifyAxes(list, seen, emitError)))
      return failure();
  return success();
}

} // namespace shardsmith::smith

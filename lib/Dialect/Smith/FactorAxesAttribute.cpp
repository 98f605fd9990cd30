// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Dialect/Smith/Smith.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace shardsmith::smith {
namespace {

/// `{"a", "b"}`
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

} // namespace

Attribute FactorAxesAttr::parse(AsmParser &parser, Type) {
  SMLoc location = parser.getCurrentLocation();
  SmallVector<ArrayAttr> factors;
  if (parser.parseLess() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
        return parseAxes(parser, factors.emplace_back());
      }))
    return {};

  ArrayAttr partial = parser.getBuilder().getArrayAttr({});
  unsigned linearSet = 0;
  if (succeeded(parser.parseOptionalComma())) {
    if (parser.parseKeyword("partial") || parser.parseEqual() ||
        parseAxes(parser, partial))
      return {};
    if (succeeded(parser.parseOptionalKeyword("of")) &&
        parser.parseInteger(linearSet))
      return {};
  }
  if (parser.parseGreater())
    return {};
  return getChecked([&] { return parser.emitError(location); },
                    parser.getContext(), ArrayRef(factors), partial, linearSet);
}

void FactorAxesAttr::print(AsmPrinter &printer) const {
  printer << "<[";
  llvm::interleaveComma(getFactors(), printer,
                        [&](ArrayAttr axes) { printAxes(printer, axes); });
  printer << ']';
  if (!getPartial().empty()) {
    printer << ", partial=";
    printAxes(printer, getPartial());
    if (getLinearSet() != 0)
      printer << " of " << getLinearSet();
  }
  printer << '>';
}

LogicalResult
FactorAxesAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                       ArrayRef<ArrayAttr> factors, ArrayAttr partial,
                       unsigned linearSet) {
  llvm::StringSet<> seen;
  auto verifyList = [&](ArrayAttr axes) -> LogicalResult {
    for (Attribute axis : axes) {
      auto name = dyn_cast<StringAttr>(axis);
      if (!name)
        return emitError() << "expected names of axes, got " << axis;
      if (!seen.insert(name.getValue()).second)
        return emitError() << "axis " << name << " occurs twice";
    }
    return success();
  };
  for (ArrayAttr axes : factors)
    if (failed(verifyList(axes)))
      return failure();
  if (partial.empty() && linearSet != 0)
    return emitError() << "names a linear set but no partial axes";
  return verifyList(partial);
}

} // namespace shardsmith::smith

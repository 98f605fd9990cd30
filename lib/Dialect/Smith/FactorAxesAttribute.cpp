// SPDX-License-Identifier: Apache-2.0

#include "AxisLists.h"

using namespace mlir;

namespace shardsmith::smith {
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
  for (ArrayAttr axes : factors)
    if (failed(verifyAxes(axes, seen, emitError)))
      return failure();
  if (partial.empty() && linearSet != 0)
    return emitError() << "names a linear set but no partial axes";
  return verifyAxes(partial, seen, emitError);
}

} // namespace shardsmith::smith

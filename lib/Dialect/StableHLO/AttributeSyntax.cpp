// SPDX-License-Identifier: Apache-2.0

#include "AttributeSyntax.h"

using namespace mlir;

namespace shardsmith::stablehlo {

ParseResult parseDims(AsmParser &parser, SmallVectorImpl<int64_t> &dims) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    return parser.parseInteger(dims.emplace_back());
  });
}

void printDims(AsmPrinter &printer, ArrayRef<int64_t> dims) {
  printer << '[';
  llvm::interleaveComma(dims, printer.getStream());
  printer << ']';
}

ParseResult parseFields(AsmParser &parser, MutableArrayRef<Field> fields) {
  llvm::SMLoc start = parser.getCurrentLocation();
  auto parseField = [&]() -> ParseResult {
    llvm::SMLoc location = parser.getCurrentLocation();
    StringRef name;
    if (parser.parseKeyword(&name))
      return failure();
    Field *field = llvm::find_if(
        fields, [&](const Field &candidate) { return candidate.name == name; });
    if (field == fields.end()) {
      InFlightDiagnostic error = parser.emitError(location)
                                 << "unknown field '" << name << "', expected ";
      llvm::interleave(
          fields,
          [&](const Field &known) { error << '\'' << known.name << '\''; },
          [&] { error << ", "; });
      return error;
    }
    if (field->isSeen)
      return parser.emitError(location)
             << "field '" << name << "' is given twice";
    field->isSeen = true;
    return failure(parser.parseEqual() || field->parse());
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater,
                                     parseField))
    return failure();
  for (const Field &field : fields)
    if (field.isRequired && !field.isSeen)
      return parser.emitError(start)
             << "field '" << field.name << "' is missing";
  return success();
}

FieldPrinter::FieldPrinter(AsmPrinter &printer) : printer(printer) {
  printer << '<';
}

FieldPrinter::~FieldPrinter() { printer << '>'; }

void FieldPrinter::list(StringRef name, ArrayRef<int64_t> dims) {
  if (dims.empty())
    return;
  field(name);
  printDims(printer, dims);
}

llvm::raw_ostream &FieldPrinter::field(StringRef name) {
  if (!isFirst)
    printer << ", ";
  isFirst = false;
  printer << name << " = ";
  return printer.getStream();
}

//===----------------------------------------------------------------------===//
// Convolution dimensions
//===----------------------------------------------------------------------===//

namespace {

/// One bracketed list: two named dimensions and numbered spatial ones, each at
/// its position. `[b, 0, 1, f]` with names "bf" has named {0, 3} and spatial
/// {1, 2}.
struct DimensionRoles {
  int64_t named[2] = {-1, -1};
  SmallVector<int64_t> spatial;
};

ParseResult parseRoles(AsmParser &parser, StringRef names,
                       DimensionRoles &roles) {
  llvm::SMLoc start = parser.getCurrentLocation();
  SmallVector<std::pair<int64_t, int64_t>> spatial; // number, position
  int64_t position = 0;
  auto parseRole = [&]() -> ParseResult {
    llvm::SMLoc location = parser.getCurrentLocation();
    int64_t here = position++;
    int64_t number = 0;
    OptionalParseResult parsed = parser.parseOptionalInteger(number);
    if (parsed.has_value()) {
      if (failed(*parsed))
        return failure();
      spatial.emplace_back(number, here);
      return success();
    }
    if (succeeded(parser.parseOptionalQuestion()))
      return parser.emitError(location)
             << "dimensions without a role ('?') are not supported";
    StringRef name;
    if (parser.parseKeyword(&name))
      return failure();
    size_t index = name.size() == 1 ? names.find(name[0]) : StringRef::npos;
    if (index == StringRef::npos)
      return parser.emitError(location)
             << "unknown dimension '" << name << "', expected '" << names[0]
             << "', '" << names[1] << "' or a number";
    if (roles.named[index] >= 0)
      return parser.emitError(location)
             << "dimension '" << name << "' is given twice";
    roles.named[index] = here;
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseRole))
    return failure();
  for (int index : {0, 1})
    if (roles.named[index] < 0)
      return parser.emitError(start)
             << "dimension '" << names[index] << "' is missing";
  roles.spatial.assign(spatial.size(), -1);
  for (auto [number, where] : spatial) {
    if (number < 0 || number >= static_cast<int64_t>(spatial.size()) ||
        roles.spatial[number] >= 0)
      return parser.emitError(start)
             << "spatial dimensions must be numbered 0 to "
             << static_cast<int64_t>(spatial.size()) - 1 << ", each once";
    roles.spatial[number] = where;
  }
  return success();
}

void printRoles(AsmPrinter &printer, StringRef names, int64_t first,
                int64_t second, ArrayRef<int64_t> spatial) {
  SmallVector<std::pair<int64_t, std::string>> roles; // position, role
  roles.emplace_back(first, names.substr(0, 1));
  roles.emplace_back(second, names.substr(1, 1));
  for (auto [number, position] : llvm::enumerate(spatial))
    roles.emplace_back(position, std::to_string(number));
  llvm::sort(roles);
  printer << '[';
  llvm::interleaveComma(roles, printer,
                        [&](const auto &role) { printer << role.second; });
  printer << ']';
}

} // namespace

ParseResult parseConvDimensions(AsmParser &parser,
                                ConvDimensionNumbersAttr &numbers) {
  DimensionRoles input, kernel, output;
  if (parseRoles(parser, "bf", input) || parser.parseKeyword("x") ||
      parseRoles(parser, "io", kernel) || parser.parseArrow() ||
      parseRoles(parser, "bf", output))
    return failure();
  numbers = ConvDimensionNumbersAttr::get(
      parser.getContext(), input.named[0], input.named[1], input.spatial,
      kernel.named[0], kernel.named[1], kernel.spatial, output.named[0],
      output.named[1], output.spatial);
  return success();
}

void printConvDimensions(AsmPrinter &printer,
                         ConvDimensionNumbersAttr numbers) {
  printRoles(printer, "bf", numbers.getInputBatchDimension(),
             numbers.getInputFeatureDimension(),
             numbers.getInputSpatialDimensions());
  printer << 'x';
  printRoles(printer, "io", numbers.getKernelInputFeatureDimension(),
             numbers.getKernelOutputFeatureDimension(),
             numbers.getKernelSpatialDimensions());
  printer << "->";
  printRoles(printer, "bf", numbers.getOutputBatchDimension(),
             numbers.getOutputFeatureDimension(),
             numbers.getOutputSpatialDimensions());
}

} // namespace shardsmith::stablehlo

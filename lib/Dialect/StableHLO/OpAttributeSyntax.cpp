// SPDX-License-Identifier: Apache-2.0
// Directives for attributes.

#include "AttributeSyntax.h"
#include "OpSyntax.h"

using namespace mlir;

namespace shardsmith::stablehlo {

ParseResult parseExponentMantissa(OpAsmParser &parser, IntegerAttr &exponent,
                                  IntegerAttr &mantissa) {
  llvm::SMLoc location = parser.getCurrentLocation();
  StringRef word;
  if (parser.parseKeyword(&word))
    return failure();
  StringRef rest = word;
  int32_t exponentBits = 0, mantissaBits = 0;
  if (!rest.consume_front("e") || rest.consumeInteger(10, exponentBits) ||
      !rest.consume_front("m") || rest.consumeInteger(10, mantissaBits) ||
      !rest.empty())
    return parser.emitError(location)
           << "expected a format such as e8m10, found '" << word << "'";
  Builder &builder = parser.getBuilder();
  exponent = builder.getI32IntegerAttr(exponentBits);
  mantissa = builder.getI32IntegerAttr(mantissaBits);
  return success();
}

void printExponentMantissa(OpAsmPrinter &printer, Operation *,
                           IntegerAttr exponent, IntegerAttr mantissa) {
  printer << 'e' << exponent.getInt() << 'm' << mantissa.getInt();
}

ParseResult parseSliceRanges(OpAsmParser &parser, DenseI64ArrayAttr &starts,
                             DenseI64ArrayAttr &limits,
                             DenseI64ArrayAttr &strides) {
  Shape startValues, limitValues, strideValues;
  auto parseRange = [&]() -> ParseResult {
    strideValues.push_back(1);
    if (parser.parseInteger(startValues.emplace_back()) ||
        parser.parseColon() || parser.parseInteger(limitValues.emplace_back()))
      return failure();
    if (failed(parser.parseOptionalColon()))
      return success();
    return parser.parseInteger(strideValues.back());
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseRange))
    return failure();
  Builder &builder = parser.getBuilder();
  starts = builder.getDenseI64ArrayAttr(startValues);
  limits = builder.getDenseI64ArrayAttr(limitValues);
  strides = builder.getDenseI64ArrayAttr(strideValues);
  return success();
}

void printSliceRanges(OpAsmPrinter &printer, Operation *,
                      DenseI64ArrayAttr starts, DenseI64ArrayAttr limits,
                      DenseI64ArrayAttr strides) {
  printer << '[';
  llvm::interleaveComma(
      llvm::zip(starts.asArrayRef(), limits.asArrayRef(), strides.asArrayRef()),
      printer, [&](auto range) {
        auto [start, limit, stride] = range;
        printer << start << ':' << limit;
        if (stride != 1)
          printer << ':' << stride;
      });
  printer << ']';
}

ParseResult parseDotDimensions(OpAsmParser &parser,
                               DotDimensionNumbersAttr &numbers) {
  Shape lhsBatching, rhsBatching, lhsContracting, rhsContracting;
  auto parsePair = [&](Shape &lhs, Shape &rhs) -> ParseResult {
    return failure(parser.parseEqual() || parseDims(parser, lhs) ||
                   parser.parseKeyword("x") || parseDims(parser, rhs));
  };
  if (succeeded(parser.parseOptionalKeyword("batching_dims")))
    if (parsePair(lhsBatching, rhsBatching) || parser.parseComma())
      return failure();
  if (parser.parseKeyword("contracting_dims") ||
      parsePair(lhsContracting, rhsContracting))
    return failure();
  numbers =
      DotDimensionNumbersAttr::get(parser.getContext(), lhsBatching,
                                   rhsBatching, lhsContracting, rhsContracting);
  return success();
}

void printDotDimensions(OpAsmPrinter &printer, Operation *,
                        DotDimensionNumbersAttr numbers) {
  if (!numbers.getLhsBatchingDimensions().empty() ||
      !numbers.getRhsBatchingDimensions().empty()) {
    printer << "batching_dims = ";
    printDims(printer, numbers.getLhsBatchingDimensions());
    printer << " x ";
    printDims(printer, numbers.getRhsBatchingDimensions());
    printer << ", ";
  }
  printer << "contracting_dims = ";
  printDims(printer, numbers.getLhsContractingDimensions());
  printer << " x ";
  printDims(printer, numbers.getRhsContractingDimensions());
}

ParseResult parseDotOptions(OpAsmParser &parser, ArrayAttr &precision,
                            DotAlgorithmAttr &algorithm) {
  while (succeeded(parser.parseOptionalComma())) {
    if (!precision && !algorithm &&
        succeeded(parser.parseOptionalKeyword("precision"))) {
      if (parser.parseEqual() || parsePrecisionList(parser, precision))
        return failure();
      continue;
    }
    if (parser.parseKeyword("algorithm") || parser.parseEqual())
      return failure();
    algorithm = dyn_cast_or_null<DotAlgorithmAttr>(
        DotAlgorithmAttr::parse(parser, Type()));
    return success(algorithm != nullptr);
  }
  return success();
}

void printDotOptions(OpAsmPrinter &printer, Operation *op, ArrayAttr precision,
                     DotAlgorithmAttr algorithm) {
  if (precision) {
    printer << ", precision = ";
    printPrecisionList(printer, op, precision);
  }
  if (algorithm) {
    printer << ", algorithm = ";
    algorithm.print(printer);
  }
}

ParseResult parsePrecisionList(OpAsmParser &parser, ArrayAttr &precision) {
  SmallVector<Attribute> values;
  auto parseValue = [&]() -> ParseResult {
    llvm::SMLoc location = parser.getCurrentLocation();
    StringRef word;
    if (parser.parseKeyword(&word))
      return failure();
    std::optional<Precision> value = symbolizePrecision(word);
    if (!value)
      return parser.emitError(location)
             << "unknown precision '" << word
             << "', expected DEFAULT, HIGH or HIGHEST";
    values.push_back(PrecisionAttr::get(parser.getContext(), *value));
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseValue))
    return failure();
  precision = parser.getBuilder().getArrayAttr(values);
  return success();
}

void printPrecisionList(OpAsmPrinter &printer, Operation *,
                        ArrayAttr precision) {
  printer << '[';
  llvm::interleaveComma(precision.getAsRange<PrecisionAttr>(), printer,
                        [&](PrecisionAttr value) {
                          printer << stringifyPrecision(value.getValue());
                        });
  printer << ']';
}

ParseResult parseConvolutionDimensions(OpAsmParser &parser,
                                       ConvDimensionNumbersAttr &numbers) {
  return parseConvDimensions(parser, numbers);
}

void printConvolutionDimensions(OpAsmPrinter &printer, Operation *,
                                ConvDimensionNumbersAttr numbers) {
  printConvDimensions(printer, numbers);
}

namespace {

ParseResult parseDimsAttr(OpAsmParser &parser, DenseI64ArrayAttr &attribute) {
  Shape dims;
  if (parseDims(parser, dims))
    return failure();
  attribute = parser.getBuilder().getDenseI64ArrayAttr(dims);
  return success();
}

/// `[[0, 1], [0, 1]]` as a tensor of pairs.
ParseResult parsePaddingPairs(OpAsmParser &parser,
                              DenseIntElementsAttr &padding) {
  Shape values;
  auto parsePair = [&]() -> ParseResult {
    return failure(
        parser.parseLSquare() || parser.parseInteger(values.emplace_back()) ||
        parser.parseComma() || parser.parseInteger(values.emplace_back()) ||
        parser.parseRSquare());
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parsePair))
    return failure();
  auto type =
      RankedTensorType::get({static_cast<int64_t>(values.size() / 2), 2},
                            parser.getBuilder().getI64Type());
  padding = DenseIntElementsAttr::get(type, ArrayRef<int64_t>(values));
  return success();
}

/// `[true, false]` or `[1, 0]`.
ParseResult parseReversal(OpAsmParser &parser, DenseBoolArrayAttr &reversal) {
  SmallVector<bool> values;
  auto parseValue = [&]() -> ParseResult {
    llvm::SMLoc location = parser.getCurrentLocation();
    StringRef word;
    int64_t number = 0;
    if (succeeded(parser.parseOptionalKeyword(&word)))
      number = word == "true" ? 1 : word == "false" ? 0 : -1;
    else if (parser.parseInteger(number))
      return failure();
    if (number != 0 && number != 1)
      return parser.emitError(location) << "expected true, false, 1 or 0";
    values.push_back(number == 1);
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseValue))
    return failure();
  reversal = parser.getBuilder().getDenseBoolArrayAttr(values);
  return success();
}

void printPaddingPairs(OpAsmPrinter &printer, DenseIntElementsAttr padding) {
  printer << '[';
  auto values = llvm::to_vector(padding.getValues<int64_t>());
  for (size_t index = 0; index + 1 < values.size(); index += 2) {
    if (index != 0)
      printer << ", ";
    printDims(printer, ArrayRef(values).slice(index, 2));
  }
  printer << ']';
}

} // namespace

ParseResult parseWindowAttributes(OpAsmParser &parser,
                                  DenseI64ArrayAttr &strides,
                                  DenseIntElementsAttr &padding,
                                  DenseI64ArrayAttr &lhsDilation,
                                  DenseI64ArrayAttr &rhsDilation,
                                  DenseBoolArrayAttr &reversal) {
  auto parseEntry = [&](StringRef name, llvm::SMLoc location) -> ParseResult {
    auto isNew = [&](Attribute attribute) -> ParseResult {
      if (!attribute)
        return success();
      return parser.emitError(location)
             << "window attribute '" << name << "' is given twice";
    };
    if (name == "stride")
      return failure(isNew(strides) || parseDimsAttr(parser, strides));
    if (name == "pad")
      return failure(isNew(padding) || parsePaddingPairs(parser, padding));
    if (name == "lhs_dilate")
      return failure(isNew(lhsDilation) || parseDimsAttr(parser, lhsDilation));
    if (name == "rhs_dilate")
      return failure(isNew(rhsDilation) || parseDimsAttr(parser, rhsDilation));
    if (name == "reverse")
      return failure(isNew(reversal) || parseReversal(parser, reversal));
    return parser.emitError(location)
           << "unknown window attribute '" << name
           << "', expected stride, pad, lhs_dilate, rhs_dilate or reverse";
  };
  llvm::SMLoc location = parser.getCurrentLocation();
  StringRef name;
  if (failed(parser.parseOptionalKeyword(&name)))
    return success(); // window = {}
  while (true) {
    if (parser.parseEqual() || parseEntry(name, location))
      return failure();
    if (failed(parser.parseOptionalComma()))
      return success();
    location = parser.getCurrentLocation();
    if (parser.parseKeyword(&name))
      return failure();
  }
}

void printWindowAttributes(OpAsmPrinter &printer, Operation *,
                           DenseI64ArrayAttr strides,
                           DenseIntElementsAttr padding,
                           DenseI64ArrayAttr lhsDilation,
                           DenseI64ArrayAttr rhsDilation,
                           DenseBoolArrayAttr reversal) {
  bool isFirst = true;
  auto begin = [&](StringRef name) {
    if (!isFirst)
      printer << ", ";
    isFirst = false;
    printer << name << " = ";
  };
  auto printList = [&](StringRef name, DenseI64ArrayAttr dims) {
    if (!dims)
      return;
    begin(name);
    printDims(printer, dims.asArrayRef());
  };
  printList("stride", strides);
  if (padding) {
    begin("pad");
    printPaddingPairs(printer, padding);
  }
  printList("lhs_dilate", lhsDilation);
  printList("rhs_dilate", rhsDilation);
  if (reversal) {
    begin("reverse");
    printer << '[';
    llvm::interleaveComma(reversal.asArrayRef(), printer, [&](bool value) {
      printer << (value ? "true" : "false");
    });
    printer << ']';
  }
}

ParseResult parseCallTarget(OpAsmParser &parser, StringAttr &target) {
  return parser.parseSymbolName(target);
}

void printCallTarget(OpAsmPrinter &printer, Operation *, StringAttr target) {
  printer.printSymbolName(target.getValue());
}

} // namespace shardsmith::stablehlo

// SPDX-License-Identifier: Apache-2.0
//
// Parsers and printers of the attributes. In this file a *body* is the text of
// an attribute without its surrounding `<…>`.

#include "SdyText.h"

#include "mlir/IR/DialectImplementation.h"

using namespace mlir;

namespace shardsmith::sdy {
namespace {

using Delimiter = AsmParser::Delimiter;

/// Parses `element, element, …` within delimiters.
template <typename Element, typename ParseElement>
ParseResult parseList(AsmParser &parser, Delimiter delimiter,
                      SmallVectorImpl<Element> &elements,
                      ParseElement parseElement) {
  return parser.parseCommaSeparatedList(delimiter, [&]() -> ParseResult {
    Element element = parseElement(parser);
    if (!element)
      return failure();
    elements.push_back(element);
    return success();
  });
}

/// Parses an attribute in another one, by its body or in full: `<@mesh, […]>`
/// or `#sdy.sharding<@mesh, […]>`.
template <typename AttributeT> AttributeT parseNested(AsmParser &parser) {
  AttributeT attribute;
  if (failed(parser.parseCustomAttributeWithFallback(attribute)))
    return nullptr;
  return attribute;
}

template <typename Range>
void printList(AsmPrinter &printer, Range &&attributes) {
  llvm::interleaveComma(attributes, printer,
                        [&](auto attribute) { attribute.print(printer); });
}

void printAxes(AsmPrinter &printer, ArrayRef<AxisRefAttr> axes) {
  printer << '{';
  printList(printer, axes);
  printer << '}';
}

ParseResult parseAxes(AsmParser &parser, SmallVectorImpl<AxisRefAttr> &axes) {
  return parseList(parser, Delimiter::Braces, axes, parseNested<AxisRefAttr>);
}

/// A reduction kind in front of something else, `sum` if there is none.
ParseResult parseOptionalKind(AsmParser &parser, ReductionKind &kind) {
  kind = ReductionKind::Sum;
  StringRef keyword;
  SMLoc location = parser.getCurrentLocation();
  if (failed(parser.parseOptionalKeyword(&keyword)))
    return success();
  std::optional<ReductionKind> parsed = symbolizeReductionKind(keyword);
  if (!parsed)
    return parser.emitError(location, "expected a reduction kind: sum, "
                                      "product, max, min, and, or");
  kind = *parsed;
  return success();
}

ReductionKindAttr storedKind(MLIRContext *context, ReductionKind kind) {
  if (kind == ReductionKind::Sum)
    return nullptr;
  return ReductionKindAttr::get(context, kind);
}

void printOptionalKind(AsmPrinter &printer, ReductionKindAttr kind) {
  if (kind && kind.getValue() != ReductionKind::Sum)
    printer << stringifyReductionKind(kind.getValue()) << ' ';
}

} // namespace

//===----------------------------------------------------------------------===//
// Meshes and axes
//===----------------------------------------------------------------------===//

Attribute ReductionKindAttr::parse(AsmParser &parser, Type) {
  StringRef keyword;
  SMLoc location = parser.getCurrentLocation();
  if (failed(parser.parseKeyword(&keyword)))
    return {};
  if (auto kind = symbolizeReductionKind(keyword))
    return get(parser.getContext(), *kind);
  parser.emitError(location, "expected a reduction kind: sum, product, max, "
                             "min, and, or");
  return {};
}

void ReductionKindAttr::print(AsmPrinter &printer) const {
  printer << ' ' << stringifyReductionKind(getValue());
}

Attribute MeshAxisAttr::parse(AsmParser &parser, Type) {
  std::string name;
  int64_t size;
  if (parser.parseString(&name) || parser.parseEqual() ||
      parser.parseInteger(size))
    return {};
  return getChecked([&] { return parser.emitError(parser.getNameLoc()); },
                    parser.getContext(), StringRef(name), size);
}

void MeshAxisAttr::print(AsmPrinter &printer) const {
  printer.printString(getName());
  printer << '=' << getSize();
}

Attribute MeshAttr::parse(AsmParser &parser, Type) {
  SmallVector<MeshAxisAttr> axes;
  SmallVector<int64_t> deviceIds;
  SMLoc location = parser.getCurrentLocation();
  if (parser.parseLess() ||
      parseList(parser, Delimiter::Square, axes, parseNested<MeshAxisAttr>))
    return {};
  if (succeeded(parser.parseOptionalComma()))
    if (parser.parseKeyword("device_ids") || parser.parseEqual() ||
        parser.parseCommaSeparatedList(Delimiter::Square, [&] {
          return parser.parseInteger(deviceIds.emplace_back());
        }))
      return {};
  if (parser.parseGreater())
    return {};
  bool isIdentity = llvm::all_of(llvm::enumerate(deviceIds), [](auto item) {
    return static_cast<int64_t>(item.index()) == item.value();
  });
  auto emitError = [&] { return parser.emitError(location); };
  MeshAttr mesh = getChecked(emitError, parser.getContext(), ArrayRef(axes),
                             ArrayRef(deviceIds));
  // The identity is the default and not stored.
  if (mesh && isIdentity && !axes.empty())
    return get(parser.getContext(), axes);
  return mesh;
}

void MeshAttr::print(AsmPrinter &printer) const {
  printer << "<[";
  printList(printer, getAxes());
  printer << ']';
  if (!getDeviceIds().empty()) {
    printer << ", device_ids=[";
    llvm::interleaveComma(getDeviceIds(), printer);
    printer << ']';
  }
  printer << '>';
}

Attribute SubAxisInfoAttr::parse(AsmParser &parser, Type) {
  int64_t preSize, size;
  SMLoc location = parser.getCurrentLocation();
  if (parser.parseLParen() || parser.parseInteger(preSize) ||
      parser.parseRParen() || parser.parseInteger(size))
    return {};
  return getChecked([&] { return parser.emitError(location); },
                    parser.getContext(), preSize, size);
}

void SubAxisInfoAttr::print(AsmPrinter &printer) const {
  printer << '(' << getPreSize() << ')' << getSize();
}

Attribute AxisRefAttr::parse(AsmParser &parser, Type) {
  std::string name;
  if (parser.parseString(&name))
    return {};
  if (failed(parser.parseOptionalColon()))
    return get(parser.getContext(), name);
  auto part = parseNested<SubAxisInfoAttr>(parser);
  return part ? get(parser.getContext(), name, part) : AxisRefAttr();
}

void AxisRefAttr::print(AsmPrinter &printer) const {
  printer.printString(getName());
  if (!getSubAxisInfo())
    return;
  printer << ':';
  getSubAxisInfo().print(printer);
}

Attribute AxisRefListAttr::parse(AsmParser &parser, Type) {
  SmallVector<AxisRefAttr> axes;
  if (parseAxes(parser, axes))
    return {};
  return get(parser.getContext(), axes);
}

void AxisRefListAttr::print(AsmPrinter &printer) const {
  printAxes(printer, getValue());
}

Attribute ListOfAxisRefListsAttr::parse(AsmParser &parser, Type) {
  SmallVector<AxisRefListAttr> lists;
  if (parseList(parser, Delimiter::Square, lists, parseNested<AxisRefListAttr>))
    return {};
  return get(parser.getContext(), lists);
}

void ListOfAxisRefListsAttr::print(AsmPrinter &printer) const {
  printer << '[';
  printList(printer, getValue());
  printer << ']';
}

Attribute ManualAxesAttr::parse(AsmParser &parser, Type) {
  SmallVector<StringAttr> axes;
  if (parser.parseCommaSeparatedList(Delimiter::Braces, [&]() -> ParseResult {
        std::string name;
        if (parser.parseString(&name))
          return failure();
        axes.push_back(StringAttr::get(parser.getContext(), name));
        return success();
      }))
    return {};
  return get(parser.getContext(), axes);
}

void ManualAxesAttr::print(AsmPrinter &printer) const {
  printer << '{';
  llvm::interleaveComma(getValue(), printer);
  printer << '}';
}

//===----------------------------------------------------------------------===//
// Shardings
//===----------------------------------------------------------------------===//

Attribute DimensionShardingAttr::parse(AsmParser &parser, Type) {
  SmallVector<AxisRefAttr> axes;
  bool isClosed = true;
  SMLoc location = parser.getCurrentLocation();
  // `?` may only be the last element.
  auto parseElement = [&]() -> ParseResult {
    if (!isClosed)
      return parser.emitError(parser.getCurrentLocation(),
                              "expected '}' after '?'");
    if (succeeded(parser.parseOptionalQuestion())) {
      isClosed = false;
      return success();
    }
    auto axis = parseNested<AxisRefAttr>(parser);
    axes.push_back(axis);
    return success(axis != nullptr);
  };
  if (parser.parseCommaSeparatedList(Delimiter::Braces, parseElement))
    return {};

  std::optional<int64_t> priority;
  StringRef keyword;
  if (succeeded(parser.parseOptionalKeyword(&keyword))) {
    int64_t value;
    if (!keyword.consume_front("p") || keyword.getAsInteger(10, value)) {
      parser.emitError(location, "expected a priority such as p1 after a "
                                 "dimension's axes");
      return {};
    }
    priority = value;
  }
  return getChecked([&] { return parser.emitError(location); },
                    parser.getContext(), ArrayRef(axes), isClosed, priority);
}

void DimensionShardingAttr::print(AsmPrinter &printer) const {
  printer << '{';
  printList(printer, getAxes());
  if (!getIsClosed())
    printer << (getAxes().empty() ? "?" : ", ?");
  printer << '}';
  if (getPriority())
    printer << 'p' << *getPriority();
}

Attribute TensorShardingAttr::parse(AsmParser &parser, Type) {
  MLIRContext *context = parser.getContext();
  SMLoc location = parser.getCurrentLocation();
  if (parser.parseLess())
    return {};

  Attribute meshOrRef;
  if (succeeded(parser.parseOptionalKeyword("mesh"))) {
    meshOrRef = parseNested<MeshAttr>(parser);
  } else {
    StringAttr name;
    if (parser.parseSymbolName(name))
      return {};
    meshOrRef = FlatSymbolRefAttr::get(name);
  }
  if (!meshOrRef || parser.parseComma())
    return {};

  SmallVector<DimensionShardingAttr> dims;
  if (parseList(parser, Delimiter::Square, dims,
                parseNested<DimensionShardingAttr>))
    return {};

  SmallVector<AxisRefAttr> replicated, unreduced;
  ReductionKind kind = ReductionKind::Sum;
  while (succeeded(parser.parseOptionalComma())) {
    StringRef keyword;
    SMLoc keywordLocation = parser.getCurrentLocation();
    if (parser.parseKeyword(&keyword) || parser.parseEqual())
      return {};
    if (keyword == "replicated" && replicated.empty()) {
      if (parseAxes(parser, replicated))
        return {};
    } else if (keyword == "unreduced" && unreduced.empty()) {
      if (parseOptionalKind(parser, kind) || parseAxes(parser, unreduced))
        return {};
    } else {
      parser.emitError(keywordLocation,
                       "expected 'replicated' or 'unreduced', once each");
      return {};
    }
  }
  if (parser.parseGreater())
    return {};
  return getChecked([&] { return parser.emitError(location); }, context,
                    meshOrRef, ArrayRef(dims), ArrayRef(replicated),
                    ArrayRef(unreduced), kind);
}

void TensorShardingAttr::print(AsmPrinter &printer) const {
  printer << '<';
  if (auto mesh = dyn_cast<MeshAttr>(getMeshOrRef())) {
    printer << "mesh";
    mesh.print(printer);
  } else {
    printer << getMeshOrRef();
  }
  printer << ", [";
  printList(printer, getDimShardings());
  printer << ']';
  if (!getReplicatedAxes().empty()) {
    printer << ", replicated=";
    printAxes(printer, getReplicatedAxes());
  }
  if (!getUnreducedAxes().empty()) {
    printer << ", unreduced=";
    if (getUnreducedKind() != ReductionKind::Sum)
      printer << stringifyReductionKind(getUnreducedKind());
    printAxes(printer, getUnreducedAxes());
  }
  printer << '>';
}

Attribute TensorShardingPerValueAttr::parse(AsmParser &parser, Type) {
  TensorShardingPerValueAttr shardings;
  if (parser.parseLess() || parseShardingList(parser, shardings) ||
      parser.parseGreater())
    return {};
  return shardings;
}

void TensorShardingPerValueAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printShardingList(printer, nullptr, *this);
  printer << '>';
}

ParseResult parseShardingList(AsmParser &parser,
                              TensorShardingPerValueAttr &shardings) {
  SmallVector<TensorShardingAttr> elements;
  if (parseList(parser, Delimiter::Square, elements,
                parseNested<TensorShardingAttr>))
    return failure();
  shardings = TensorShardingPerValueAttr::get(parser.getContext(), elements);
  return success();
}

void printShardingList(AsmPrinter &printer, Operation *,
                       TensorShardingPerValueAttr shardings) {
  printer << '[';
  printList(printer, shardings.getShardings());
  printer << ']';
}

//===----------------------------------------------------------------------===//
// Parameters of collectives
//===----------------------------------------------------------------------===//

Attribute AllToAllParamAttr::parse(AsmParser &parser, Type) {
  SmallVector<AxisRefAttr> axes;
  int64_t source, target;
  SMLoc location = parser.getCurrentLocation();
  if (parseAxes(parser, axes) || parser.parseColon() ||
      parser.parseInteger(source) || parser.parseArrow() ||
      parser.parseInteger(target))
    return {};
  return getChecked([&] { return parser.emitError(location); },
                    parser.getContext(), ArrayRef(axes), source, target);
}

void AllToAllParamAttr::print(AsmPrinter &printer) const {
  printAxes(printer, getAxes());
  printer << ": " << getSrcDim() << "->" << getTgtDim();
}

Attribute AllToAllParamListAttr::parse(AsmParser &parser, Type) {
  SmallVector<AllToAllParamAttr> params;
  if (parseList(parser, Delimiter::Square, params,
                parseNested<AllToAllParamAttr>))
    return {};
  return get(parser.getContext(), params);
}

void AllToAllParamListAttr::print(AsmPrinter &printer) const {
  printer << '[';
  printList(printer, getValue());
  printer << ']';
}

ParseResult parseReductionOverAxes(AsmParser &parser, ReductionKindAttr &kind,
                                   AxisRefListAttr &axes) {
  ReductionKind value;
  if (parseOptionalKind(parser, value))
    return failure();
  kind = storedKind(parser.getContext(), value);
  axes = parseNested<AxisRefListAttr>(parser);
  return success(axes != nullptr);
}

void printReductionOverAxes(AsmPrinter &printer, Operation *,
                            ReductionKindAttr kind, AxisRefListAttr axes) {
  printOptionalKind(printer, kind);
  axes.print(printer);
}

ParseResult parseReductionOverLists(AsmParser &parser, ReductionKindAttr &kind,
                                    ListOfAxisRefListsAttr &axes) {
  ReductionKind value;
  if (parseOptionalKind(parser, value))
    return failure();
  kind = storedKind(parser.getContext(), value);
  axes = parseNested<ListOfAxisRefListsAttr>(parser);
  return success(axes != nullptr);
}

void printReductionOverLists(AsmPrinter &printer, Operation *,
                             ReductionKindAttr kind,
                             ListOfAxisRefListsAttr axes) {
  printOptionalKind(printer, kind);
  axes.print(printer);
}

ParseResult parseDirection(AsmParser &parser,
                           PropagationDirectionAttr &direction) {
  StringRef keyword;
  SMLoc location = parser.getCurrentLocation();
  if (parser.parseKeyword(&keyword))
    return failure();
  std::optional<PropagationDirection> value =
      symbolizePropagationDirection(keyword);
  if (!value)
    return parser.emitError(location, "expected FORWARD, BACKWARD or NONE");
  direction = PropagationDirectionAttr::get(parser.getContext(), *value);
  return success();
}

void printDirection(AsmPrinter &printer, Operation *,
                    PropagationDirectionAttr direction) {
  printer << stringifyPropagationDirection(direction.getValue());
}

ParseResult parseBodyWithArguments(OpAsmParser &parser, Region &body) {
  SmallVector<OpAsmParser::Argument> arguments;
  return failure(parser.parseArgumentList(arguments, Delimiter::Paren,
                                          /*allowType=*/true,
                                          /*allowAttrs=*/true) ||
                 parser.parseRegion(body, arguments));
}

void printBodyWithArguments(OpAsmPrinter &printer, Operation *, Region &body) {
  printer << '(';
  llvm::interleaveComma(
      body.getArguments(), printer,
      [&](BlockArgument argument) { printer.printRegionArgument(argument); });
  printer << ") ";
  printer.printRegion(body, /*printEntryBlockArgs=*/false);
}

} // namespace shardsmith::sdy

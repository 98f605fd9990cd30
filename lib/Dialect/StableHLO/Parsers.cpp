// SPDX-License-Identifier: Apache-2.0
// Parsers of the ops whose form is not declarative.

#include "AttributeSyntax.h"
#include "OpSyntax.h"

using namespace mlir;
using namespace shardsmith::stablehlo;

//===----------------------------------------------------------------------===//
// constant
//===----------------------------------------------------------------------===//

namespace {

/// `() <{value = V}> : () -> T`, for a value whose type is not the result's.
ParseResult parseConstantWithType(OpAsmParser &parser, OperationState &state) {
  FunctionType type;
  NamedAttrList properties;
  llvm::SMLoc location = parser.getCurrentLocation();
  if (parser.parseRParen() || parser.parseLess() ||
      parser.parseOptionalAttrDict(properties) || parser.parseGreater() ||
      parser.parseOptionalAttrDict(state.attributes) ||
      parser.parseColonType(type))
    return failure();
  auto value = dyn_cast_or_null<ElementsAttr>(properties.get("value"));
  if (!value)
    return parser.emitError(location) << "expected 'value' in the properties";
  if (type.getNumInputs() != 0 || type.getNumResults() != 1)
    return parser.emitError(location)
           << "expected no operand and one result, found " << type;
  state.getOrAddProperties<ConstantOp::Properties>().value = value;
  state.addTypes(type.getResults());
  return success();
}

} // namespace

ParseResult ConstantOp::parse(OpAsmParser &parser, OperationState &state) {
  if (succeeded(parser.parseOptionalLParen()))
    return parseConstantWithType(parser, state);
  llvm::SMLoc location = parser.getCurrentLocation();
  Attribute attribute;
  if (parser.parseOptionalAttrDict(state.attributes) ||
      parser.parseAttribute(attribute))
    return failure();
  auto value = dyn_cast<ElementsAttr>(attribute);
  if (!value)
    return parser.emitError(location)
           << "expected the elements of a tensor, such as dense<0> : "
              "tensor<2xi32>, found "
           << attribute;
  state.getOrAddProperties<ConstantOp::Properties>().value = value;
  state.addTypes(value.getType());
  return success();
}

//===----------------------------------------------------------------------===//
// reduce
//===----------------------------------------------------------------------===//

namespace {

/// The body `{ r = OP(a, b); return r }` that `applies OP` stands for.
ParseResult buildCompactBody(OpAsmParser &parser, OperationState &state,
                             llvm::SMLoc nameLocation, OperationName name,
                             FunctionType type) {
  if (!name.isRegistered() || !name.hasTrait<OpTrait::IsCommutative>())
    return parser.emitError(nameLocation)
           << "'" << name.getStringRef()
           << "' is not a commutative op; write the body as a 'reducer'";
  auto input = type.getNumInputs() == 0
                   ? RankedTensorType()
                   : dyn_cast<RankedTensorType>(type.getInput(0));
  if (!input)
    return parser.emitError(nameLocation)
           << "expected a tensor as first operand type";
  Type scalar = RankedTensorType::get({}, input.getElementType());
  Location location = state.location;
  Block &block = state.regions.front()->emplaceBlock();
  block.addArguments({scalar, scalar}, {location, location});
  OpBuilder builder(parser.getContext());
  builder.setInsertionPointToEnd(&block);
  OperationState inner(location, name, block.getArguments(), {scalar});
  Operation *combine = builder.create(inner);
  ReturnOp::create(builder, location, combine->getResults());
  return success();
}

/// `reducer(%a0: T, %b0: T) (%a1: U, %b1: U) { … }`: arguments in pairs, the
/// block takes `(a0, a1, b0, b1)`.
ParseResult parseReducer(OpAsmParser &parser, Region &body) {
  SmallVector<OpAsmParser::Argument> first, second;
  if (parser.parseKeyword("reducer"))
    return failure();
  while (succeeded(parser.parseOptionalLParen())) {
    if (parser.parseArgument(first.emplace_back(), /*allowType=*/true) ||
        parser.parseComma() ||
        parser.parseArgument(second.emplace_back(), /*allowType=*/true) ||
        parser.parseRParen())
      return failure();
  }
  llvm::append_range(first, second);
  return parser.parseRegion(body, first);
}

} // namespace

ParseResult ReduceOp::parse(OpAsmParser &parser, OperationState &state) {
  SmallVector<UnresolvedOperand> operands, inits;
  auto parsePair = [&]() -> ParseResult {
    return failure(
        parser.parseLParen() || parser.parseOperand(operands.emplace_back()) ||
        parser.parseKeyword("init") || parser.parseColon() ||
        parser.parseOperand(inits.emplace_back()) || parser.parseRParen());
  };
  llvm::SMLoc start = parser.getCurrentLocation();
  if (parser.parseCommaSeparatedList(parsePair))
    return failure();
  llvm::append_range(operands, inits);

  std::optional<OperationName> compact;
  llvm::SMLoc nameLocation;
  if (succeeded(parser.parseOptionalKeyword("applies"))) {
    nameLocation = parser.getCurrentLocation();
    FailureOr<OperationName> name = parser.parseCustomOperationName();
    if (failed(name))
      return failure();
    compact = *name;
  }

  Shape dimensions;
  FunctionType type;
  if (parser.parseKeyword("across") || parser.parseKeyword("dimensions") ||
      parser.parseEqual() || parseDims(parser, dimensions) ||
      parser.parseOptionalAttrDict(state.attributes) ||
      parser.parseColonType(type) ||
      parser.resolveOperands(operands, type.getInputs(), start, state.operands))
    return failure();
  state.addTypes(type.getResults());
  state.getOrAddProperties<Properties>().dimensions =
      parser.getBuilder().getDenseI64ArrayAttr(dimensions);
  Region *body = state.addRegion();
  if (compact)
    return buildCompactBody(parser, state, nameLocation, *compact, type);
  return parseReducer(parser, *body);
}

//===----------------------------------------------------------------------===//
// while
//===----------------------------------------------------------------------===//

ParseResult WhileOp::parse(OpAsmParser &parser, OperationState &state) {
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<UnresolvedOperand> operands;
  auto parseAssignment = [&]() -> ParseResult {
    return failure(parser.parseArgument(arguments.emplace_back()) ||
                   parser.parseEqual() ||
                   parser.parseOperand(operands.emplace_back()));
  };
  llvm::SMLoc start = parser.getCurrentLocation();
  SmallVector<Type> types;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren,
                                     parseAssignment))
    return failure();
  if (!operands.empty() && (parser.parseColon() || parser.parseTypeList(types)))
    return failure();
  if (parser.resolveOperands(operands, types, start, state.operands) ||
      parser.parseOptionalAttrDictWithKeyword(state.attributes))
    return failure();
  state.addTypes(types);
  for (auto [argument, type] : llvm::zip(arguments, types))
    argument.type = type;
  return failure(parser.parseKeyword("cond") ||
                 parser.parseRegion(*state.addRegion(), arguments) ||
                 parser.parseKeyword("do") ||
                 parser.parseRegion(*state.addRegion(), arguments));
}

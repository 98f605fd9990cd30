// SPDX-License-Identifier: Apache-2.0
// Directives for types and operands.

#include "OpSyntax.h"

using namespace mlir;

namespace shardsmith::stablehlo {

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

namespace {

/// Hands the types of `(A, B) -> R` to operands and results.
ParseResult assignFunctionType(OpAsmParser &parser, llvm::SMLoc location,
                               FunctionType function,
                               ArrayRef<Type *> operandTypes,
                               Type &resultType) {
  if (function.getNumInputs() != operandTypes.size() ||
      function.getNumResults() != 1)
    return parser.emitError(location)
           << "expected " << operandTypes.size()
           << " operand types and one result type, found " << function;
  for (auto [target, type] : llvm::zip(operandTypes, function.getInputs()))
    *target = type;
  resultType = function.getResult(0);
  return success();
}

} // namespace

ParseResult parseSameTypes(OpAsmParser &parser, ArrayRef<Type *> operandTypes,
                           Type &resultType) {
  llvm::SMLoc location = parser.getCurrentLocation();
  Type type;
  if (parser.parseType(type))
    return failure();
  if (auto function = dyn_cast<FunctionType>(type))
    return assignFunctionType(parser, location, function, operandTypes,
                              resultType);
  for (Type *target : operandTypes)
    *target = type;
  resultType = type;
  return success();
}

void printSameTypes(OpAsmPrinter &printer, TypeRange operandTypes,
                    Type resultType) {
  bool allEqual =
      llvm::all_of(operandTypes, [&](Type type) { return type == resultType; });
  if (allEqual)
    printer << resultType;
  else
    printer.printFunctionalType(operandTypes, TypeRange(resultType));
}

ParseResult parseComplexOpType(OpAsmParser &parser, Type &lhs, Type &rhs,
                               Type &result) {
  llvm::SMLoc location = parser.getCurrentLocation();
  Type type;
  if (parser.parseType(type))
    return failure();
  if (auto function = dyn_cast<FunctionType>(type))
    return assignFunctionType(parser, location, function, {&lhs, &rhs}, result);
  auto tensor = dyn_cast<RankedTensorType>(type);
  auto element =
      tensor ? dyn_cast<ComplexType>(tensor.getElementType()) : ComplexType();
  if (!element)
    return parser.emitError(location)
           << "expected a tensor of complex numbers, found " << type;
  lhs = rhs = tensor.clone(element.getElementType());
  result = type;
  return success();
}

void printComplexOpType(OpAsmPrinter &printer, Operation *, Type lhs, Type rhs,
                        Type result) {
  auto tensor = cast<RankedTensorType>(result);
  auto element = cast<ComplexType>(tensor.getElementType());
  Type part = tensor.clone(element.getElementType());
  if (lhs == part && rhs == part)
    printer << result;
  else
    printer.printFunctionalType(TypeRange({lhs, rhs}), TypeRange(result));
}

ParseResult parseSelectOpType(OpAsmParser &parser, Type &predicate,
                              Type &onTrue, Type &onFalse, Type &result) {
  llvm::SMLoc location = parser.getCurrentLocation();
  Type type;
  if (parser.parseType(type))
    return failure();
  if (auto function = dyn_cast<FunctionType>(type))
    return assignFunctionType(parser, location, function,
                              {&predicate, &onTrue, &onFalse}, result);
  predicate = type;
  if (parser.parseComma() || parser.parseType(result))
    return failure();
  onTrue = onFalse = result;
  return success();
}

void printSelectOpType(OpAsmPrinter &printer, Operation *, Type predicate,
                       Type onTrue, Type onFalse, Type result) {
  if (onTrue == result && onFalse == result)
    printer << predicate << ", " << result;
  else
    printer.printFunctionalType(TypeRange({predicate, onTrue, onFalse}),
                                TypeRange(result));
}

ParseResult parseTupleOpType(OpAsmParser &parser, Types &operands,
                             Type &result) {
  llvm::SMLoc location = parser.getCurrentLocation();
  Type type;
  if (parser.parseType(type))
    return failure();
  if (auto function = dyn_cast<FunctionType>(type)) {
    if (function.getNumResults() != 1)
      return parser.emitError(location)
             << "expected one result type, found " << function;
    llvm::append_range(operands, function.getInputs());
    result = function.getResult(0);
    return success();
  }
  auto tuple = dyn_cast<TupleType>(type);
  if (!tuple)
    return parser.emitError(location) << "expected a tuple, found " << type;
  llvm::append_range(operands, tuple.getTypes());
  result = tuple;
  return success();
}

void printTupleOpType(OpAsmPrinter &printer, Operation *, TypeRange,
                      Type result) {
  printer << result;
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

ParseResult parseOperandsBeforeKeyword(OpAsmParser &parser,
                                       UnresolvedOperands &operands) {
  while (true) {
    UnresolvedOperand operand;
    OptionalParseResult parsed = parser.parseOptionalOperand(operand);
    if (!parsed.has_value())
      return success();
    if (failed(*parsed) || parser.parseComma())
      return failure();
    operands.push_back(operand);
  }
}

// The declarative format puts a space between operands and keyword.
void printOperandsBeforeKeyword(OpAsmPrinter &printer, Operation *,
                                OperandRange operands) {
  printer << operands << ',';
}

ParseResult parseOperandAndIndices(OpAsmParser &parser,
                                   UnresolvedOperand &operand,
                                   UnresolvedOperands &indices) {
  return failure(parser.parseOperand(operand) || parser.parseComma() ||
                 parseOperandsBeforeKeyword(parser, indices));
}

void printOperandAndIndices(OpAsmPrinter &printer, Operation *op, Value operand,
                            OperandRange indices) {
  printer << operand << ',';
  if (indices.empty())
    return;
  printer << ' ';
  printOperandsBeforeKeyword(printer, op, indices);
}

ParseResult parseBarrier(OpAsmParser &parser, UnresolvedOperands &operands,
                         Types &operandTypes, Types &resultTypes) {
  if (succeeded(parser.parseOptionalLParen()))
    return parser.parseRParen();
  if (parser.parseOperandList(operands) ||
      parser.parseColonTypeList(operandTypes))
    return failure();
  resultTypes.assign(operandTypes.begin(), operandTypes.end());
  return success();
}

void printBarrier(OpAsmPrinter &printer, Operation *, OperandRange operands,
                  TypeRange operandTypes, TypeRange) {
  if (operands.empty())
    printer << "()";
  else
    printer << operands << " : " << operandTypes;
}

} // namespace shardsmith::stablehlo

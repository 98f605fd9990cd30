// SPDX-License-Identifier: Apache-2.0
// The `custom<…>` directives of the declarative formats: parseX and printX of
// each. One printed form each; parsers also accept the functional type.

#ifndef SHARDSMITH_LIB_DIALECT_STABLEHLO_OPSYNTAX_H
#define SHARDSMITH_LIB_DIALECT_STABLEHLO_OPSYNTAX_H

#include "shardsmith/Dialect/StableHLO/StableHLO.h"

namespace shardsmith::stablehlo {

using UnresolvedOperand = mlir::OpAsmParser::UnresolvedOperand;
using UnresolvedOperands = llvm::SmallVectorImpl<UnresolvedOperand>;
using Types = llvm::SmallVectorImpl<mlir::Type>;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// `T` if all types are equal, else `(A, B) -> R`.
mlir::ParseResult parseSameTypes(mlir::OpAsmParser &parser,
                                 llvm::ArrayRef<mlir::Type *> operandTypes,
                                 mlir::Type &resultType);
void printSameTypes(mlir::OpAsmPrinter &printer, mlir::TypeRange operandTypes,
                    mlir::Type resultType);

inline mlir::ParseResult
parseSameOperandsAndResultType(mlir::OpAsmParser &parser, mlir::Type &operand,
                               mlir::Type &result) {
  return parseSameTypes(parser, {&operand}, result);
}
inline mlir::ParseResult
parseSameOperandsAndResultType(mlir::OpAsmParser &parser, mlir::Type &first,
                               mlir::Type &second, mlir::Type &result) {
  return parseSameTypes(parser, {&first, &second}, result);
}
inline mlir::ParseResult
parseSameOperandsAndResultType(mlir::OpAsmParser &parser, mlir::Type &first,
                               mlir::Type &second, mlir::Type &third,
                               mlir::Type &result) {
  return parseSameTypes(parser, {&first, &second, &third}, result);
}
inline void printSameOperandsAndResultType(mlir::OpAsmPrinter &printer,
                                           mlir::Operation *,
                                           mlir::Type operand,
                                           mlir::Type result) {
  printSameTypes(printer, operand, result);
}
inline void printSameOperandsAndResultType(mlir::OpAsmPrinter &printer,
                                           mlir::Operation *, mlir::Type first,
                                           mlir::Type second,
                                           mlir::Type result) {
  printSameTypes(printer, {first, second}, result);
}
inline void printSameOperandsAndResultType(mlir::OpAsmPrinter &printer,
                                           mlir::Operation *, mlir::Type first,
                                           mlir::Type second, mlir::Type third,
                                           mlir::Type result) {
  printSameTypes(printer, {first, second, third}, result);
}

/// The complex result type, from which the operand types follow.
mlir::ParseResult parseComplexOpType(mlir::OpAsmParser &parser, mlir::Type &lhs,
                                     mlir::Type &rhs, mlir::Type &result);
void printComplexOpType(mlir::OpAsmPrinter &printer, mlir::Operation *,
                        mlir::Type lhs, mlir::Type rhs, mlir::Type result);

/// `P, T` if both branches have the result's type T.
mlir::ParseResult parseSelectOpType(mlir::OpAsmParser &parser,
                                    mlir::Type &predicate, mlir::Type &onTrue,
                                    mlir::Type &onFalse, mlir::Type &result);
void printSelectOpType(mlir::OpAsmPrinter &printer, mlir::Operation *,
                       mlir::Type predicate, mlir::Type onTrue,
                       mlir::Type onFalse, mlir::Type result);

/// The tuple type, from which the operand types follow.
mlir::ParseResult parseTupleOpType(mlir::OpAsmParser &parser, Types &operands,
                                   mlir::Type &result);
void printTupleOpType(mlir::OpAsmPrinter &printer, mlir::Operation *,
                      mlir::TypeRange operands, mlir::Type result);

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// `%a, %b, ` up to a keyword.
mlir::ParseResult parseOperandsBeforeKeyword(mlir::OpAsmParser &parser,
                                             UnresolvedOperands &operands);
void printOperandsBeforeKeyword(mlir::OpAsmPrinter &printer, mlir::Operation *,
                                mlir::OperandRange operands);

/// `%x, %i, %j, ` up to a keyword.
mlir::ParseResult parseOperandAndIndices(mlir::OpAsmParser &parser,
                                         UnresolvedOperand &operand,
                                         UnresolvedOperands &indices);
void printOperandAndIndices(mlir::OpAsmPrinter &printer, mlir::Operation *,
                            mlir::Value operand, mlir::OperandRange indices);

/// `%a, %b : T, U`, types of operands and results alike; `()` if there are
/// none.
mlir::ParseResult parseBarrier(mlir::OpAsmParser &parser,
                               UnresolvedOperands &operands,
                               Types &operandTypes, Types &resultTypes);
void printBarrier(mlir::OpAsmPrinter &printer, mlir::Operation *,
                  mlir::OperandRange operands, mlir::TypeRange operandTypes,
                  mlir::TypeRange resultTypes);

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

/// `e8m10`.
mlir::ParseResult parseExponentMantissa(mlir::OpAsmParser &parser,
                                        mlir::IntegerAttr &exponent,
                                        mlir::IntegerAttr &mantissa);
void printExponentMantissa(mlir::OpAsmPrinter &printer, mlir::Operation *,
                           mlir::IntegerAttr exponent,
                           mlir::IntegerAttr mantissa);

/// `[1:3, 0:4:2]`.
mlir::ParseResult parseSliceRanges(mlir::OpAsmParser &parser,
                                   mlir::DenseI64ArrayAttr &starts,
                                   mlir::DenseI64ArrayAttr &limits,
                                   mlir::DenseI64ArrayAttr &strides);
void printSliceRanges(mlir::OpAsmPrinter &printer, mlir::Operation *,
                      mlir::DenseI64ArrayAttr starts,
                      mlir::DenseI64ArrayAttr limits,
                      mlir::DenseI64ArrayAttr strides);

/// `batching_dims = [0] x [0], contracting_dims = [2] x [1]`.
mlir::ParseResult parseDotDimensions(mlir::OpAsmParser &parser,
                                     DotDimensionNumbersAttr &numbers);
void printDotDimensions(mlir::OpAsmPrinter &printer, mlir::Operation *,
                        DotDimensionNumbersAttr numbers);

/// `, precision = [DEFAULT, HIGHEST], algorithm = <…>`, each optional.
mlir::ParseResult parseDotOptions(mlir::OpAsmParser &parser,
                                  mlir::ArrayAttr &precision,
                                  DotAlgorithmAttr &algorithm);
void printDotOptions(mlir::OpAsmPrinter &printer, mlir::Operation *,
                     mlir::ArrayAttr precision, DotAlgorithmAttr algorithm);

/// `[DEFAULT, HIGHEST]`.
mlir::ParseResult parsePrecisionList(mlir::OpAsmParser &parser,
                                     mlir::ArrayAttr &precision);
void printPrecisionList(mlir::OpAsmPrinter &printer, mlir::Operation *,
                        mlir::ArrayAttr precision);

/// `[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]`.
mlir::ParseResult parseConvolutionDimensions(mlir::OpAsmParser &parser,
                                             ConvDimensionNumbersAttr &numbers);
void printConvolutionDimensions(mlir::OpAsmPrinter &printer, mlir::Operation *,
                                ConvDimensionNumbersAttr numbers);

/// `stride = [2, 2], pad = [[0, 1], [0, 1]], lhs_dilate = [1, 1],
/// rhs_dilate = [1, 1], reverse = [false, false]`, each optional.
mlir::ParseResult parseWindowAttributes(mlir::OpAsmParser &parser,
                                        mlir::DenseI64ArrayAttr &strides,
                                        mlir::DenseIntElementsAttr &padding,
                                        mlir::DenseI64ArrayAttr &lhsDilation,
                                        mlir::DenseI64ArrayAttr &rhsDilation,
                                        mlir::DenseBoolArrayAttr &reversal);
void printWindowAttributes(mlir::OpAsmPrinter &printer, mlir::Operation *,
                           mlir::DenseI64ArrayAttr strides,
                           mlir::DenseIntElementsAttr padding,
                           mlir::DenseI64ArrayAttr lhsDilation,
                           mlir::DenseI64ArrayAttr rhsDilation,
                           mlir::DenseBoolArrayAttr reversal);

/// `@name` or `@"any name"`.
mlir::ParseResult parseCallTarget(mlir::OpAsmParser &parser,
                                  mlir::StringAttr &target);
void printCallTarget(mlir::OpAsmPrinter &printer, mlir::Operation *,
                     mlir::StringAttr target);

} // namespace shardsmith::stablehlo

#endif // SHARDSMITH_LIB_DIALECT_STABLEHLO_OPSYNTAX_H

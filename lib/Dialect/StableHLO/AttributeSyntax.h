// SPDX-License-Identifier: Apache-2.0
// Pieces of syntax that attributes and ops share.

#ifndef SHARDSMITH_LIB_DIALECT_STABLEHLO_ATTRIBUTESYNTAX_H
#define SHARDSMITH_LIB_DIALECT_STABLEHLO_ATTRIBUTESYNTAX_H

#include "shardsmith/Dialect/StableHLO/StableHLO.h"
#include <functional>

namespace shardsmith::stablehlo {

/// `[1, 2]`.
mlir::ParseResult parseDims(mlir::AsmParser &parser,
                            llvm::SmallVectorImpl<int64_t> &dims);
void printDims(mlir::AsmPrinter &printer, llvm::ArrayRef<int64_t> dims);

/// A field of `<name = value, …>`.
struct Field {
  llvm::StringRef name;
  std::function<mlir::ParseResult()> parse;
  bool isRequired = false;
  bool isSeen = false;
};

/// `<name = value, …>` with the fields in any order, each at most once.
mlir::ParseResult parseFields(mlir::AsmParser &parser,
                              llvm::MutableArrayRef<Field> fields);

/// Prints the fields of `<…>` in order, leaving out empty lists.
class FieldPrinter {
public:
  explicit FieldPrinter(mlir::AsmPrinter &printer);
  ~FieldPrinter();

  void list(llvm::StringRef name, llvm::ArrayRef<int64_t> dims);
  /// Starts `name = ` of a field whose value the caller prints.
  llvm::raw_ostream &field(llvm::StringRef name);

private:
  mlir::AsmPrinter &printer;
  bool isFirst = true;
};

/// `[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]`.
mlir::ParseResult parseConvDimensions(mlir::AsmParser &parser,
                                      ConvDimensionNumbersAttr &numbers);
void printConvDimensions(mlir::AsmPrinter &printer,
                         ConvDimensionNumbersAttr numbers);

} // namespace shardsmith::stablehlo

#endif // SHARDSMITH_LIB_DIALECT_STABLEHLO_ATTRIBUTESYNTAX_H

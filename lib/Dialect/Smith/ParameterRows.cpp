// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Dialect/Smith/ParameterRows.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace shardsmith::smith {

static std::string suffixOf(const ParameterRows &rows) {
  return llvm::formatv("[{0}:{1}]", rows.begin, rows.end).str();
}

std::optional<ParameterRows> readRows(Attribute attribute) {
  auto numbers = dyn_cast_or_null<DenseI64ArrayAttr>(attribute);
  if (!numbers || numbers.size() != 3)
    return std::nullopt;
  ParameterRows rows{numbers[0], numbers[1], numbers[2]};
  if (rows.begin < 0 || rows.begin >= rows.end || rows.end > rows.whole)
    return std::nullopt;
  return rows;
}

std::optional<ParameterRows> rowsOfArgument(func::FuncOp function,
                                            unsigned index) {
  return readRows(function.getArgAttr(index, kRowsAttributeName));
}

Attribute toAttribute(MLIRContext *context, const ParameterRows &rows) {
  return DenseI64ArrayAttr::get(context, {rows.begin, rows.end, rows.whole});
}

std::string nameOfRows(StringRef whole, const ParameterRows &rows) {
  return whole.str() + suffixOf(rows);
}

std::optional<std::string> nameOfWhole(StringRef name,
                                       const ParameterRows &rows) {
  if (!name.consume_back(suffixOf(rows)) || name.empty())
    return std::nullopt;
  return name.str();
}

} // namespace shardsmith::smith

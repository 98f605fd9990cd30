// SPDX-License-Identifier: Apache-2.0
//
// `#sdy.op_sharding_rule<([i, k], [k, j])->([i, j]) {i=8, j=16, k=8}
//  reduction={k}, custom>`. A dimension made of several factors is written as
// one word, `ij`, major to minor.

#include "shardsmith/Dialect/Sdy/Sdy.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace shardsmith::sdy {
namespace {

using Delimiter = AsmParser::Delimiter;

constexpr int64_t letterCount = 'z' - 'i' + 1;

std::string factorName(int64_t factor) {
  if (factor < letterCount)
    return std::string(1, static_cast<char>('i' + factor));
  return "z_" + std::to_string(factor - letterCount + 1);
}

/// Takes one factor name from the front of `word`.
std::optional<int64_t> consumeFactor(StringRef &word) {
  if (word.empty() || word.front() < 'i' || word.front() > 'z')
    return std::nullopt;
  int64_t letter = word.front() - 'i';
  word = word.drop_front();
  if (letter != letterCount - 1 || !word.consume_front("_"))
    return letter;
  int64_t number;
  // Seven digits are more factors than any op has and cannot overflow.
  StringRef digits = word.take_while([](char c) { return llvm::isDigit(c); });
  if (digits.empty() || digits.size() > 7 || digits.getAsInteger(10, number) ||
      number < 1)
    return std::nullopt;
  word = word.drop_front(digits.size());
  return letterCount - 1 + number;
}

ParseResult parseFactors(AsmParser &parser, SmallVectorImpl<int64_t> &factors) {
  StringRef word;
  SMLoc location = parser.getCurrentLocation();
  if (parser.parseKeyword(&word))
    return failure();
  while (!word.empty()) {
    std::optional<int64_t> factor = consumeFactor(word);
    if (!factor)
      return parser.emitError(location, "expected factor names: i…z, z_1, …");
    factors.push_back(*factor);
  }
  return success();
}

ParseResult parseTensors(AsmParser &parser,
                         SmallVectorImpl<TensorMappingAttr> &tensors) {
  MLIRContext *context = parser.getContext();
  return parser.parseCommaSeparatedList(Delimiter::Paren, [&] {
    SmallVector<DimMappingAttr> dims;
    ParseResult result =
        parser.parseCommaSeparatedList(Delimiter::Square, [&]() -> ParseResult {
          SmallVector<int64_t> factors;
          if (parseFactors(parser, factors))
            return failure();
          dims.push_back(DimMappingAttr::get(context, factors));
          return success();
        });
    tensors.push_back(TensorMappingAttr::get(context, dims));
    return result;
  });
}

/// `{i=8, j=16}`: sizes in the order of the factors. Nothing if there are none.
ParseResult parseSizes(AsmParser &parser, SmallVectorImpl<int64_t> &sizes) {
  return parser.parseCommaSeparatedList(
      Delimiter::OptionalBraces, [&]() -> ParseResult {
        SmallVector<int64_t> factor;
        SMLoc location = parser.getCurrentLocation();
        if (parseFactors(parser, factor))
          return failure();
        if (factor.size() != 1 ||
            factor.front() != static_cast<int64_t>(sizes.size()))
          return parser.emitError(location)
                 << "expected the size of factor " << factorName(sizes.size());
        return failure(parser.parseEqual() ||
                       parser.parseInteger(sizes.emplace_back()));
      });
}

ParseResult parseFactorSet(AsmParser &parser,
                           SmallVectorImpl<int64_t> &factors) {
  return failure(parser.parseEqual() ||
                 parser.parseCommaSeparatedList(Delimiter::Braces, [&] {
                   return parseFactors(parser, factors);
                 }));
}

void printDim(AsmPrinter &printer, DimMappingAttr dim) {
  for (int64_t factor : dim.getFactorIndices())
    printer << factorName(factor);
}

void printTensor(AsmPrinter &printer, TensorMappingAttr tensor) {
  printer << '[';
  llvm::interleaveComma(tensor.getDimMappings(), printer,
                        [&](DimMappingAttr dim) { printDim(printer, dim); });
  printer << ']';
}

void printTensors(AsmPrinter &printer, ArrayRef<TensorMappingAttr> tensors) {
  printer << '(';
  llvm::interleaveComma(tensors, printer, [&](TensorMappingAttr tensor) {
    printTensor(printer, tensor);
  });
  printer << ')';
}

void printFactorSet(AsmPrinter &printer, StringRef title,
                    ArrayRef<int64_t> factors) {
  if (factors.empty())
    return;
  printer << ' ' << title << "={";
  llvm::interleaveComma(factors, printer,
                        [&](int64_t factor) { printer << factorName(factor); });
  printer << '}';
}

} // namespace

Attribute DimMappingAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> factors;
  if (parser.parseLess() || parseFactors(parser, factors) ||
      parser.parseGreater())
    return {};
  return get(parser.getContext(), factors);
}

void DimMappingAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printDim(printer, *this);
  printer << '>';
}

Attribute TensorMappingAttr::parse(AsmParser &parser, Type) {
  SmallVector<TensorMappingAttr> tensors;
  if (parser.parseLess() || parseTensors(parser, tensors) ||
      parser.parseGreater())
    return {};
  if (tensors.size() == 1)
    return tensors.front();
  parser.emitError(parser.getNameLoc(), "expected one tensor");
  return {};
}

void TensorMappingAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printTensors(printer, *this);
  printer << '>';
}

Attribute OpShardingRuleAttr::parse(AsmParser &parser, Type) {
  SmallVector<TensorMappingAttr> operands, results;
  SmallVector<int64_t> sizes, reduction, needReplication, permutation, blocked;
  SMLoc location = parser.getCurrentLocation();
  if (parser.parseLess() || parseTensors(parser, operands) ||
      parser.parseArrow() || parseTensors(parser, results) ||
      parseSizes(parser, sizes))
    return {};
  const std::pair<StringRef, SmallVectorImpl<int64_t> *> sets[] = {
      {"reduction", &reduction},
      {"need_replication", &needReplication},
      {"permutation", &permutation},
      {"blocked_propagation", &blocked}};
  for (auto [title, factors] : sets)
    if (succeeded(parser.parseOptionalKeyword(title)))
      if (parseFactorSet(parser, *factors))
        return {};
  bool isCustom = succeeded(parser.parseOptionalComma());
  if (isCustom && parser.parseKeyword("custom"))
    return {};
  if (parser.parseGreater())
    return {};
  return getChecked([&] { return parser.emitError(location); },
                    parser.getContext(), ArrayRef(sizes), ArrayRef(operands),
                    ArrayRef(results), ArrayRef(reduction),
                    ArrayRef(needReplication), ArrayRef(permutation),
                    ArrayRef(blocked), isCustom);
}

void OpShardingRuleAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printTensors(printer, getOperandMappings());
  printer << "->";
  printTensors(printer, getResultMappings());
  if (!getFactorSizes().empty()) {
    printer << " {";
    llvm::interleaveComma(
        llvm::enumerate(getFactorSizes()), printer, [&](auto item) {
          printer << factorName(item.index()) << '=' << item.value();
        });
    printer << '}';
  }
  printFactorSet(printer, "reduction", getReductionFactors());
  printFactorSet(printer, "need_replication", getNeedReplicationFactors());
  printFactorSet(printer, "permutation", getPermutationFactors());
  printFactorSet(printer, "blocked_propagation",
                 getBlockedPropagationFactors());
  if (getIsCustom())
    printer << ", custom";
  printer << '>';
}

LogicalResult OpShardingRuleAttr::verify(
    function_ref<InFlightDiagnostic()> emitError, ArrayRef<int64_t> sizes,
    ArrayRef<TensorMappingAttr> operands, ArrayRef<TensorMappingAttr> results,
    ArrayRef<int64_t> reduction, ArrayRef<int64_t> needReplication,
    ArrayRef<int64_t> permutation, ArrayRef<int64_t> blocked, bool) {
  auto exists = [&](int64_t factor) {
    return factor < static_cast<int64_t>(sizes.size());
  };
  auto fail = [&](int64_t factor, const char *problem) {
    return emitError() << "factor " << factorName(factor) << problem;
  };
  for (auto tensors : {operands, results})
    for (TensorMappingAttr tensor : tensors) {
      llvm::SmallDenseSet<int64_t> seen;
      for (DimMappingAttr dim : tensor.getDimMappings())
        for (int64_t factor : dim.getFactorIndices()) {
          if (!exists(factor))
            return fail(factor, " has no size");
          if (!seen.insert(factor).second)
            return fail(factor, " occurs twice in one tensor");
        }
    }
  llvm::SmallDenseSet<int64_t> ofSomeKind;
  for (auto factors : {reduction, needReplication, permutation})
    for (int64_t factor : factors) {
      if (!exists(factor))
        return fail(factor, " has no size");
      if (!ofSomeKind.insert(factor).second)
        return fail(factor, " is of two kinds");
    }
  for (int64_t factor : blocked)
    if (!exists(factor))
      return fail(factor, " has no size");
  return success();
}

} // namespace shardsmith::sdy

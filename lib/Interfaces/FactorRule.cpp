// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Interfaces/FactorRule.h"

#include "shardsmith/Interfaces/FactorName.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <cassert>

using namespace llvm;

namespace shardsmith {

std::string factorName(FactorIndex factor) {
  constexpr FactorIndex letters = 'z' - 'i' + 1;
  if (factor < letters)
    return std::string(1, static_cast<char>('i' + factor));
  return "z_" + std::to_string(factor - letters + 1);
}

namespace {

void printTensors(raw_ostream &os, ArrayRef<TensorFactors> tensors) {
  os << '(';
  interleaveComma(tensors, os, [&](const TensorFactors &dims) {
    os << '[';
    interleaveComma(dims, os, [&](ArrayRef<FactorIndex> factors) {
      for (FactorIndex factor : factors)
        os << factorName(factor);
    });
    os << ']';
  });
  os << ')';
}

void printKind(raw_ostream &os, const FactorRule &rule, FactorKind kind,
               StringRef title) {
  SmallVector<std::string> names;
  for (auto [index, factor] : enumerate(rule.factors))
    if (factor.kind == kind)
      names.push_back(factorName(index));
  if (!names.empty())
    os << ' ' << title << "={" << join(names, ", ") << '}';
}

std::string verifyTensor(const FactorRule &rule, const TensorFactors &tensor,
                         ArrayRef<int64_t> shape, const std::string &what) {
  if (tensor.size() != shape.size())
    return what + " has " + std::to_string(shape.size()) +
           " dimensions but the rule has " + std::to_string(tensor.size());
  SmallBitVector seen(rule.factors.size());
  for (auto [dim, factors] : enumerate(tensor)) {
    if (factors.empty())
      return "dimension " + std::to_string(dim) + " of " + what +
             " has no factor";
    int64_t product = 1;
    for (FactorIndex factor : factors) {
      if (factor >= rule.factors.size())
        return what + " uses a factor that does not exist";
      if (seen.test(factor))
        return "factor " + factorName(factor) + " occurs twice in " + what;
      seen.set(factor);
      if (__builtin_mul_overflow(product, rule.factors[factor].size, &product))
        return "factor sizes of " + what + " overflow";
    }
    if (product > shape[dim])
      return "factors of dimension " + std::to_string(dim) + " of " + what +
             " exceed its size";
  }
  return "";
}

constexpr StringLiteral reductionKindNames[] = {"sum", "product", "max",
                                                "min", "and",     "or"};

} // namespace

StringRef stringifyReductionKind(ReductionKind kind) {
  return reductionKindNames[static_cast<size_t>(kind)];
}

std::optional<ReductionKind> symbolizeReductionKind(StringRef name) {
  for (auto [index, known] : enumerate(reductionKindNames))
    if (known == name)
      return static_cast<ReductionKind>(index);
  return std::nullopt;
}

std::string FactorRule::verify(ArrayRef<ArrayRef<int64_t>> operandShapes,
                               ArrayRef<ArrayRef<int64_t>> resultShapes) const {
  if (operandShapes.size() != operands.size() ||
      resultShapes.size() != results.size())
    return "the rule has another number of operands or results";
  for (auto [index, tensor] : enumerate(operands))
    if (std::string error = verifyTensor(*this, tensor, operandShapes[index],
                                         "operand " + std::to_string(index));
        !error.empty())
      return error;
  for (auto [index, tensor] : enumerate(results))
    if (std::string error = verifyTensor(*this, tensor, resultShapes[index],
                                         "result " + std::to_string(index));
        !error.empty())
      return error;

  SmallBitVector inResult(factors.size());
  for (const TensorFactors &tensor : results)
    for (ArrayRef<FactorIndex> dim : tensor)
      for (FactorIndex factor : dim)
        inResult.set(factor);
  for (auto [index, factor] : enumerate(factors))
    if (!inResult.test(index) && factor.kind != FactorKind::Reduction &&
        factor.kind != FactorKind::NeedReplication)
      return "factor " + factorName(index) +
             " is in no result but neither reduction nor need-replication";
  for (ArrayRef<unsigned> set : linearOperandSets)
    for (unsigned operand : set)
      if (operand >= operands.size())
        return "a linear set names an operand that does not exist";
  return "";
}

std::string FactorRule::str() const {
  std::string text;
  raw_string_ostream os(text);
  printTensors(os, operands);
  os << "->";
  printTensors(os, results);
  os << " {";
  interleaveComma(enumerate(factors), os, [&](auto item) {
    os << factorName(item.index()) << '=' << item.value().size;
  });
  os << '}';
  printKind(os, *this, FactorKind::Reduction, "reduction");
  printKind(os, *this, FactorKind::NeedReplication, "need_replication");
  printKind(os, *this, FactorKind::Permutation, "permutation");
  return text;
}

bool occursIn(const TensorFactors &tensor, FactorIndex factor) {
  return any_of(tensor, [&](ArrayRef<FactorIndex> dim) {
    return is_contained(dim, factor);
  });
}

bool FactorRule::isWholeDimension(FactorIndex factor) const {
  auto isAlone = [&](const TensorFactors &tensor) {
    return all_of(tensor, [&](ArrayRef<FactorIndex> dim) {
      return !is_contained(dim, factor) || all_of(dim, [&](FactorIndex other) {
        return other == factor || factors[other].size == 1;
      });
    });
  };
  return all_of(operands, isAlone) && all_of(results, isAlone);
}

FactorRuleBuilder::FactorRuleBuilder(unsigned operandCount,
                                     unsigned resultCount) {
  rule.operands.resize(operandCount);
  rule.results.resize(resultCount);
}

FactorIndex FactorRuleBuilder::add(int64_t size, ArrayRef<Place> inOperands,
                                   ArrayRef<Place> inResults, FactorKind kind,
                                   ReductionKind reduction) {
  FactorIndex index = rule.factors.size();
  rule.factors.push_back({size, kind, reduction});
  auto place = [&](TensorFactors &tensor, unsigned dimension) {
    if (tensor.size() <= dimension)
      tensor.resize(dimension + 1);
    tensor[dimension].push_back(index);
  };
  for (Place p : inOperands)
    place(rule.operands[p.tensor], p.dimension);
  for (Place p : inResults)
    place(rule.results[p.tensor], p.dimension);
  return index;
}

FactorRule FactorRuleBuilder::pointwise(ArrayRef<ArrayRef<int64_t>> operands,
                                        ArrayRef<ArrayRef<int64_t>> results) {
  assert(!results.empty() && "a pointwise op has a result");
  FactorRuleBuilder builder(operands.size(), results.size());
  for (auto [dim, size] : enumerate(results.front())) {
    SmallVector<Place> inOperands, inResults;
    for (auto [index, shape] : enumerate(operands))
      if (!shape.empty())
        inOperands.push_back(
            {static_cast<unsigned>(index), static_cast<unsigned>(dim)});
    for (unsigned index = 0; index < results.size(); ++index)
      inResults.push_back({index, static_cast<unsigned>(dim)});
    builder.add(size, inOperands, inResults);
  }
  return builder.build();
}

void FactorRuleBuilder::addLinearSet(ArrayRef<unsigned> operands) {
  rule.linearOperandSets.emplace_back(operands);
}

FactorRule FactorRuleBuilder::build() { return std::move(rule); }

} // namespace shardsmith

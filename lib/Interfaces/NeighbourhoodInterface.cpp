// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Interfaces/NeighbourhoodInterface.h"

#include "shardsmith/Interfaces/FactorName.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

#include "shardsmith/Interfaces/NeighbourhoodInterface.cpp.inc"

using namespace llvm;

namespace shardsmith {
namespace {

void print(raw_ostream &os, const Neighbourhood &neighbourhood) {
  const Reach &reach = neighbourhood.reach;
  auto printBound = [&](int64_t offset) {
    if (reach.step != 1)
      os << reach.step << '*';
    os << 'p';
    if (offset != 0)
      os << (offset > 0 ? "+" : "") << offset;
  };
  os << factorName(neighbourhood.factor) << " of operand "
     << neighbourhood.operand << ": e";
  if (reach.dilation != 1)
    os << '*' << reach.dilation;
  os << " in [";
  printBound(reach.first);
  os << ", ";
  printBound(reach.first + reach.extent);
  os << ')';
}

} // namespace

Neighbourhoods getNeighbourhoods(mlir::Operation *op) {
  auto interface = mlir::dyn_cast<NeighbourhoodInterface>(op);
  return interface ? interface.getNeighbourhoods() : Neighbourhoods();
}

bool needsNeighbours(mlir::Operation *op, FactorIndex factor) {
  return any_of(getNeighbourhoods(op), [&](const Neighbourhood &each) {
    return each.factor == factor;
  });
}

std::string verifyNeighbourhoods(const FactorRule &rule,
                                 const Neighbourhoods &neighbourhoods) {
  for (const Neighbourhood &each : neighbourhoods) {
    if (each.factor >= rule.factors.size() ||
        each.operand >= rule.operands.size() ||
        each.dimension >= rule.operands[each.operand].size())
      return "a neighbourhood names a factor or dimension that does not exist";
    std::string name = "factor " + factorName(each.factor);
    FactorKind kind = rule.factors[each.factor].kind;
    if (kind != FactorKind::Permutation && kind != FactorKind::Reduction)
      return name + " has a neighbourhood but is neither permutation nor "
                    "reduction";
    if (ArrayRef(rule.operands[each.operand][each.dimension]) !=
        ArrayRef(each.factor))
      return name + " has a neighbourhood in a dimension that is not it alone";
    auto isSamePlace = [&](const Neighbourhood &other) {
      return other.operand == each.operand && other.dimension == each.dimension;
    };
    if (count_if(neighbourhoods, isSamePlace) != 1)
      return "a dimension has two neighbourhoods";
    if (each.reach.step == 0 || each.reach.extent < 1 ||
        each.reach.dilation < 1 || each.positions < 1 || each.elements < 1)
      return name + " has a neighbourhood without positions or elements";
  }
  for (auto [index, factor] : enumerate(rule.factors)) {
    auto isItsOwn = [index = index](const Neighbourhood &each) {
      return each.factor == index;
    };
    if (factor.kind == FactorKind::Permutation &&
        none_of(neighbourhoods, isItsOwn))
      return "permutation factor " + factorName(index) +
             " has no neighbourhood";
  }
  return "";
}

std::string textOf(const Neighbourhoods &neighbourhoods) {
  if (neighbourhoods.empty())
    return "";
  std::string text;
  raw_string_ostream os(text);
  os << "neighbours={";
  interleaveComma(neighbourhoods, os,
                  [&](const Neighbourhood &each) { print(os, each); });
  os << '}';
  return text;
}

} // namespace shardsmith

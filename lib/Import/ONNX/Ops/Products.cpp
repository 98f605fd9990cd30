// SPDX-License-Identifier: Apache-2.0
//
// Products of matrices and sums over named dimensions.

#include "../Registry.h"

#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/StringExtras.h"

#include <map>

namespace shardsmith::onnx {
namespace {

/// NumPy's matmul. The batch dimensions of a side that is a plain matrix are
/// free ones, so that a weight is not repeated for every sample.
Value matrixProduct(Builder &build, Value a, Value b) {
  if (rankOf(a) == 0 || rankOf(b) == 0)
    badInput("a number is no matrix");
  bool isRow = rankOf(a) == 1, isColumn = rankOf(b) == 1;
  if (isColumn)
    return build.contract(a, b, {}, {}, {rankOf(a) - 1}, {0});
  if (rankOf(b) == 2)
    return build.contract(a, b, {}, {}, {rankOf(a) - 1}, {0});
  if (isRow)
    a = build.reshape(a, {1, shapeOf(a)[0]});
  Sizes aShape(shapeOf(a)), bShape(shapeOf(b));
  int64_t rank = std::max(rankOf(a), rankOf(b));
  Sizes batch(rank - 2, 1);
  for (const Sizes &shape : {aShape, bShape})
    for (size_t i = 0; i + 2 < shape.size(); ++i) {
      int64_t &size = batch[batch.size() - (shape.size() - 2) + i];
      if (size != shape[i] && size != 1 && shape[i] != 1)
        badInput("matrices of shapes {} and {} do not fit each other",
                 text(aShape), text(bShape));
      size = size == 1 ? shape[i] : size;
    }
  auto widened = [&](Value side, const Sizes &shape) {
    Sizes wide(batch);
    wide.append(shape.end() - 2, shape.end());
    return build.broadcast(side, wide);
  };
  Sizes dimensions = llvm::to_vector(llvm::seq<int64_t>(0, rank - 2));
  Value result = build.contract(widened(a, aShape), widened(b, bShape),
                                dimensions, dimensions, {rank - 1}, {rank - 2});
  if (!isRow)
    return result;
  batch.push_back(bShape.back());
  return build.reshape(result, batch);
}

void matMul(Node &node) {
  node.result(matrixProduct(node.build, node.input(0), node.input(1)));
}

void gemm(Node &node) {
  Builder &build = node.build;
  Value a = node.input(0), b = node.input(1);
  if (rankOf(a) != 2 || rankOf(b) != 2)
    badInput("operands of ranks {} and {} are no matrices", rankOf(a),
             rankOf(b));
  int64_t aContracted = node.flag("transA", false) ? 0 : 1;
  int64_t bContracted = node.flag("transB", false) ? 1 : 0;
  Value result = build.contract(a, b, {}, {}, {aContracted}, {bContracted});
  if (double alpha = node.number("alpha", 1.0); alpha != 1)
    result = build.multiply(result, alpha);
  if (node.hasInput(2)) {
    Value c = node.input(2);
    if (double beta = node.number("beta", 1.0); beta != 1)
      c = build.multiply(c, beta);
    result = build.add(result, build.broadcast(c, shapeOf(result)));
  }
  node.result(result);
}

//===----------------------------------------------------------------------===//
// Einsum
//===----------------------------------------------------------------------===//

/// An operand of an Einsum with a letter per dimension.
struct Term {
  Value value;
  std::string letters;
};

/// Sums over letters that nothing else needs.
Term reduceTo(Builder &build, Term term, const std::string &needed) {
  Sizes summed;
  std::string kept;
  for (auto [i, letter] : llvm::enumerate(term.letters)) {
    if (needed.find(letter) == std::string::npos)
      summed.push_back(static_cast<int64_t>(i));
    else
      kept += letter;
  }
  if (summed.empty())
    return term;
  return {build.sum(term.value, summed, false), kept};
}

Term multiply(Builder &build, const Term &a, const Term &b,
              const std::string &needed) {
  Sizes aBatch, bBatch, aContracted, bContracted;
  std::string letters, aFree, bFree;
  for (auto [i, letter] : llvm::enumerate(a.letters)) {
    size_t other = b.letters.find(letter);
    auto position = static_cast<int64_t>(i);
    if (other == std::string::npos) {
      aFree += letter;
    } else if (needed.find(letter) != std::string::npos) {
      aBatch.push_back(position);
      bBatch.push_back(static_cast<int64_t>(other));
      letters += letter;
    } else {
      aContracted.push_back(position);
      bContracted.push_back(static_cast<int64_t>(other));
    }
  }
  for (char letter : b.letters)
    if (a.letters.find(letter) == std::string::npos)
      bFree += letter;
  return {build.contract(a.value, b.value, aBatch, bBatch, aContracted,
                         bContracted),
          letters + aFree + bFree};
}

/// Replaces "..." by characters that no equation uses, the last dimension's
/// first.
std::string withoutEllipsis(llvm::StringRef term, int64_t rank,
                            std::string &ellipsis) {
  size_t dots = term.find("...");
  if (dots == llvm::StringRef::npos)
    return term.str();
  int64_t count = rank - static_cast<int64_t>(term.size()) + 3;
  if (count < 0 || count > 20)
    badInput("its equation does not fit an operand of rank {}", rank);
  // Dimensions of an ellipsis are aligned at their ends.
  std::string letters;
  for (int64_t i = count; i > 0; --i)
    letters += static_cast<char>(1 + i);
  if (letters.size() > ellipsis.size())
    ellipsis = letters;
  return (term.take_front(dots) + letters + term.drop_front(dots + 3)).str();
}

void einsum(Node &node) {
  Builder &build = node.build;
  std::string equation;
  for (char c : node.text("equation", ""))
    if (c != ' ')
      equation += c;
  auto [left, right] = llvm::StringRef(equation).split("->");
  bool hasRight = llvm::StringRef(equation).contains("->");
  llvm::SmallVector<llvm::StringRef> parts;
  left.split(parts, ',');
  if (static_cast<int64_t>(parts.size()) != node.inputCount())
    badInput("its equation '{}' has {} terms for {} operands", equation,
             parts.size(), node.inputCount());
  std::string ellipsis;
  std::vector<Term> terms;
  std::map<char, int> uses;
  std::map<char, int64_t> sizes;
  for (auto [i, part] : llvm::enumerate(parts)) {
    Value value = node.input(i);
    std::string letters = withoutEllipsis(part, rankOf(value), ellipsis);
    if (static_cast<int64_t>(letters.size()) != rankOf(value))
      badInput("the term '{}' of its equation does not fit a tensor of rank {}",
               part.str(), rankOf(value));
    for (auto [d, letter] : llvm::enumerate(letters)) {
      if (letters.find(letter) != d)
        unsupported("diagonal '{}' of an equation", part.str());
      ++uses[letter];
      int64_t size = shapeOf(value)[d];
      if (int64_t &known = sizes.try_emplace(letter, size).first->second;
          known != size)
        unsupported("equation '{}': its letters have sizes that differ ({} and "
                    "{})",
                    equation, known, size);
    }
    terms.push_back({value, letters});
  }
  std::string output;
  if (hasRight) {
    int64_t rank = static_cast<int64_t>(right.size());
    if (right.contains("..."))
      rank += static_cast<int64_t>(ellipsis.size()) - 3;
    output = withoutEllipsis(right, rank, ellipsis);
  } else {
    // Without an arrow: letters that occur once, in alphabetical order.
    output = ellipsis;
    for (auto [letter, count] : uses)
      if (count == 1 && llvm::isAlpha(letter))
        output += letter;
  }
  for (auto [i, letter] : llvm::enumerate(output))
    if (!uses.contains(letter) || output.find(letter) != i)
      badInput("the result of its equation '{}' has a letter that no operand "
               "has, or has one twice",
               equation);
  Term result = terms.front();
  for (size_t i = 0; i < terms.size(); ++i) {
    std::string needed = output;
    for (size_t later = i + 1; later < terms.size(); ++later)
      needed += terms[later].letters;
    if (i == 0) {
      result = reduceTo(build, result, needed);
      continue;
    }
    Term next = reduceTo(build, terms[i], needed + result.letters);
    result = reduceTo(build, result, needed + next.letters);
    result = multiply(build, result, next, needed);
  }
  Sizes permutation;
  for (char letter : output)
    permutation.push_back(static_cast<int64_t>(result.letters.find(letter)));
  node.result(build.transpose(result.value, permutation));
}

} // namespace

void registerProducts(Registry &registry) {
  registry.add("Einsum", einsum);
  registry.add("Gemm", gemm);
  registry.add("MatMul", matMul);
}

} // namespace shardsmith::onnx

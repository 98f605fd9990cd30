// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Support/ClosestWord.h"

#include <algorithm>
#include <cctype>

namespace shardsmith {
namespace {

char lowered(char letter) {
  return char(std::tolower(static_cast<unsigned char>(letter)));
}

/// Levenshtein's distance, one row at a time.
size_t editDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j)
    row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t substituted = diagonal + (lowered(a[i - 1]) != lowered(b[j - 1]));
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
    }
  }
  return row.back();
}

/// Fewer letters begin too many words.
constexpr size_t shortestBeginning = 3;

} // namespace

std::string closestWord(std::string_view word,
                        const std::vector<std::string> &candidates) {
  auto longer = std::ranges::find_if(candidates, [&](std::string_view other) {
    return editDistance(word, other.substr(0, word.size())) == 0;
  });
  if (longer != candidates.end() && word.size() >= shortestBeginning)
    return *longer;
  size_t best = std::max<size_t>(2, word.size() / 3) + 1;
  std::string result;
  for (const std::string &candidate : candidates) {
    size_t distance = editDistance(word, candidate);
    if (distance < best) {
      best = distance;
      result = candidate;
    }
  }
  return result;
}

} // namespace shardsmith

// SPDX-License-Identifier: Apache-2.0
//
// Calls of a loss graph that stand for several. Of a run of equal layers three
// calls are enough to see what each does:
//
//     %1 = call @layer(%0, %w0)     layer 0
//     %2 = call @layer(%1, %w1)     layers 1 … n − 2, each with weights of its
//     %3 = call @layer(%2, %w2)     own; and layer n − 1
//
// so that a model of a thousand layers is built, read and annotated as fast as
// one of three.

#ifndef SHARDSMITH_DIALECT_SMITH_REPEATEDCALLS_H
#define SHARDSMITH_DIALECT_SMITH_REPEATEDCALLS_H

#include "mlir/IR/Operation.h"

#include <charconv>
#include <string>
#include <vector>

namespace shardsmith::smith {

struct RepeatedCall {
  mlir::Operation *call = nullptr;
  /// So many calls in a row, each of which takes what the one before gives.
  int64_t count = 1;
  /// Parameters of the first one begin with PREFIX and FIRST, those of the next
  /// one with the next number: `layers.1.w`. Others are shared by all.
  std::string prefix;
  int64_t first = 0;

  /// Of the parameter that is called `name` in the first one.
  std::string nameIn(int64_t repetition, const std::string &name) const {
    if (!name.starts_with(prefix))
      return name;
    const char *begin = name.data() + prefix.size();
    const char *end = name.data() + name.size();
    int64_t number = 0;
    const char *rest = std::from_chars(begin, end, number).ptr;
    if (rest == begin || rest == end || *rest != '.' || number != first)
      return name;
    char digits[20];
    char *last =
        std::to_chars(digits, digits + sizeof(digits), first + repetition).ptr;
    std::string result;
    result.reserve(name.size() + sizeof(digits));
    result.append(prefix).append(digits, last).append(rest, end);
    return result;
  }
};
using RepeatedCalls = std::vector<RepeatedCall>;

} // namespace shardsmith::smith

#endif // SHARDSMITH_DIALECT_SMITH_REPEATEDCALLS_H

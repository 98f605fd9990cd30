// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_SUPPORT_ERRORLIST_H
#define SHARDSMITH_SUPPORT_ERRORLIST_H

#include "mlir/IR/Location.h"
#include "llvm/ADT/MapVector.h"

#include <map>
#include <string>

namespace shardsmith {

/// Errors that are found all over a program and reported together. Equal ones
/// are one error, where the first of them is, that says how many follow.
class ErrorList {
public:
  void add(mlir::Location location, const std::string &text);
  /// Errors with the same key count as equal; the text is that of the first.
  void add(mlir::Location location, const std::string &text,
           const std::string &key);
  bool empty() const { return errors.empty(); }
  /// Emits the errors in the order in which they were found; a note at the last
  /// one says how many different ones are left out.
  void emit() const;

  static constexpr size_t mostShown = 20;

private:
  struct Entry {
    mlir::Location first;
    std::string text;
    size_t count = 0;
  };

  llvm::MapVector<std::string, Entry, std::map<std::string, unsigned>> errors;
};

} // namespace shardsmith

#endif // SHARDSMITH_SUPPORT_ERRORLIST_H

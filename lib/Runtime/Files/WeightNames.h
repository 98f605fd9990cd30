// SPDX-License-Identifier: Apache-2.0
//
// What the tensors in files of weights are to a program. Files of one model
// differ in how they name tensors, and hold some that are no parameters; the
// manifest says how (docs/program-manifest.md, `weights`).

#ifndef SHARDSMITH_LIB_RUNTIME_FILES_WEIGHTNAMES_H
#define SHARDSMITH_LIB_RUNTIME_FILES_WEIGHTNAMES_H

#include "shardsmith/Runtime/Manifest.h"

#include <map>
#include <optional>
#include <string>

namespace shardsmith::runtime {

/// What one tensor of a file is.
struct TensorMeaning {
  enum class Kind {
    /// A parameter, state or constant of the program.
    Argument,
    /// Once more the values of an argument that is there under its own name.
    Copy,
    /// Nothing that the program has a place for, and rightly so.
    Ignored,
  };
  Kind kind = Kind::Ignored;
  const Argument *argument = nullptr;
  /// Of an argument that is a stack of matrices, which of these it is.
  std::optional<int64_t> matrix = std::nullopt;
};

class WeightNames {
public:
  explicit WeightNames(const Manifest &manifest);

  /// Nothing for a tensor that is of another model.
  std::optional<TensorMeaning> meaningOf(const std::string &name) const;

private:
  std::optional<TensorMeaning> exactly(const std::string &name) const;
  std::optional<TensorMeaning> matrixOfStack(const std::string &name) const;
  bool isStateOfParameter(const std::string &name) const;

  const WeightSpelling &spelling;
  std::map<std::string, const Argument *> arguments;
};

/// Whether `pattern`, in which `*` stands for a number, is `name`.
bool matchesNumbered(std::string_view pattern, std::string_view name);

/// The name of a matrix in files, taken apart.
struct MatrixName {
  /// The stack's name: without the number and the dot behind it.
  std::string stack;
  int64_t number = 0;
};
/// The same for a pattern in which one `#` stands for the number of a matrix.
std::optional<MatrixName> matchMatrix(std::string_view pattern,
                                      std::string_view name);

} // namespace shardsmith::runtime

#endif // SHARDSMITH_LIB_RUNTIME_FILES_WEIGHTNAMES_H

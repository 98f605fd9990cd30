// SPDX-License-Identifier: Apache-2.0
//
// How published weights of a model name its parameters: `smith.weights` on the
// module, put there by whoever knows the family of the model, and read into the
// program's manifest. Parameters themselves have `smith.name`.
//
//     smith.weights = {prefix = "bert.",
//                      ignored = ["bert.pooler.dense.weight", …],
//                      copies = {"cls.predictions.decoder.bias" =
//                                "cls.predictions.bias"},
//                      older = {"LayerNorm.gamma" = "LayerNorm.weight"},
//                      stacked = []}

#ifndef SHARDSMITH_DIALECT_SMITH_WEIGHTNAMES_H
#define SHARDSMITH_DIALECT_SMITH_WEIGHTNAMES_H

#include "mlir/IR/BuiltinAttributes.h"

#include <string>
#include <utility>
#include <vector>

namespace shardsmith::smith {

inline constexpr llvm::StringLiteral kWeightNamesAttributeName =
    "smith.weights";

struct WeightNames {
  using Pairs = std::vector<std::pair<std::string, std::string>>;

  /// In front of most names; files of the model without its head leave it out.
  std::string prefix = {};
  /// Tensors that are no parameters; `*` stands for a number.
  std::vector<std::string> ignored = {};
  /// Further names of parameters, each with the parameter's own.
  Pairs copies = {};
  /// Parts of names as older files spell them, each with today's spelling.
  Pairs older = {};
  /// Matrices that are one parameter [count, inputs, outputs] together, as
  /// files name them, each [outputs, inputs]: `#` stands for the number of the
  /// matrix, and the parameter's name is without it.
  std::vector<std::string> stacked = {};
};

mlir::DictionaryAttr toAttribute(mlir::MLIRContext *context,
                                 const WeightNames &names);

/// Nothing if the attribute is not one that `toAttribute` makes.
std::optional<WeightNames> readWeightNames(mlir::Attribute attribute);

} // namespace shardsmith::smith

#endif // SHARDSMITH_DIALECT_SMITH_WEIGHTNAMES_H

// SPDX-License-Identifier: Apache-2.0
//
// Initial weights that others have made, and weights given back to them: files
// are read by the names that they have, and written with the same names,
// shapes, types and division into files. A fine-tuned checkpoint loads again
// where it came from.

#ifndef SHARDSMITH_RUNTIME_FILES_PRETRAINEDWEIGHTS_H
#define SHARDSMITH_RUNTIME_FILES_PRETRAINEDWEIGHTS_H

#include "shardsmith/Runtime/Files/WeightFiles.h"

#include <list>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

struct smith_context;

namespace shardsmith::runtime {

/// Files of weights, matched with the arguments of a program:
///
/// - every parameter is there, if only as its copy, with its shape, as floats
/// of any width if the
///   program has it as floats, else with its type;
/// - every tensor is a parameter, state or constant, a copy of a parameter with
///   equal values, or one of those that the model's files may hold besides.
class PretrainedWeights {
public:
  /// Throws a Failure that names the first tensor of another model.
  PretrainedWeights(const Manifest &manifest, const std::string &path);
  PretrainedWeights(const PretrainedWeights &) = delete;
  PretrainedWeights &operator=(const PretrainedWeights &) = delete;

  /// Fills the rank's parameters, and the states and constants that the files
  /// hold.
  void load(smith_context &context, uint8_t *arena) const;

  /// Writes the same files to another folder, with this run's values, and
  /// copies of the configuration beside the originals and what belongs to it.
  void save(smith_context &context, const std::string &folder,
            const uint8_t *arena) const;

  const std::string &folder() const { return weights.folder(); }

private:
  struct Match {
    WeightFiles::NamedEntry source;
    const Argument *argument; // null: kept as it is
    bool isCopy;
    /// Of a stack of matrices, which one.
    std::optional<int64_t> matrix;
  };
  struct File {
    std::string name;
    Metadata metadata;
    std::vector<Match> tensors;
  };

  void findSources();
  void requireParameters(const Manifest &manifest,
                         const std::string &stranger) const;
  void requireMatrices(const Argument &stack,
                       const std::string &stranger) const;
  /// Throws unless the tensor may be the argument, or a matrix of it.
  void requireFit(const Argument &argument, const Match &match) const;
  [[noreturn]] void refuseMissing(const std::string &what,
                                  const std::string &stranger) const;
  [[noreturn]] void refuseTwice(const Match &one, const Match &other) const;
  const Match *sourceOf(const Argument &argument,
                        std::optional<int64_t> matrix = std::nullopt) const;
  void requireEqualCopies() const;

  /// What the rank writes of an argument. Matrices of stacks are copied.
  static TensorPart partOf(const Match &match, const Argument &argument,
                           const smith_context &context, const uint8_t *arena,
                           std::list<std::vector<uint8_t>> &matrices);
  /// The same of all arguments that are rows of a tensor.
  static void addParts(const Match &match, const smith_context &context,
                       const uint8_t *arena,
                       std::list<std::vector<uint8_t>> &matrices,
                       std::vector<TensorPart> &parts);

  WeightFiles weights;
  std::vector<File> files;
  /// Where the values of an argument, or of a matrix of it, are read.
  std::map<std::pair<const Argument *, std::optional<int64_t>>, const Match *>
      sources;
};

/// Makes the folder for weights, and fails if they could not be written there
/// or if it holds one of the `originals` (paths, empty for none): a run that is
/// stopped while it writes must not leave these half replaced.
void takeWeightsFolder(const std::string &folder,
                       const std::vector<std::string> &originals);

/// Writes all parameters with their own names and types to one file in the
/// folder, for runs that no published weights began.
void saveWeights(smith_context &context, const std::string &folder,
                 const uint8_t *arena);

} // namespace shardsmith::runtime

#endif // SHARDSMITH_RUNTIME_FILES_PRETRAINEDWEIGHTS_H

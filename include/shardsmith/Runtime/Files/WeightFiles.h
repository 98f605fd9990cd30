// SPDX-License-Identifier: Apache-2.0
//
// Weights as models are published: one safetensors file, or several with an
// index that says which tensor is in which file.
//
//     model.safetensors
//     model.safetensors.index.json     {"weight_map": {"wte.weight":
//     model-00001-of-00002.safetensors    "model-00001-of-00002.safetensors",
//     model-00002-of-00002.safetensors    …}}

#ifndef SHARDSMITH_RUNTIME_FILES_WEIGHTFILES_H
#define SHARDSMITH_RUNTIME_FILES_WEIGHTFILES_H

#include "shardsmith/Runtime/Files/SafeTensors.h"

#include <string>
#include <string_view>
#include <vector>

namespace shardsmith::runtime {

inline constexpr std::string_view weightsFileName = "model.safetensors";
inline constexpr std::string_view weightsIndexName =
    "model.safetensors.index.json";
inline constexpr std::string_view configFileName = "config.json";

/// All files of one set of weights, mapped for reading.
class WeightFiles {
public:
  /// `path`: a safetensors file, an index, or a folder that holds one of both
  /// under its usual name. Throws a Failure that names the file if one is
  /// missing or damaged, or contradicts the index.
  explicit WeightFiles(const std::string &path);

  struct NamedEntry {
    std::string name;
    SafeTensorsFile::Entry entry;
  };
  struct File {
    /// Relative to the folder.
    std::string name;
    SafeTensorsFile tensors;

    /// The tensors in the order of their data.
    std::vector<NamedEntry> inOrder() const;
  };

  /// What was given.
  const std::string &path() const { return givenPath; }
  /// Where the files are.
  const std::string &folder() const { return filesFolder; }
  const std::vector<File> &files() const { return allFiles; }
  bool hasIndex() const { return !index.empty(); }
  /// The text of the index, empty without one.
  const std::string &indexText() const { return index; }

private:
  void readOne(const std::string &path);
  void readIndexed(const std::string &path);

  std::string givenPath;
  std::string filesFolder;
  std::string index;
  std::vector<File> allFiles;
};

} // namespace shardsmith::runtime

#endif // SHARDSMITH_RUNTIME_FILES_WEIGHTFILES_H

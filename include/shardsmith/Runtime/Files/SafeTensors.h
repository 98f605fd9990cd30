// SPDX-License-Identifier: Apache-2.0
//
// Files of named tensors in the safetensors format: eight bytes with the
// length of a JSON header, the header, the tensors. Tensors in files have
// global names and shapes; every rank reads and writes its own part.

#ifndef SHARDSMITH_RUNTIME_FILES_SAFETENSORS_H
#define SHARDSMITH_RUNTIME_FILES_SAFETENSORS_H

#include "shardsmith/Runtime/Arena.h"
#include "shardsmith/Runtime/Manifest.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

struct smith_context;

namespace shardsmith::runtime {

using Metadata = std::map<std::string, std::string>;

/// A file mapped for reading.
/// `f32 [2, 3]`, for messages.
std::string describeTensor(ElementType type, const Shape &shape);

class SafeTensorsFile {
public:
  struct Entry {
    ElementType type;
    Shape shape;
    const uint8_t *data;
  };

  /// Throws a Failure that names the file if it is not well-formed.
  explicit SafeTensorsFile(const std::string &path);

  const Entry *find(const std::string &name) const;
  const std::map<std::string, Entry> &all() const { return entries; }
  const Metadata &metadata() const { return metadataValues; }
  const std::string &path() const { return filePath; }

  /// Empty if the file has a tensor of that name, type and shape; else what was
  /// expected and what is there.
  std::string whatDiffers(const Tensor &tensor) const;

  /// Copies the shard of `tensor` to `local`. Throws a Failure that names
  /// tensor, expected and found if it is missing or of another type or shape.
  void read(const Tensor &tensor, const Shard &shard, void *local) const;

private:
  std::string filePath;
  Mapping file;
  std::map<std::string, Entry> entries;
  Metadata metadataValues;
};

/// Copies the shard of a tensor to `local`. Floats of one width become floats
/// of another, rounded to nearest; other types must be equal.
void readConverted(const SafeTensorsFile::Entry &entry, const Shard &shard,
                   ElementType type, void *local);

/// A tensor to write, as one rank holds it.
struct TensorPart {
  std::string name;
  ElementType type = SMITH_F32;
  Shard shard;
  const void *local = nullptr;
  /// The file's type, if it is not that of `local`: floats of another width.
  std::optional<ElementType> storedAs = std::nullopt;

  ElementType fileType() const { return storedAs.value_or(type); }
};

/// Writes one file together with all other ranks, which name the same tensors
/// in the same order. The file appears under its name when it is complete and
/// on disk; if anything fails, a file that was there before is untouched,
/// nothing is left behind, and all ranks throw.
void writeSafeTensors(smith_context &context, const std::string &path,
                      const std::vector<TensorPart> &tensors,
                      const Metadata &metadata);

/// The same for a process that holds all tensors whole.
void writeSafeTensors(const std::string &path,
                      const std::vector<TensorPart> &tensors,
                      const Metadata &metadata);

} // namespace shardsmith::runtime

#endif // SHARDSMITH_RUNTIME_FILES_SAFETENSORS_H

// SPDX-License-Identifier: Apache-2.0
//
// The manifest embedded in a program, as docs/program-manifest.md defines it,
// read and checked: code that holds a Manifest need not doubt it.

#ifndef SHARDSMITH_RUNTIME_MANIFEST_H
#define SHARDSMITH_RUNTIME_MANIFEST_H

#include "shardsmith/Runtime/ElementType.h"
#include "shardsmith/Runtime/Shard.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shardsmith::runtime {

enum class Role { Param, State, Batch, Constant, Loss, Output };

std::string_view name(Role role);

struct MeshAxis {
  std::string name;
  int64_t size = 1;
};

/// Rows `begin` up to, but not including, `end` of a tensor.
struct Rows {
  int64_t begin = 0;
  int64_t end = 0;

  bool operator==(const Rows &) const = default;
};

/// A tensor at a fixed place of the arenas of all ranks that hold it.
struct Tensor {
  std::string name;
  Role role = Role::Param;
  ElementType type = SMITH_F32;
  Shape globalShape;
  /// What of it is here, where several tensors are one of a file: rows of the
  /// whole that has this name and the global shape.
  std::optional<Rows> rows;
  Shape localShape;
  std::vector<std::vector<std::string>> sharding; // axes per dimension
  int64_t offset = 0; // in the arena of the first rank that holds it
  /// With a pipeline, by coordinate of its axis; −1: ranks of that coordinate
  /// hold nothing of the tensor.
  std::vector<int64_t> offsets;

  /// Size of a dimension over all ranks: of the rows alone, if there are some.
  int64_t sizeOf(size_t dim) const;
  int64_t localBytes() const;
  int64_t globalBytes() const;
};

struct Argument : Tensor {
  std::string init; // empty: the role's default
  int64_t batchDim = 0;
  std::optional<int64_t> limit; // exclusive bound of integer values
};

struct Result : Tensor {
  int64_t argument = -1; // whose storage it is, −1: its own
};

/// Disjoint lists of ranks that cover all ranks.
struct RankGroups {
  std::vector<std::string> axes;
  std::vector<std::vector<int>> ranks;
};

/// Ranks with different coordinates on a mesh axis hold different tensors.
struct Pipeline {
  size_t axis = 0;                 // of the mesh
  std::vector<int64_t> arenaBytes; // by coordinate
};

/// Messages from one rank to another.
struct Channel {
  int from = 0;
  int to = 0;
  int64_t bytes = 0; // the most that are ever under way at once
};

/// How files of published weights name what the program has.
struct WeightSpelling {
  /// In front of most names; files of a model without its head leave it out.
  std::string prefix;
  /// Tensors that are no parameters; `*` stands for a number.
  std::vector<std::string> ignored;
  /// Further names of parameters, each with the parameter's own.
  std::vector<std::pair<std::string, std::string>> copies;
  /// Parts of names as older files spell them, each with today's spelling.
  std::vector<std::pair<std::string, std::string>> older;
  /// Matrices that are one parameter [count, inputs, outputs] together, as
  /// files name them: `#` stands for the number of the matrix.
  std::vector<std::string> stacked;
};

struct Manifest {
  std::string modelName;
  std::string modelHash;
  std::string planHash;
  int ranks = 1;
  std::vector<MeshAxis> mesh;
  int64_t arenaBytes = 0; // of the largest arena
  std::optional<Pipeline> pipeline;
  std::vector<Channel> channels; // at most one from a rank to another
  std::vector<Argument> arguments;
  std::vector<Result> results;
  std::vector<RankGroups> groups;
  int64_t tokensPerStep = 0;
  /// Whether experts have a capacity, so that rows may be dropped.
  bool dropsRows = false;
  WeightSpelling weights;
  std::optional<int64_t> predictedCommunicationBytes;
  /// Of the bytes before, those of rows that are routed by data: what is sent
  /// if they are spread evenly.
  std::optional<int64_t> predictedRowBytes;
  std::optional<int64_t> predictedPeakBytes;
  std::optional<int64_t> predictedStepNanoseconds;
  uint64_t textHash = 0; // of the JSON text: equal for equal programs
};

/// All arguments that are rows of the same tensor as this one, it among them,
/// in the order of the manifest.
std::vector<const Argument *> partsOf(const Manifest &manifest,
                                      const Argument &argument);

/// Throws a Failure that names the JSON pointer of the first wrong field.
Manifest readManifest(std::string_view text);

} // namespace shardsmith::runtime

#endif // SHARDSMITH_RUNTIME_MANIFEST_H

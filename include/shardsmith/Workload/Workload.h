// SPDX-License-Identifier: Apache-2.0
//
// What one training step of a model computes, without the IR it came from:
// a chain of blocks, each a small graph of ops over named factors. The cost
// model and the planner read nothing else of a model, so every number they
// give is derived from the model's own graph.
//
//     embedding ─▶ layer ─▶ layer ─▶ … ─▶ layer ─▶ head
//     └ segment ┘ └──── segment, count = L ─────┘ └ segment ┘
//
// Equal neighbours are one segment with a count, so a model of a thousand
// layers is as large as one of three. Sizes are those of the whole ("global")
// tensors of one *sequence*: the batch factor has size 1 here, and whoever
// prices a block says how many sequences it works on.
//
// Only the forward pass is written down. The derivative of an op runs over
// the same factors: that of a product are two products, one per operand, and
// whatever splits the op splits them. Where the forward pass needs a sum over
// a split factor the derivative needs a copy, and the other way round.

#ifndef SHARDSMITH_WORKLOAD_WORKLOAD_H
#define SHARDSMITH_WORKLOAD_WORKLOAD_H

#include "shardsmith/Support/Quantity.h"
#include "shardsmith/Workload/Descriptors.h"
#include "shardsmith/Workload/ParameterNames.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardsmith::workload {

using TensorIndex = unsigned;
using OpIndex = unsigned;
using BlockIndex = unsigned;

enum class ElementType {
  F64,
  F32,
  TF32,
  F16,
  BF16,
  F8,
  F4,
  I64,
  I32,
  I8,
  Bool
};
/// Bits, because four-bit types exist.
int64_t bitsOf(ElementType type);
/// The MLIR name: `bf16`, `i32`; `f8E4M3FN` and `f4E2M1FN` for F8 and F4.
std::string_view nameOf(ElementType type);
std::optional<ElementType> elementTypeNamed(std::string_view name);

/// What a factor iterates over; decides which kinds of parallelism may split
/// it.
enum class FactorRole {
  /// Sequences of the batch: split by data axes and by time (micro-batches).
  Batch,
  /// Positions in a sequence: split by the context axis.
  Sequence,
  /// Experts of a mixture: split by the expert axis.
  Expert,
  /// Anything else: hidden sizes, heads, vocabulary.
  Other,
};

enum class FactorKind {
  /// In the operands that have it and in every result that has it; each shard
  /// computes its part.
  PassThrough,
  /// Summed over: shards hold partial results.
  Reduction,
  /// A fused op needs a few numbers per row over all of it (norms, softmax,
  /// cross entropy): it may be split, but shards then exchange one value per
  /// row and statistic. Results that lack the factor are whole afterwards.
  RowStatistic,
  /// Must be whole.
  Whole,
};

struct Factor {
  std::string name;
  int64_t size = 1;
  FactorKind kind = FactorKind::PassThrough;
  FactorRole role = FactorRole::Other;

  bool operator==(const Factor &) const = default;
};

enum class TensorRole {
  Activation,
  /// Trained: has a gradient and optimizer state.
  Parameter,
  /// Data of the step: token ids, labels.
  Batch,
  /// Made where it is used (masks, position tables): no memory, no traffic.
  Constant,
};

struct Tensor {
  std::string name;
  /// As fine as the ops need: where a product's result is read as heads ×
  /// head size, it has both dimensions (and the weight, too, whatever the
  /// shape in the file), so that splitting heads is splitting a dimension.
  /// The batch dimension, if there is one, counts one sequence; others of
  /// size 1 are left out.
  std::vector<int64_t> shape;
  ElementType type = ElementType::F32;
  TensorRole role = TensorRole::Activation;
  /// The backward pass reads it, so it stays in memory until then (unless the
  /// block is recomputed).
  bool savedForBackward = false;
  /// Part of attention's inside (scores, probabilities), which selective
  /// recomputation and fused attention kernels do not keep.
  bool insideAttention = false;

  /// Elements, saturating.
  int64_t elementCount() const;
  Bytes bytes() const;
  bool operator==(const Tensor &) const = default;
};

/// How an op sees one of its operands or results: per dimension the factors
/// it is made of, major to minor; usually one. An op reads as much of a
/// dimension as its factors cover: less than all of it where it takes a slice,
/// and one element where there is no factor (the keys of a product that makes
/// queries, keys and values at once).
struct TensorUse {
  TensorIndex tensor = 0;
  std::vector<std::vector<FactorIndex>> dims;

  /// Some dimension is made of `factor`.
  bool uses(FactorIndex factor) const;
  bool operator==(const TensorUse &) const = default;
};

struct Op : OpDescriptors {
  /// For reports: the parameter it uses, or the source location.
  std::string name;
  /// Their names are distinct.
  std::vector<Factor> factors;
  std::vector<TensorUse> operands;
  std::vector<TensorUse> results;
  /// Sets of operands in which the op is jointly linear: partial sums may
  /// pass through it (see `FactorRule::linearOperandSets`).
  std::vector<std::vector<unsigned>> linearOperandSets;
  /// Forward operations on the whole tensors of one sequence.
  Flops flops;
  /// Fused ops only: numbers per row that a split RowStatistic factor exchanges
  /// in the forward pass (and again in the backward pass).
  int64_t rowStatistics = 0;
  /// Exchanges and products per expert only: experts each token goes to.
  int64_t expertsPerToken = 0;
  /// False for ops on integers and constants only.
  bool hasBackward = true;

  /// Runs experts, or sends rows to them: its costs change with the expert
  /// axis. Those of other ops do not.
  bool seesExperts() const;
  bool operator==(const Op &) const = default;
};

/// Invariants: ops are in topological order; every activation is an input or
/// has one producer, never both; other tensors have none.
struct Block {
  std::string name;
  std::vector<Tensor> tensors;
  std::vector<Op> ops;
  /// Activations that come from the block before, and go to the block behind:
  /// input i of a block is output i of its predecessor. What passes through
  /// unchanged (an encoder's output for a decoder) is in both. The first block
  /// has no inputs, the last one no outputs.
  std::vector<TensorIndex> inputs;
  std::vector<TensorIndex> outputs;
  std::vector<TensorIndex> parameters;

  /// Some op counts experts along dimension `dim` of its operand `tensor`:
  /// the dimension that the expert axis splits.
  bool runsOverExperts(TensorIndex tensor, size_t dim) const;
  bool operator==(const Block &) const = default;
};

/// `count` equal blocks in a row.
struct Segment {
  BlockIndex block = 0;
  int64_t count = 1;
  /// Of all repetitions, in the order of `Block::parameters`; these are the
  /// names of the model file. A name that occurs twice is one tensor used twice
  /// (tied embeddings).
  ParameterNames parameterNames;

  bool operator==(const Segment &) const = default;
};

/// What a parameter of the model is in a block.
struct ParameterUse {
  BlockIndex block = 0;
  TensorIndex tensor = 0;

  bool operator==(const ParameterUse &) const = default;
};

/// Names in a row, and what they are there.
struct ParameterRun {
  const NameRun &names;
  ParameterUse use;
  /// How many of the names occur nowhere before. Of a name that stays the same,
  /// the first counts.
  int64_t newNames = 0;
  /// What others were before, and one of the names that were that.
  struct Earlier {
    ParameterUse use;
    std::string name;
  };
  std::vector<Earlier> earlier;
};

struct Workload {
  std::string modelName;
  /// Sixteen hexadecimal digits over the model's graph.
  std::string modelHash;
  std::vector<Block> blocks;
  std::vector<Segment> segments;
  /// Sequences of one optimizer step, and positions of each (1 for models
  /// without sequences).
  int64_t globalBatch = 1;
  int64_t sequenceLength = 1;
  /// Type that products are computed in.
  ElementType computeType = ElementType::F32;
  /// Why the batch must not be cut into micro-batches; empty if it may.
  std::string microBatchObstacle;
  /// Why positions must stay in the order of the sequence; empty if ranks of a
  /// ring may have some from its begin and some from its end.
  std::string positionObstacle;

  /// Blocks in the chain, counting repetitions.
  int64_t unitCount() const;
  /// Of the layer that has fewest; nothing without experts.
  std::optional<int64_t> fewestExperts() const;
  /// The segment that unit `unit` (0-based) belongs to.
  size_t segmentOf(int64_t unit) const;
  /// Visits the names of all parameters in the order of the chain.
  void eachParameterRun(
      const std::function<void(const ParameterRun &)> &visit) const;
  const Tensor &tensorOf(const ParameterUse &use) const {
    return blocks[use.block].tensors[use.tensor];
  }
  /// Trained parameters, each name once; saturates.
  int64_t parameterCount() const;
  /// Forward operations for one sequence.
  Flops forwardFlops() const;

  /// Empty if the invariants hold, else a sentence that names the first thing
  /// that is wrong.
  std::string verify() const;
  bool operator==(const Workload &) const = default;
};

/// JSON, for `inspect` and for tests, of a workload that verifies. Reading
/// fails with what is wrong and its JSON pointer in `error`.
std::string toJson(const Workload &workload);
std::optional<Workload> workloadFromJson(std::string_view text,
                                         std::string &error);

} // namespace shardsmith::workload

#endif // SHARDSMITH_WORKLOAD_WORKLOAD_H

// SPDX-License-Identifier: Apache-2.0
//
// One block under one setting, without prices: how large a rank's part of
// each tensor is, how ops may be split over the tensor axis, and in which
// layouts they then read and hand over tensors.
//
//   value    gradient    who has it like that
//   split    split       an op that splits a factor of the tensor
//   whole    whole       an op that every rank does in full
//   whole    partial     an op that splits a factor the tensor lacks
//   partial  whole       the result of an op that splits a reduction
//
// The third and fourth row are each other's transpose; all communication of
// the tensor axis follows from this table.

#ifndef SHARDSMITH_COST_UNITS_BLOCKSHAPES_H
#define SHARDSMITH_COST_UNITS_BLOCKSHAPES_H

#include "shardsmith/Cost/Collectives/PathChoice.h"
#include "shardsmith/Cost/Units/BlockStructure.h"
#include "shardsmith/Strategy/Strategy.h"

#include <memory>

namespace shardsmith {

/// What is fixed while the layout of a block is chosen.
struct UnitSetting : UnitDegrees {
  /// Sequences per rank and pass.
  int64_t microBatch = 1;
  PerUnitAxis<PathChoice> paths;
  /// Where the tensor axis may split positions between products (Megatron's
  /// sequence parallelism); off for stacks that cannot.
  bool sequenceParallel = true;
  /// Where it may split their features there; off for stacks that keep all
  /// features of a position together, as those for transformers do.
  bool splitsFeatures = true;

  bool operator==(const UnitSetting &) const = default;
};

/// How an op reads an operand.
struct Reading {
  TensorLayout layout;
  /// Each rank gets only a part of the operand's gradient, to be summed up.
  bool partialGradient = false;

  bool operator==(const Reading &) const = default;
};

/// Different readings of one tensor, as bits: whole, whole with a partial
/// gradient, split by dimension 0, 1, …
class ReadingSet {
public:
  ReadingSet() = default;
  explicit ReadingSet(Reading reading) : bits(bitOf(reading)) {}

  void insert(Reading reading) { bits |= bitOf(reading); }
  bool contains(Reading reading) const { return bits & bitOf(reading); }
  bool readsWhole() const { return bits & 3; }
  bool hasPartialGradient() const { return bits & 2; }
  /// The dimensions that some reader has split, as bits.
  uint32_t splitDims() const { return bits >> 2; }
  bool empty() const { return bits == 0; }

  auto operator<=>(const ReadingSet &) const = default;

private:
  static uint32_t bitOf(Reading reading) {
    if (reading.layout.kind == TensorLayout::Kind::Split)
      return uint32_t(4) << reading.layout.dim;
    return reading.partialGradient ? 2 : 1;
  }

  uint32_t bits = 0;
};

class BlockShapes {
public:
  /// The block must outlive this.
  BlockShapes(const workload::Block &block, const UnitSetting &setting);
  BlockShapes(std::shared_ptr<const BlockStructure> structure,
              const UnitSetting &setting);

  /// How the tensor axis may split an op; first of all not. Factors of the
  /// batch and the experts belong to other axes; a factor must be the outermost
  /// of its dimension wherever it occurs (batch and size-one factors aside),
  /// and have an element for every rank.
  std::vector<OpSplit> splits(workload::OpIndex op) const;
  /// Layouts in which a tensor may be kept, first of all whole; for
  /// activations. Parameters are kept as `parameterLayout` says.
  std::vector<TensorLayout> layouts(workload::TensorIndex tensor) const;
  /// What the tensor axis may split, as bits: settings in which it is the same
  /// have the same splits and layouts everywhere in the block.
  std::vector<uint32_t> splitPattern() const;
  /// The layout that all readers share, or whole.
  static TensorLayout parameterLayout(ReadingSet readings);
  /// The same of a parameter that may have to be whole
  /// (`workload::ParameterSplits`).
  TensorLayout parameterLayout(workload::TensorIndex parameter,
                               ReadingSet readings) const;

  Reading reading(workload::OpIndex op, OpSplit split, unsigned operand) const;
  TensorLayout resultLayout(workload::OpIndex op, OpSplit split,
                            unsigned result) const;

  /// Elements of a factor on one rank. Uneven shards count as the largest one.
  int64_t localSize(const workload::Factor &factor) const;
  int64_t localSize(const workload::Op &op, workload::FactorIndex factor,
                    OpSplit split) const;
  /// Of one rank's part for one micro-batch; a partial tensor is as large as a
  /// whole one. Saturates.
  int64_t elements(workload::TensorIndex tensor, TensorLayout layout) const;
  Bytes bytes(workload::TensorIndex tensor, TensorLayout layout) const;

  /// Something trained is upstream, and the numbers are differentiable.
  bool needsGradient(workload::TensorIndex tensor) const {
    return factsOf(tensor).needsGradient;
  }
  bool isInput(workload::TensorIndex tensor) const {
    return factsOf(tensor).isInput;
  }
  bool isOutput(workload::TensorIndex tensor) const {
    return factsOf(tensor).isOutput;
  }
  /// Operands that name the tensor.
  unsigned readerCount(workload::TensorIndex tensor) const {
    return factsOf(tensor).readers;
  }
  /// A dimension of it counts experts.
  bool hasExperts(workload::TensorIndex tensor) const {
    return factsOf(tensor).hasExperts;
  }

private:
  const BlockStructure::TensorFacts &
  factsOf(workload::TensorIndex tensor) const {
    return shared->tensors[tensor];
  }
  int64_t localSize(const BlockStructure::Dimension &dim) const;
  bool maySplit(const workload::Factor &factor) const;
  /// The dimensions by which a parameter may not be kept split, as bits.
  uint32_t wholeDims(workload::TensorIndex parameter) const;

  std::shared_ptr<const BlockStructure> shared;
  const workload::Block &block;
  /// As in `UnitSetting`.
  int64_t microBatch, tensorRanks, contextRanks, expertRanks;
  bool sequenceParallel, splitsFeatures;
  /// Of all tensors' dimensions on one rank before the tensor axis splits one
  /// of them; where each tensor's begin, and one past the last.
  std::vector<int64_t> sizes;
  std::vector<size_t> sizeBegins;
  /// Per tensor; saturated.
  std::vector<int64_t> wholeElements;
  /// Per tensor the dimensions in which it may be kept split, as bits.
  std::vector<uint32_t> splitDims;
};

} // namespace shardsmith

#endif // SHARDSMITH_COST_UNITS_BLOCKSHAPES_H

// SPDX-License-Identifier: Apache-2.0
//
// One block, whatever the setting: what the dimensions of its tensors count,
// and what the tensor axis could split if it had few enough ranks. Thousands of
// settings of a block share it (BlockShapes.h).

#ifndef SHARDSMITH_COST_UNITS_BLOCKSTRUCTURE_H
#define SHARDSMITH_COST_UNITS_BLOCKSTRUCTURE_H

#include "shardsmith/Strategy/Axes.h"
#include "shardsmith/Workload/ParameterSplits.h"
#include "shardsmith/Workload/Workload.h"

#include <vector>

namespace shardsmith {

/// Tensors with more dimensions are not split beyond this one.
inline constexpr unsigned maximalSplitDims = 29;

class BlockStructure {
public:
  /// The block must outlive this. `splits` says how its parameters may lie.
  explicit BlockStructure(const workload::Block &block,
                          const workload::BlockSplits &splits = {});

  /// Dimensions of a size that axes change in these ways, in this order.
  struct Dimension {
    int64_t size = 1;
    /// Batch: there is one for each sequence of the micro-batch; Sequence: the
    /// context axis splits it; Expert: the expert axis does.
    std::vector<workload::FactorRole> roles;
  };
  /// A factor, of some op, that leads this dimension; a dimension may be split
  /// if one of them may.
  struct Leader {
    unsigned dim;
    workload::Factor factor;
  };
  struct TensorFacts {
    bool needsGradient = false, isInput = false, isOutput = false;
    bool hasExperts = false;
    /// Between products: what comes into the block, and what element-wise ops
    /// make of it.
    bool isStream = false;
    /// A stream, or what an op reads that makes one: the sums of the last
    /// products of attention and of an MLP.
    bool isAtStream = false;
    unsigned readers = 0;
    std::vector<Dimension> dims;
    std::vector<Leader> leaders;
    /// By dimension, as in `workload::ParameterSplits`; empty if it may be kept
    /// split by any.
    std::vector<int64_t> keptBy;
  };

  /// What a factor of a product C(b,m,n) = sum over k of A(b,m,k) B(b,k,n)
  /// makes larger.
  enum class ProductSize { Batch, Rows, Columns, Depth };
  struct ProductFactor {
    ProductSize size;
    bool isInLhs;
  };

  const workload::Block &block;
  /// By tensor.
  std::vector<TensorFacts> tensors;
  /// By op: the factors that the tensor axis may split if the setting lets it.
  std::vector<std::vector<workload::FactorIndex>> splittable;
  /// By op: those of them that split no features of a tensor at a stream, but
  /// at most its positions.
  std::vector<std::vector<workload::FactorIndex>> keepingFeatures;
  /// By op: it is fused, and makes a stream.
  std::vector<bool> makesStream;
  /// By op: all that it sees of the batch and the sequence is how many
  /// positions there are. Halves of sequences are the same to it as half as
  /// many whole ones, if every rank has as many positions (`dealsOut`).
  std::vector<bool> countsPositions;

  /// By op: its factors, if it is a product.
  std::vector<std::vector<ProductFactor>> products;

  /// Whether sequences of all such ops can be dealt out over the ranks of a
  /// unit evenly, with nothing to pad.
  bool dealsOut(const UnitDegrees &unit) const;

private:
  void recordUse(const workload::Op &op, const workload::TensorUse &use);
  void addUnused(workload::TensorIndex tensor);
  void findGradients();
  void findStream();
  void findSplits();
  void findProducts();
  void findCounting();
  /// Whether the axis of that role changes a dimension.
  bool isCut(workload::TensorIndex tensor, workload::FactorRole role) const;

  /// Greatest common divisor of the lengths of sequences that ops count
  /// positions of.
  int64_t sequence = 0;
};

} // namespace shardsmith

#endif // SHARDSMITH_COST_UNITS_BLOCKSTRUCTURE_H

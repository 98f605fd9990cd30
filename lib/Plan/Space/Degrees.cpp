// SPDX-License-Identifier: Apache-2.0

#include "PoolSequences.h"
#include "Space.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace shardsmith::search {

using namespace workload;

namespace {

std::set<int64_t> divisorsOf(int64_t number) {
  std::set<int64_t> divisors;
  for (int64_t divisor = 1; divisor * divisor <= number; ++divisor)
    if (number % divisor == 0)
      divisors.insert({divisor, number / divisor});
  return divisors;
}

std::set<int64_t> upTo(int64_t most) {
  std::set<int64_t> numbers;
  for (int64_t number = 1; number <= most; ++number)
    numbers.insert(numbers.end(), number);
  return numbers;
}

std::set<int64_t> powersOfTwo(int64_t most) {
  std::set<int64_t> powers;
  for (int64_t power = 1; power <= most; power *= 2)
    powers.insert(power);
  return powers;
}

class Configurations {
public:
  Configurations(const CostContext &context,
                 const SearchConstraints &constraints)
      : workload(context.workload), constraints(constraints),
        devices(
            std::min(context.topology.deviceCount(), constraints.devices.most)),
        limits(workload) {
    regular = powersOfTwo(devices);
    auto addDivisors = [&](int64_t size) {
      regular.merge(divisorsOf(std::max<int64_t>(size, 1)));
    };
    addDivisors(devices);
    for (const Group &group : context.topology.cluster().groups) {
      addDivisors(group.node.deviceCount());
      addDivisors(group.deviceCount());
      for (int64_t island : group.node.islands)
        addDivisors(island);
    }
    for (const DevicePool &pool : context.topology.pools())
      addDivisors(pool.count());
  }

  std::vector<ParallelConfiguration> all() {
    if (!constraints.whyNotOf(workload.unitCount()).empty())
      return {};
    ParallelConfiguration degrees;
    for (int64_t tensor : inRange(shardDegrees(limits.most.tensor),
                                  constraints.tensor, limits.most.tensor)) {
      degrees.tensor = tensor;
      for (int64_t context :
           inRange(shardDegrees(limits.most.context), constraints.context,
                   limits.most.context)) {
        degrees.context = context;
        if (tensor <= devices / context)
          addPipelines(degrees);
      }
    }
    return std::move(found);
  }

private:
  /// Those of `degrees` that the user allows, and the one that is fixed.
  static std::set<int64_t> inRange(std::set<int64_t> degrees, DegreeRange range,
                                   int64_t most) {
    if (range.isFixed())
      degrees.insert(range.least);
    std::erase_if(degrees, [&](int64_t degree) {
      return !range.contains(degree) || degree > most || degree < 1;
    });
    return degrees;
  }

  std::set<int64_t> shardDegrees(int64_t most) const {
    return devices <= completeUpTo ? upTo(std::min(most, devices)) : regular;
  }

  std::set<int64_t> pipelineDegrees(int64_t most) const {
    if (auto stages = int64_t(constraints.stageSizes.size()))
      return divisorsOf(stages);
    if (devices <= completeUpTo)
      return upTo(most);
    std::set<int64_t> degrees = upTo(std::min<int64_t>(most, 16));
    degrees.merge(powersOfTwo(most));
    for (const Segment &segment : workload.segments)
      for (int64_t more = 0; more <= 2; ++more)
        degrees.merge(divisorsOf(segment.count + more));
    return degrees;
  }

  /// `context`: with how many ranks each data rank shares experts.
  std::set<int64_t> dataDegrees(int64_t most, int64_t context) const {
    if (devices <= completeUpTo)
      return upTo(most);
    std::set<int64_t> degrees = regular;
    degrees.erase(degrees.upper_bound(most), degrees.end());
    // All ranks there are, and as many as experts, or the batch, are spread
    // over evenly; of each the fewest that have no more sequences.
    std::set<int64_t> large = {most};
    for (int64_t expert : divisorsOf(std::max<int64_t>(limits.experts, 1)))
      large.insert(most - most % (expert / std::gcd(expert, context)));
    for (int64_t data = most; data > most / 2; --data)
      if (workload.globalBatch % data == 0) {
        large.insert(data);
        break;
      }
    large.erase(0);
    for (int64_t data : large) {
      int64_t sequences = ceilDivide(workload.globalBatch, data);
      degrees.insert({data, ceilDivide(workload.globalBatch, sequences)});
    }
    return degrees;
  }

  std::set<int64_t> microBatches(int64_t sequences) const {
    std::set<int64_t> sizes = {sequences};
    // Kernels of a larger micro-batch may be faster than those of a smaller one
    // that makes for as many.
    if (sequences <= everySizeUpTo)
      return upTo(sequences);
    if (sequences > completeUpTo) {
      sizes = divisorsOf(sequences);
      sizes.merge(powersOfTwo(sequences));
      return sizes;
    }
    for (int64_t count = 1; count <= sequences; ++count)
      sizes.insert(ceilDivide(sequences, count));
    return sizes;
  }

  void addPipelines(ParallelConfiguration degrees) {
    int64_t left = devices / degrees.unitRanks();
    int64_t units = workload.unitCount();
    for (int64_t pipeline :
         inRange(pipelineDegrees(std::min(left, units)), constraints.pipeline,
                 std::min(left, units))) {
      if (!constraints.mayHaveRanks(pipeline))
        continue;
      degrees.pipeline = pipeline;
      int64_t most = std::min(left / pipeline, workload.globalBatch);
      for (int64_t data : inRange(dataDegrees(most, degrees.context),
                                  constraints.data, most)) {
        degrees.data = data;
        if (constraints.devices.contains(degrees.ranks()))
          addExperts(degrees);
      }
    }
  }

  bool isEven(const ParallelConfiguration &degrees) const {
    return workload.globalBatch % (degrees.data * degrees.microBatch) == 0 &&
           limits.heads % degrees.tensor == 0;
  }

  void addExperts(ParallelConfiguration degrees) {
    int64_t replicas = degrees.replicas();
    int64_t shared = std::gcd(limits.experts, replicas);
    std::set<int64_t> experts =
        limits.experts == 0 ? std::set<int64_t>{1} : divisorsOf(shared);
    int64_t sequences = ceilDivide(workload.globalBatch, degrees.data);
    int64_t most = limits.experts == 0 ? 1 : replicas;
    std::set<int64_t> sizes;
    if (workload.microBatchObstacle.empty())
      sizes =
          inRange(microBatches(sequences), constraints.microBatch, sequences);
    else if (constraints.microBatch.contains(sequences))
      sizes = {sequences};
    for (int64_t expert : inRange(experts, constraints.expert, most)) {
      if (replicas % expert != 0)
        continue;
      degrees.expert = expert;
      for (int64_t microBatch : sizes) {
        degrees.microBatch = microBatch;
        if (!constraints.onlyEven || isEven(degrees))
          found.push_back(degrees);
      }
    }
  }

  const Workload &workload;
  const SearchConstraints &constraints;
  int64_t devices;
  ModelLimits limits;
  /// Sizes of the cluster's parts and their divisors, and powers of two.
  std::set<int64_t> regular;
  std::vector<ParallelConfiguration> found;
};

} // namespace

ModelLimits::ModelLimits(const Workload &workload) {
  most.data = workload.globalBatch;
  most.pipeline = workload.unitCount();
  for (const Block &block : workload.blocks)
    for (const Op &op : block.ops) {
      for (const Factor &factor : op.factors) {
        if (factor.role == FactorRole::Expert)
          experts = std::gcd(experts, factor.size);
        if (factor.role == FactorRole::Sequence)
          most.context = std::max(most.context, factor.size);
        if (factor.role != FactorRole::Batch &&
            factor.kind != FactorKind::Whole)
          most.tensor = std::max(most.tensor, factor.size);
      }
      if (op.attention)
        heads = std::gcd(heads, op.factors[op.attention->keyValueHeads].size);
    }
  // Some ops may see more positions than a sequence has, as those that compare
  // all labels of a sequence with all blanks between them.
  most.context = std::min(most.context, workload.sequenceLength);
}

ParallelConfiguration ParallelConfiguration::of(const Strategy &strategy) {
  ParallelConfiguration degrees;
  static_cast<PerDegree<int64_t> &>(degrees) = strategy;
  degrees.virtualStages = 1;
  degrees.microBatch = strategy.microBatch;
  return degrees;
}

Strategy ParallelConfiguration::strategy() const {
  Strategy strategy;
  static_cast<Degrees &>(strategy) = *this;
  strategy.microBatch = microBatch;
  if (kind)
    strategy.dataShares = evenShares(kind->ranksOnPools, kind->microBatches);
  return strategy;
}

std::vector<ParallelConfiguration>
parallelConfigurations(const CostContext &context,
                       const SearchConstraints &constraints) {
  return Configurations(context, constraints).all();
}

} // namespace shardsmith::search

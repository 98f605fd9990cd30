// SPDX-License-Identifier: Apache-2.0

#include "ClassSearch.h"
#include "StagePartition.h"

#include <algorithm>
#include <numeric>

namespace shardsmith::search {

namespace {

/// What any partition of the chain costs at least, whatever is recomputed.
class LayoutBound {
public:
  LayoutBound(const PartitionProblem &problem) : problem(problem) {}

  /// Nothing if no partition fits.
  std::optional<Nanoseconds> step() const;

private:
  /// The whole chain as the work of one rank on the pool where that is least.
  StageWork whole(unsigned pool) const;

  const PartitionProblem &problem;
};

StageWork LayoutBound::whole(unsigned pool) const {
  StageWork work;
  for (size_t segment = 0; segment < problem.chain.segments(); ++segment) {
    const UnitCosts &unit =
        problem.prices[pool][problem.chain.blockOf(segment)];
    work.append(unit, Recompute::None, problem.chain.count(segment));
  }
  return work;
}

/// `amount` ÷ ranks, rounded down.
template <typename Unit>
Quantity<Unit> mean(Quantity<Unit> amount, int64_t ranks) {
  return Quantity<Unit>(amount.count() / ranks);
}

} // namespace

std::vector<std::vector<unsigned>> poolSequences(const CostContext &context,
                                                 const Strategy &outer) {
  size_t pools = context.topology.pools().size();
  if (pools == 1)
    return {std::vector<unsigned>(size_t(outer.pipeline), 0)};
  AxisPaths paths(context.topology, outer);
  std::vector<unsigned> order(pools);
  std::iota(order.begin(), order.end(), 0);
  std::vector<std::vector<unsigned>> sequences;
  std::vector<unsigned> sequence;
  std::function<void(size_t)> extend = [&](size_t place) {
    int64_t left = outer.pipeline - int64_t(sequence.size());
    if (place == pools) {
      if (left == 0 &&
          std::ranges::find(sequences, sequence) == sequences.end())
        sequences.push_back(sequence);
      return;
    }
    int64_t room = std::min(left, paths.blocksOn(order[place]));
    for (int64_t count = 0; count <= room; ++count) {
      sequence.insert(sequence.end(), size_t(count), order[place]);
      extend(place + 1);
      sequence.resize(sequence.size() - size_t(count));
    }
  };
  do
    extend(0);
  while (std::ranges::next_permutation(order).found);
  return sequences;
}

std::optional<Nanoseconds> LayoutBound::step() const {
  int64_t ranks = problem.outer.pipeline;
  StepModel::Totals totals;
  totals.perMicroBatch = totals.idle = totals.tail = Nanoseconds::saturated();
  Nanoseconds largestUnit;
  bool fits = false;
  for (unsigned pool : problem.pools) {
    StageWork work = whole(pool);
    std::vector<UnitGroup> groups;
    Nanoseconds recompute;
    for (size_t segment = 0; segment < problem.chain.segments(); ++segment) {
      const UnitCosts &unit =
          problem.prices[pool][problem.chain.blockOf(segment)];
      groups.push_back({&unit, problem.chain.count(segment)});
      Nanoseconds least = Nanoseconds::saturated();
      for (size_t choice = 0; choice < recomputeChoices; ++choice)
        if (problem.allowed[choice])
          least = std::min(least, unit.recompute[choice]);
      recompute += least * groups.back().count;
      largestUnit = std::max(
          largestUnit, unit.forward + least + unit.backward(Recompute::None) +
                           unit.forwardCommunication.total());
    }

    // Some rank holds at least the mean of everything.
    StageWork each;
    each.denseParameters = work.denseParameters / ranks;
    each.expertParameters = work.expertParameters / ranks;
    each.saved = mean(leastSaved(groups, problem.allowed), ranks);
    StageEstimate memory = problem.model.memory(ranks - 1, pool, each);
    fits |= memory.memory.total() <= memory.memoryLimit;

    work.recompute = recompute;
    Nanoseconds time = work.forward + work.backwardInput + work.backwardWeight +
                       recompute + work.forwardCommunication.total() +
                       work.backwardCommunication.total();
    totals.perMicroBatch = std::min(
        totals.perMicroBatch, Nanoseconds(ceilDivide(time.count(), ranks)));
    totals.idle = std::min(totals.idle, problem.model.idle(work));
    StageWork dense, expert;
    dense.denseParameters = each.denseParameters;
    expert.expertParameters = each.expertParameters;
    totals.tail = std::min(
        totals.tail, std::max(problem.model.times(pool, dense, {}).tail(),
                              problem.model.times(pool, expert, {}).tail()));
  }
  if (!fits)
    return std::nullopt;
  if (problem.pools.front() == problem.pools.back())
    totals.perMicroBatch = std::max(totals.perMicroBatch, largestUnit);
  return problem.model.step(totals);
}

/// One class; candidates are visited in a fixed order, and the first of equally
/// good ones wins.
class ClassSearch::Run {
public:
  Run(ClassSearch &search, const DegreeClass &degrees, Nanoseconds atMost)
      : search(search), degrees(degrees), limit(atMost) {}

  ClassResult take() {
    const CostContext &context = search.context;
    for (const std::vector<PlanAxis> &order :
         deviceOrders(context.topology, degrees, search.constraints)) {
      Strategy outer = degrees.strategy();
      outer.deviceOrder = order;
      for (ContextMethod method :
           {ContextMethod::Ring, ContextMethod::AllToAll}) {
        bool isOnly = degrees.context == 1;
        if (isOnly ? method == ContextMethod::AllToAll
                   : !search.constraints.contextMethods[size_t(method)])
          continue;
        outer.contextMethod = method;
        visitLayouts(outer);
      }
    }
    return std::move(result);
  }

private:
  void visitLayouts(const Strategy &outer) {
    for (const ChainLayout &layout : search.layouts.of(outer)) {
      visitRows(outer, layout);
      if (result.isPartial)
        return;
    }
  }

  void visitRows(Strategy outer, const ChainLayout &layout) {
    const CostContext &context = search.context;
    AxisPaths paths(context.topology, outer);
    GroupPath replicas = paths.replicas(1, degrees.data * degrees.context, 0);
    for (const ScheduleRow &row :
         scheduleRows(context.workload, degrees, search.constraints)) {
      outer.schedule = row.family;
      outer.virtualStages = row.virtualStages;
      for (const ZeroRow &zero :
           zeroRows(degrees, replicas, search.constraints)) {
        outer.zeroStage = zero.stage;
        outer.zeroGroup = zero.group;
        visit(outer, layout);
        if (result.isPartial)
          return;
      }
    }
  }

  void visit(const Strategy &outer, const ChainLayout &layout) {
    if (search.mustStop()) {
      result.isPartial = true;
      return;
    }
    StepModel model(search.context, outer);
    for (const std::vector<unsigned> &pools :
         poolSequences(search.context, outer)) {
      ++result.counts.candidates;
      PartitionProblem problem{model,
                               outer,
                               search.units,
                               layout.prices,
                               search.constraints.recompute,
                               pools};
      std::optional<Nanoseconds> bound = LayoutBound(problem).step();
      if (!bound) {
        ++result.counts.candidatesTooLarge;
        continue;
      }
      if (!isBetter(*bound)) {
        ++result.counts.candidatesBoundedOut;
        continue;
      }
      ++result.counts.partitions;
      std::optional<Partition> partition = bestPartition(problem, limit);
      if (!partition || !isBetter(partition->step))
        continue;
      result.best = Candidate{outer, partition->step};
      result.best->strategy.stages = std::move(partition->stages);
      result.best->strategy.layouts = layout.layouts;
      limit = partition->step;
    }
  }

  bool isBetter(Nanoseconds step) const {
    return result.best ? step < result.best->step : step <= limit;
  }

  ClassSearch &search;
  DegreeClass degrees;
  Nanoseconds limit;
  ClassResult result;
};

ClassSearch::ClassSearch(const CostContext &context,
                         const SearchConstraints &constraints,
                         ChainLayouts &layouts, std::function<bool()> mustStop)
    : context(context), constraints(constraints), layouts(layouts),
      mustStop(std::move(mustStop)), units(context.workload) {}

ClassResult ClassSearch::run(const DegreeClass &degrees, Nanoseconds atMost) {
  return Run(*this, degrees, atMost).take();
}

Nanoseconds ClassSearch::bound(const DegreeClass &degrees) {
  const std::vector<Nanoseconds> &floors = layouts.kernelFloors(
      degrees.tensor, degrees.context, degrees.expert, degrees.microBatch);
  Nanoseconds sum, largest;
  for (size_t segment = 0; segment < units.segments(); ++segment) {
    Nanoseconds unit = floors[units.blockOf(segment)];
    sum += unit * units.count(segment);
    largest = std::max(largest, unit);
  }
  if (sum.isSaturated())
    return sum;
  Nanoseconds even(ceilDivide(sum.count(), degrees.pipeline));
  int64_t batches =
      degrees.strategy().microBatchCount(context.workload.globalBatch);
  return stepOfWork(context, degrees.ranks(),
                    std::max(even, largest) * batches);
}

} // namespace shardsmith::search

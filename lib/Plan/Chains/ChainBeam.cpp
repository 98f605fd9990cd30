// SPDX-License-Identifier: Apache-2.0

#include "ChainBeam.h"

#include "shardsmith/Support/StableSort.h"

#include <algorithm>
#include <map>
#include <set>

namespace shardsmith::search {

using namespace workload;

namespace {

/// The width of the beam, and the number of complete layouts that are kept per
/// weighting.
constexpr size_t beamWidth = 256, keptOfEach = 4;

} // namespace

ChainBeam::ChainBeam(const Workload &workload, const Chain &chain,
                     const PricedTables &tables)
    : workload(workload), chain(chain), tables(tables), inputs(tables.size()),
      outputs(tables.size()), lastSegment(tables.size(), 0) {
  std::map<std::vector<TensorLayout>, size_t> numbers;
  auto numberOf = [&](const std::vector<TensorLayout> &border) {
    return numbers.try_emplace(border, numbers.size()).first->second;
  };
  for (size_t block = 0; block < tables.size(); ++block)
    for (const BlockEntry &entry : tables[block]->entries) {
      inputs[block].push_back(numberOf(entry.inputs));
      outputs[block].push_back(numberOf(entry.outputs));
    }
  for (size_t segment = 0; segment < workload.segments.size(); ++segment)
    lastSegment[workload.segments[segment].block] = segment;
}

double ChainBeam::combinations() const {
  // The key is what the prefix hands on; the empty prefix hands on nothing.
  std::map<size_t, double> before;
  for (size_t segment = 0; segment < workload.segments.size(); ++segment) {
    size_t block = workload.segments[segment].block;
    std::map<size_t, double> after;
    for (size_t entry = 0; entry < inputs[block].size(); ++entry) {
      auto found = before.find(inputs[block][entry]);
      if (segment == 0)
        after[outputs[block][entry]] += 1;
      else if (found != before.end())
        after[outputs[block][entry]] += found->second;
    }
    before = std::move(after);
  }
  double sum = 0;
  for (const auto &[border, count] : before)
    sum += count;
  return sum;
}

ChainBeam::Amounts ChainBeam::amountsOf(size_t block, size_t entry) const {
  auto units = double(chain.unitsOfBlocks()[block]);
  Amounts sums = {};
  const std::vector<UnitCosts> &onPools = tables[block]->costs[entry];
  for (const UnitCosts &costs : onPools)
    sums[0] += units * double(costs.time(Recompute::None).count());
  const UnitCosts &costs = onPools.front();
  sums[1] = units * double(costs.saved[size_t(Recompute::None)].count());
  sums[2] = units * double(costs.saved[size_t(Recompute::Full)].count());
  StageWork held;
  held.append(costs, Recompute::None, chain.unitsOfBlocks()[block]);
  sums[3] = double(held.denseParameters) + double(held.expertParameters);
  return sums;
}

/// The best prefixes. Of prefixes that leave the same to later segments only
/// the best is kept.
std::vector<ChainBeam::Beam> ChainBeam::bestOf(std::vector<Beam> beams,
                                               size_t segment) const {
  stableSortBy(beams, &Beam::cost);
  size_t block = workload.segments[segment].block;
  std::set<std::vector<size_t>> left;
  std::vector<Beam> best;
  for (Beam &beam : beams) {
    std::vector<size_t> leaves = {outputs[block][beam.entries[block]]};
    for (size_t other = 0; other < tables.size(); ++other)
      if (lastSegment[other] > segment)
        leaves.push_back(beam.entries[other]);
    if (segment + 1 < workload.segments.size() &&
        !left.insert(std::move(leaves)).second)
      continue;
    best.push_back(std::move(beam));
    if (best.size() == beamWidth)
      break;
  }
  return best;
}

std::vector<ChainBeam::Beam> ChainBeam::run(const Amounts &weights) const {
  std::vector<std::vector<double>> costs(tables.size());
  for (size_t block = 0; block < tables.size(); ++block)
    for (size_t entry = 0; entry < inputs[block].size(); ++entry) {
      double &cost = costs[block].emplace_back(0);
      Amounts own = amountsOf(block, entry);
      for (size_t i = 0; i < amounts; ++i)
        cost += weights[i] * own[i];
    }
  std::vector<Beam> beams = {{0, std::vector<size_t>(tables.size(), open)}};
  for (size_t segment = 0; segment < workload.segments.size(); ++segment) {
    size_t block = workload.segments[segment].block;
    std::vector<Beam> next;
    for (const Beam &beam : beams) {
      auto agrees = [&](size_t entry) {
        if (segment == 0)
          return true;
        size_t before = workload.segments[segment - 1].block;
        return outputs[before][beam.entries[before]] == inputs[block][entry];
      };
      if (size_t entry = beam.entries[block]; entry != open) {
        if (agrees(entry))
          next.push_back(beam);
        continue;
      }
      for (size_t entry = 0; entry < inputs[block].size(); ++entry)
        if (agrees(entry)) {
          Beam &more = next.emplace_back(beam);
          more.cost += costs[block][entry];
          more.entries[block] = entry;
        }
    }
    beams = bestOf(std::move(next), segment);
  }
  return beams;
}

std::vector<std::vector<size_t>> ChainBeam::run() const {
  // Each amount counts as a share of the largest such amount of the entries.
  Amounts largest = {};
  for (size_t block = 0; block < tables.size(); ++block) {
    Amounts most = {};
    for (size_t entry = 0; entry < inputs[block].size(); ++entry) {
      Amounts own = amountsOf(block, entry);
      for (size_t i = 0; i < amounts; ++i)
        most[i] = std::max(most[i], own[i]);
    }
    for (size_t i = 0; i < amounts; ++i)
      largest[i] += most[i];
  }
  constexpr double little = 1e-3, some = 0.2;
  constexpr Amounts weightings[] = {{1, little, little, little},
                                    {little, 1, little, little},
                                    {little, little, 1, little},
                                    {little, little, little, 1},
                                    {1, 1, some, 1},
                                    {1, some, little, some}};
  std::vector<std::vector<size_t>> found;
  for (Amounts weights : weightings) {
    for (size_t i = 0; i < amounts; ++i)
      weights[i] /= std::max(1.0, largest[i]);
    std::vector<Beam> beams = run(weights);
    beams.resize(std::min(beams.size(), keptOfEach));
    for (Beam &beam : beams)
      if (!std::ranges::count(found, beam.entries))
        found.push_back(std::move(beam.entries));
  }
  return found;
}

} // namespace shardsmith::search

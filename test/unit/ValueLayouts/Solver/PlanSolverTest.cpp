// SPDX-License-Identifier: Apache-2.0
//
// The solver against enumeration of every assignment.

#include "shardsmith/ValueLayouts/Solver/PlanProblem.h"

#include <gtest/gtest.h>

#include <random>

using namespace shardsmith;

namespace {

struct Shape {
  unsigned nodes;
  unsigned strategies;
  double density;
  double forbidden;
};

class Generator {
public:
  explicit Generator(unsigned seed) : random(seed) {}

  int64_t upTo(int64_t most) {
    return std::uniform_int_distribution<int64_t>(0, most)(random);
  }
  bool chance(double probability) {
    return std::bernoulli_distribution(probability)(random);
  }

  PlanProblem problem(const Shape &shape) {
    PlanProblem result;
    for (unsigned i = 0; i < shape.nodes; ++i) {
      PlanNode &node = result.nodes.emplace_back();
      unsigned count = 1 + upTo(shape.strategies - 1);
      for (unsigned s = 0; s < count; ++s)
        node.costs.push_back(chance(shape.forbidden / 2) ? forbiddenCost
                                                         : upTo(100));
      for (int64_t piece = upTo(2); piece > 0; --piece) {
        auto bytes = std::make_shared<std::vector<int64_t>>();
        for (unsigned s = 0; s < count; ++s)
          bytes->push_back(upTo(20));
        int64_t begin = upTo(6);
        node.memory.push_back({begin, begin + upTo(4), bytes});
      }
    }
    for (NodeIndex a = 0; a < shape.nodes; ++a)
      for (NodeIndex b = 0; b < shape.nodes; ++b)
        if (a != b && chance(shape.density))
          result.edges.push_back({a, b, table(result, a, b, shape)});
    return result;
  }

private:
  std::shared_ptr<const CostTable> table(const PlanProblem &problem,
                                         NodeIndex a, NodeIndex b,
                                         const Shape &shape) {
    auto result = std::make_shared<CostTable>();
    result->rows = problem.nodes[a].costs.size();
    result->columns = problem.nodes[b].costs.size();
    for (unsigned i = 0; i < result->rows * result->columns; ++i)
      result->entries.push_back(chance(shape.forbidden) ? forbiddenCost
                                                        : upTo(100));
    return result;
  }

  std::mt19937 random;
};

/// The cheapest cost of all assignments that fit.
int64_t enumerate(const PlanProblem &problem) {
  std::vector<StrategyIndex> choice(problem.nodes.size(), 0);
  int64_t best = forbiddenCost;
  while (true) {
    int64_t cost = problem.cost(choice);
    if (cost < best && (!problem.memoryLimit ||
                        problem.peakBytes(choice) <= *problem.memoryLimit))
      best = cost;
    size_t i = 0;
    while (i < choice.size() && ++choice[i] == problem.nodes[i].costs.size())
      choice[i++] = 0;
    if (i == choice.size())
      return best;
  }
}

void expectEqualToEnumeration(const PlanProblem &problem,
                              const SolverOptions &options = {}) {
  ASSERT_EQ(problem.verify(), "");
  int64_t expected = enumerate(problem);
  PlanSolution solution = solve(problem, options);
  if (expected >= forbiddenCost) {
    EXPECT_EQ(solution.proof, SolutionKind::Infeasible);
    return;
  }
  ASSERT_EQ(solution.proof, SolutionKind::Exact);
  EXPECT_EQ(solution.cost, expected);
  EXPECT_EQ(solution.lowerBound, expected);
  EXPECT_EQ(problem.cost(solution.choice), expected);
  if (problem.memoryLimit) {
    EXPECT_LE(problem.peakBytes(solution.choice), *problem.memoryLimit);
  }
}

constexpr Shape shapes[] = {
    {1, 3, 0, 0},   {4, 4, 0.2, 0},   {6, 4, 0.3, 0.1}, {7, 3, 0.5, 0.3},
    {8, 3, 0.2, 0}, {6, 4, 0.5, 0.5}, {5, 5, 0.9, 0.1},
};

TEST(PlanSolver, EqualsEnumerationWithoutLimit) {
  for (unsigned seed = 0; seed < 1400; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Generator generator(seed);
    expectEqualToEnumeration(
        generator.problem(shapes[seed % std::size(shapes)]));
    if (HasFailure())
      return;
  }
}

TEST(PlanSolver, EqualsEnumerationWithLimit) {
  for (unsigned seed = 0; seed < 1400; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Generator generator(seed);
    PlanProblem problem = generator.problem(shapes[seed % std::size(shapes)]);
    problem.memoryLimit = generator.upTo(90);
    expectEqualToEnumeration(problem);
    if (HasFailure())
      return;
  }
}

TEST(PlanSolver, EqualsEnumerationThroughTheBoundAlone) {
  // No table may be built: only the dual bound, its reductions and branching.
  SolverOptions options;
  options.maximalWork = 0;
  for (unsigned seed = 0; seed < 1400; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Generator generator(seed);
    expectEqualToEnumeration(
        generator.problem(shapes[seed % std::size(shapes)]), options);
    if (HasFailure())
      return;
  }
}

TEST(PlanSolver, IncumbentDoesNotChangeTheAnswer) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Generator generator(seed);
    PlanProblem problem = generator.problem({7, 3, 0.4, 0.1});
    SolverOptions options;
    for (const PlanNode &node : problem.nodes)
      options.incumbent.push_back(generator.upTo(node.costs.size() - 1));
    expectEqualToEnumeration(problem, options);
    if (HasFailure())
      return;
  }
}

TEST(PlanSolver, CostLimitIsALowerBoundWhenNothingIsCheaper) {
  Generator generator(7);
  PlanProblem problem = generator.problem({6, 3, 0.4, 0});
  SolverOptions options;
  options.costLimit = enumerate(problem);
  PlanSolution solution = solve(problem, options);
  EXPECT_EQ(solution.proof, SolutionKind::Infeasible);
  EXPECT_EQ(solution.lowerBound, options.costLimit);
}

TEST(PlanSolver, BoundIsTrueWhenTimeIsUp) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Generator generator(seed);
    PlanProblem problem = generator.problem({8, 3, 0.8, 0.05});
    SolverOptions options;
    options.timeLimitSeconds = 0;
    options.maximalWork = 0;
    PlanSolution solution = solve(problem, options);
    int64_t expected = enumerate(problem);
    EXPECT_LE(solution.lowerBound, expected);
    if (solution.hasChoice()) {
      EXPECT_GE(solution.cost, expected);
    }
  }
}

TEST(PlanSolver, SolvesALongLadder) {
  // 2 x 2000 nodes in a ladder: far too many to enumerate, width two.
  Generator generator(3);
  PlanProblem problem;
  auto table = std::make_shared<CostTable>();
  table->rows = table->columns = 4;
  for (int i = 0; i < 16; ++i)
    table->entries.push_back(generator.upTo(50));
  for (NodeIndex i = 0; i < 4000; ++i) {
    problem.nodes.emplace_back();
    for (int s = 0; s < 4; ++s)
      problem.nodes.back().costs.push_back(generator.upTo(50));
    if (i >= 2)
      problem.edges.push_back({i - 2, i, table});
    if (i % 2)
      problem.edges.push_back({i - 1, i, table});
  }
  PlanSolution solution = solve(problem);
  EXPECT_EQ(solution.proof, SolutionKind::Exact);
  EXPECT_EQ(problem.cost(solution.choice), solution.cost);
}

TEST(PlanSolver, NamesBrokenProblems) {
  PlanProblem problem;
  problem.nodes.resize(2);
  EXPECT_EQ(problem.verify(), "node 0 has no strategy");
  problem.nodes[0].costs = {1, 2};
  problem.nodes[1].costs = {-1};
  EXPECT_EQ(problem.verify(), "node 1 has a negative cost");
  problem.nodes[1].costs = {1};
  problem.edges.push_back({0, 0, nullptr});
  EXPECT_EQ(problem.verify(), "edge 0 connects a node with itself");
  problem.edges[0].second = 1;
  EXPECT_EQ(problem.verify(), "edge 0 has a table of another size");
}

TEST(PlanProblem, PeakCountsHalfOpenIntervals) {
  auto bytes = [](int64_t count) {
    return std::make_shared<const std::vector<int64_t>>(1, count);
  };
  PlanProblem problem;
  problem.nodes.push_back({{0}, {{0, 2, bytes(5)}}});
  problem.nodes.push_back({{0}, {{2, 3, bytes(7)}}});
  problem.nodes.push_back({{0}, {{1, 1, bytes(100)}}});
  EXPECT_EQ(problem.peakBytes({0, 0, 0}), 7);
}

} // namespace

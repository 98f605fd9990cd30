// SPDX-License-Identifier: Apache-2.0
//
// The whole way from IR to a plan, on random small train steps, against an
// enumeration that takes the strategies straight from the factor rules and
// knows nothing of tables, ties or reductions.

#include "../../../../lib/ValueLayouts/Complete/Meshes.h"
#include "../../../../lib/ValueLayouts/Complete/StepProblem.h"
#include "../../SharedContext.h"
#include "shardsmith/Cluster/ClusterReader.h"
#include "shardsmith/ValueLayouts/Complete/SearchPlan.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <set>

using namespace mlir;
using namespace shardsmith;

namespace {

/// Writes random train steps of a few ops.
class StepWriter {
public:
  explicit StepWriter(unsigned seed) : random(seed) {}

  std::string write(unsigned ops) {
    std::vector<int64_t> sizes = {pick({2, 3, 4}), pick({4, 5, 6}),
                                  pick({4, 8})};
    addArgument("w", "param", {sizes[1], sizes[2]});
    addArgument("x", "batch", {sizes[0] * 2, sizes[1]});
    if (chance(0.5))
      addArgument("v", "param", {sizes[2]});
    for (unsigned i = 0; i < ops; ++i)
      addOp();
    // The newest value of each parameter's shape replaces it.
    std::string results, types, returned;
    auto append = [](std::string &list, const std::string &item) {
      list += (list.empty() ? "" : ", ") + item;
    };
    for (const auto &[name, index] : parameters) {
      size_t best = index;
      for (size_t i = 0; i < values.size(); ++i)
        if (values[i].shape == values[index].shape)
          best = i;
      append(results, typeOf(values[index].shape) +
                          " {smith.role = \"param\", smith.name = \"" + name +
                          "\"}");
      append(types, typeOf(values[index].shape));
      append(returned, values[best].name);
    }
    append(results, typeOf(values.back().shape) + " {smith.role = \"output\"}");
    append(types, typeOf(values.back().shape));
    append(returned, values.back().name);
    return "func.func @main(" + arguments + ") -> (" + results + ") {\n" +
           "  %zero = stablehlo.constant dense<0.0> : tensor<f32>\n" + body +
           "  return " + returned + " : " + types + "\n}\n";
  }

private:
  struct Value {
    std::string name;
    std::vector<int64_t> shape;
  };

  int64_t pick(std::vector<int64_t> list) {
    return list[std::uniform_int_distribution<size_t>(0,
                                                      list.size() - 1)(random)];
  }
  bool chance(double probability) {
    return std::bernoulli_distribution(probability)(random);
  }

  static std::string typeOf(const std::vector<int64_t> &shape) {
    std::string text = "tensor<";
    for (int64_t size : shape)
      text += std::to_string(size) + "x";
    return text + "f32>";
  }

  void addArgument(const std::string &name, const std::string &role,
                   std::vector<int64_t> shape) {
    arguments += (arguments.empty() ? "" : ", ") + ("%" + name) + ": " +
                 typeOf(shape) + " {smith.role = \"" + role +
                 "\", smith.name = \"" + name + "\"}";
    if (role == "param")
      parameters.emplace_back(name, values.size());
    values.push_back({"%" + name, std::move(shape)});
  }

  void add(std::vector<int64_t> shape, const std::string &text) {
    std::string name = "%" + std::to_string(next++);
    body += "  " + name + " = " + text + "\n";
    values.push_back({name, std::move(shape)});
  }

  void addOp() {
    for (int attempt = 0; attempt < 20; ++attempt) {
      // Recent values are used more, so that graphs are deep.
      size_t a =
          values.size() - 1 -
          std::min<size_t>(std::geometric_distribution<size_t>(0.4)(random),
                           values.size() - 1);
      size_t b = pick({int64_t(a), 0, int64_t(values.size()) - 1});
      if (addOpOn(values[a], values[b]))
        return;
    }
  }

  bool addOpOn(Value a, Value b) {
    std::string type = typeOf(a.shape);
    switch (pick({0, 1, 2, 3, 4, 5, 6})) {
    case 0:
      add(a.shape, "stablehlo.exponential " + a.name + " : " + type);
      return true;
    case 1:
      if (a.shape != b.shape)
        return false;
      add(a.shape, "stablehlo.add " + a.name + ", " + b.name + " : " + type);
      return true;
    case 2:
      if (a.shape != b.shape)
        return false;
      add(a.shape,
          "stablehlo.multiply " + a.name + ", " + b.name + " : " + type);
      return true;
    case 3: {
      if (a.shape.size() != 2)
        return false;
      std::vector<int64_t> shape = {a.shape[1], a.shape[0]};
      add(shape, "stablehlo.transpose " + a.name + ", dims = [1, 0] : (" +
                     type + ") -> " + typeOf(shape));
      return true;
    }
    case 4: {
      if (a.shape.size() != 2)
        return false;
      int64_t dim = pick({0, 1});
      std::vector<int64_t> shape = {a.shape[1 - dim]};
      add(shape, "stablehlo.reduce(" + a.name +
                     " init: %zero) applies stablehlo.add across dimensions = "
                     "[" +
                     std::to_string(dim) + "] : (" + type +
                     ", tensor<f32>) -> " + typeOf(shape));
      return true;
    }
    case 5:
      add(a.shape, "stablehlo.constant dense<2.0> : " + type);
      add(a.shape,
          "stablehlo.add " + a.name + ", " + values.back().name + " : " + type);
      return true;
    default: {
      if (a.shape.size() != 2 || b.shape.size() != 2)
        return false;
      for (int64_t left : {1, 0}) {
        for (int64_t right : {0, 1}) {
          if (a.shape[left] != b.shape[right])
            continue;
          std::vector<int64_t> shape = {a.shape[1 - left], b.shape[1 - right]};
          add(shape, "stablehlo.dot_general " + a.name + ", " + b.name +
                         ", contracting_dims = [" + std::to_string(left) +
                         "] x [" + std::to_string(right) + "] : (" + type +
                         ", " + typeOf(b.shape) + ") -> " + typeOf(shape));
          return true;
        }
      }
      return false;
    }
    }
  }

  std::mt19937 random;
  std::string arguments, body;
  std::vector<Value> values;
  std::vector<std::pair<std::string, size_t>> parameters;
  unsigned next = 0;
};

/// A cluster whose ratio of compute to communication varies with the seed.
Cluster makeCluster(int64_t devices, unsigned seed) {
  std::mt19937 random(seed);
  auto magnitude = [&](double low, double high) {
    std::uniform_real_distribution<double> distribution(std::log(low),
                                                        std::log(high));
    return std::to_string(std::exp(distribution(random)));
  };
  std::string text =
      R"({"version": 1, "device_types": {"d": {"kind": "cpu",
          "memory_gib": 1, "kernel_launch_us": 0,
          "memory_bandwidth_gb_per_s": )" +
      magnitude(0.001, 0.1) + R"(, "peak_tflops": {"f32": )" +
      magnitude(1e-6, 1e-4) + R"(}}}, "link_types": {"l": {"latency_us": )" +
      magnitude(0.001, 2) + R"(, "bandwidth_gb_per_s": )" +
      magnitude(0.001, 1) +
      R"(}}, "groups": [{"name": "g", "node": {"devices": [{"type": "d",
          "count": )" +
      std::to_string(devices) + R"(}], "fabric": {"link": "l"}}}]})";
  ClusterResult result = readCluster(text);
  EXPECT_TRUE(result.cluster) << result.errorText();
  return *result.cluster;
}

/// The cheapest cost of a step on one mesh, by trying every combination of
/// choices of all nodes.
class Enumeration {
public:
  Enumeration(const plan::StepGraph &graph, const MeshTimes &costs)
      : graph(graph), costs(costs), mesh(costs.getMesh()) {
    for (unsigned node = 0; node < graph.nodes.size(); ++node)
      choices.push_back(graph.isArgument(node) ? argumentChoices(node)
                                               : opChoices(node));
    for (size_t id = 0; id < layouts.size(); ++id)
      whole.push_back(numberOf(Layout(layouts[id]).withoutPartial()));
    for (unsigned id = 0; id < graph.values.size(); ++id) {
      shared.push_back(hubLayouts(id));
      prices.emplace_back(layouts.size() * layouts.size(), -1);
    }
  }

  int64_t cheapest() {
    chosen.assign(graph.nodes.size(), nullptr);
    best = forbiddenCost;
    choose(0);
    return best;
  }

  double combinations() const {
    double product = 1;
    for (const auto &list : choices)
      product *= double(list.size());
    return product;
  }

private:
  /// Layouts are those of `layouts`, by their number.
  struct Choice {
    std::vector<size_t> operands, results;
    int64_t compute = 0;
  };

  size_t numberOf(const Layout &layout) {
    auto found = std::ranges::find(layouts, layout);
    if (found == layouts.end())
      found = layouts.insert(found, layout);
    return found - layouts.begin();
  }

  bool fills(int64_t size, int64_t shards) const {
    return (shards - 1) * ceilDivide(size, shards) < size;
  }

  std::vector<Choice> argumentChoices(unsigned node) {
    RankedTensorType type = graph.values[graph.nodes[node].results[0]].type;
    bool isBatch = graph.arguments[node].role == "batch";
    std::vector<Choice> list;
    std::vector<int64_t> where(mesh.getAxisCount(), -1);
    std::function<void(unsigned)> place = [&](unsigned axis) {
      if (axis == mesh.getAxisCount()) {
        Layout layout = Layout::replicated(type.getRank());
        for (unsigned a = 0; a < where.size(); ++a)
          if (where[a] >= 0)
            layout.dims[where[a]].push_back(a);
        for (auto [size, axes] :
             llvm::zip_equal(type.getShape(), layout.dims)) {
          int64_t shards = mesh.countShards(axes);
          if (!fills(size, shards) || (isBatch && size % shards))
            return;
        }
        list.push_back({{}, {numberOf(layout)}, 0});
        return;
      }
      for (where[axis] = -1; where[axis] < type.getRank(); ++where[axis])
        place(axis + 1);
    };
    place(0);
    return list;
  }

  std::vector<Choice> opChoices(unsigned node) {
    const plan::StepNode &content = graph.nodes[node];
    const FactorRule &rule = *content.rule;
    if (graph.values[content.results[0]].isFree)
      return {{{},
               {numberOf(Layout::replicated(
                   graph.values[content.results[0]].type.getRank()))},
               0}};
    int64_t factors = rule.factors.size(), sets = rule.linearOperandSets.size();
    std::vector<Choice> list;
    std::vector<int64_t> where(mesh.getAxisCount(), -1);
    std::function<void(unsigned)> place = [&](unsigned axis) {
      if (axis < mesh.getAxisCount()) {
        for (where[axis] = -1; where[axis] < factors + sets; ++where[axis])
          place(axis + 1);
        return;
      }
      FactorAxes axes = FactorAxes::none(rule);
      int64_t set = -1;
      for (unsigned a = 0; a < where.size(); ++a) {
        if (where[a] < 0)
          continue;
        if (where[a] < factors) {
          axes.factors[where[a]].push_back(a);
          continue;
        }
        if (set >= 0 && set != where[a] - factors)
          return;
        set = where[a] - factors;
        axes.linearSet = set;
        axes.partial.push_back(a);
      }
      if (!verifyFactorAxes(mesh, rule, axes).empty())
        return;
      for (auto [factor, split] : llvm::zip_equal(rule.factors, axes.factors))
        if (!fills(factor.size, mesh.countShards(split)))
          return;
      Choice choice;
      plan::LayoutPool pool;
      plan::Strategy strategy;
      for (unsigned i = 0; i < rule.operands.size(); ++i) {
        Layout layout = getOperandLayout(mesh, rule, axes, i);
        choice.operands.push_back(numberOf(layout));
        strategy.operands.push_back(pool.add(layout));
      }
      for (unsigned i = 0; i < rule.results.size(); ++i) {
        Layout layout = getResultLayout(mesh, rule, axes, i);
        choice.results.push_back(numberOf(layout));
        strategy.results.push_back(pool.add(layout));
      }
      choice.compute =
          plan::getComputeTime(graph, content, strategy, pool, costs).count();
      list.push_back(std::move(choice));
    };
    place(0);
    return list;
  }

  int64_t reshard(unsigned id, size_t from, size_t to) {
    if (from == to)
      return 0;
    int64_t &price = prices[id][from * layouts.size() + to];
    if (price < 0) {
      RankedTensorType type = graph.values[id].type;
      price = costs
                  .reshard(decomposeReshard(mesh, type.getShape(), 4,
                                            layouts[from], layouts[to]),
                           4)
                  .count();
    }
    return price;
  }

  /// What moving a value from its producer to all its readers costs: directly
  /// if there is one, else by way of the best common layout. All uses are near
  /// each other in steps as small as these.
  int64_t traffic(unsigned id) {
    const plan::StepValue &value = graph.values[id];
    size_t from = chosen[value.node]->results[value.result];
    SmallVector<size_t> targets;
    for (const plan::StepUse &use : value.uses)
      targets.push_back(chosen[use.node]->operands[use.operand]);
    if (value.isFree) {
      int64_t total = 0;
      for (size_t target : targets)
        total += reshard(id, whole[target], target);
      return total;
    }
    size_t readers = targets.size();
    bool isOutput = false;
    for (unsigned returned : value.returnedAs) {
      int64_t argument = graph.replaced[returned];
      // An argument that is returned is not partial, so it stays as it is or
      // replaces itself.
      if (graph.isArgument(value.node))
        continue;
      ++readers;
      if (argument >= 0)
        targets.push_back(chosen[argument]->results[0]);
      else
        isOutput = true;
    }
    auto handOut = [&](size_t layout) {
      int64_t total = 0;
      for (size_t target : targets)
        total += reshard(id, layout, target);
      if (isOutput)
        total += reshard(id, layout, whole[layout]);
      return total;
    };
    if (readers <= 1 || value.type.getRank() == 0)
      return handOut(from);
    int64_t cheapest = forbiddenCost;
    for (size_t hub : shared[id])
      cheapest = std::min(cheapest, reshard(id, from, hub) + handOut(hub));
    return cheapest;
  }

  std::set<size_t> hubLayouts(unsigned id) const {
    const plan::StepValue &value = graph.values[id];
    std::set<size_t> list;
    for (const Choice &choice : choices[value.node])
      list.insert(choice.results[value.result]);
    for (const plan::StepUse &use : value.uses)
      for (const Choice &choice : choices[use.node])
        list.insert(choice.operands[use.operand]);
    return list;
  }

  void choose(unsigned node) {
    if (node < graph.nodes.size()) {
      for (const Choice &choice : choices[node]) {
        chosen[node] = &choice;
        choose(node + 1);
      }
      return;
    }
    int64_t total = 0;
    for (const Choice *choice : chosen)
      total += choice->compute;
    for (unsigned id = 0; id < graph.values.size() && total < best; ++id)
      total += traffic(id);
    best = std::min(best, total);
  }

  const plan::StepGraph &graph;
  const MeshTimes &costs;
  const Mesh &mesh;
  std::vector<std::vector<Choice>> choices;
  std::vector<const Choice *> chosen;
  std::vector<Layout> layouts;
  /// Of each layout its number without partial sums.
  std::vector<size_t> whole;
  /// Of each value the layouts that some producer or reader has.
  std::vector<std::set<size_t>> shared;
  /// Of each value from each layout to each other, -1 until it is asked for.
  std::vector<std::vector<int64_t>> prices;
  int64_t best = forbiddenCost;
};

/// Compares one random step on `devices` devices; false if there are too many
/// combinations to try.
bool comparedWithEnumeration(unsigned seed, int64_t devices,
                             double mostCombinations) {
  std::string text = StepWriter(seed).write(2 + seed % 4);
  auto module = parseSourceString<ModuleOp>(text, &sharedContext());
  EXPECT_TRUE(module) << text;
  auto function = module->lookupSymbol<func::FuncOp>("main");
  Cluster cluster = makeCluster(devices, seed);

  auto graph = plan::buildStepGraph(function);
  EXPECT_TRUE(succeeded(graph));
  std::vector<Mesh> meshes = {Mesh({{"a", devices}})};
  if (devices == 4)
    meshes.push_back(Mesh({{"a", 2}, {"b", 2}}));
  int64_t expected = forbiddenCost;
  ClusterTopology topology(cluster);
  StackProfile profile;
  for (const Mesh &mesh : meshes) {
    MeshTimes costs(topology, profile, mesh);
    Enumeration enumeration(*graph, costs);
    if (enumeration.combinations() > mostCombinations)
      return false;
    expected = std::min(expected, enumeration.cheapest());
  }

  auto plan = searchPlan(function, cluster, profile, {});
  EXPECT_TRUE(bool(plan)) << text;
  if (!plan) {
    llvm::consumeError(plan.takeError());
    return true;
  }
  EXPECT_EQ(plan->search.cost, expected) << "seed " << seed << "\n" << text;
  EXPECT_EQ(plan->search.proof, "exact");
  EXPECT_EQ((plan->search.compute + plan->search.communication).count(),
            expected)
      << text;
  EXPECT_EQ(plan->predicted.step.count(), expected) << text;
  EXPECT_FALSE(bool(applyPlan(*module, *plan))) << text;
  EXPECT_TRUE(succeeded(verify(*module)));
  return true;
}

TEST(StepPlan, AxesOfUnequalLinksAreTriedInBothOrders) {
  auto axesOn = [](const std::string &fabric) {
    ClusterResult read = readCluster(R"({"version": 1, "device_types": {"d": {
        "memory_gib": 1, "memory_bandwidth_gb_per_s": 1,
        "peak_tflops": {"f32": 1}}},
      "link_types": {"l": {"bandwidth_gb_per_s": 1, "latency_us": 1}},
      "groups": [{"name": "g", "node": {
        "devices": [{"type": "d", "count": 8}],
        "host": {"pcie_gb_per_s": 1}, "fabric": {"link": "l")" +
                                     fabric + "}}}]}");
    EXPECT_TRUE(read.cluster) << read.errorText();
    auto meshes = plan::findMeshes(*read.cluster, {}, {});
    EXPECT_TRUE(bool(meshes));
    std::vector<int64_t> majorSizes;
    for (const plan::MeshCandidate &candidate : *meshes)
      majorSizes.push_back(candidate.mesh.getSize(0));
    return majorSizes;
  };
  std::vector<int64_t> oneOrder = {8, 4}, bothOrders = {8, 4, 2};
  EXPECT_EQ(axesOn(R"(, "topology": "switch")"), oneOrder);
  EXPECT_EQ(axesOn(R"(, "topology": "full")"), oneOrder);
  EXPECT_EQ(axesOn(R"(, "topology": "ring")"), bothOrders);
  EXPECT_EQ(axesOn(R"(, "islands": [4, 4])"), bothOrders);
}

TEST(StepPlan, EqualsEnumerationOnOneAxis) {
  int compared = 0;
  for (unsigned seed = 0; compared < 1000; ++seed) {
    ASSERT_LT(seed, 4000u) << "too few graphs are small enough";
    compared += comparedWithEnumeration(seed, 2 + seed % 2, 8000);
    if (HasFailure())
      return;
  }
}

TEST(StepPlan, EqualsEnumerationOnOneAndTwoAxes) {
  int compared = 0;
  for (unsigned seed = 0; compared < 300; ++seed) {
    ASSERT_LT(seed, 4000u) << "too few graphs are small enough";
    compared += comparedWithEnumeration(seed, 4, 40000);
    if (HasFailure())
      return;
  }
}

TEST(PlanOptions, AxesAreReadAndChecked) {
  auto axes = parseFixedAxes("data=2, tensor=4");
  ASSERT_TRUE(bool(axes));
  EXPECT_EQ(*axes, (std::vector<FixedAxis>{{"data", 2}, {"tensor", 4}}));
  for (const char *bad :
       {"", "data", "data=0", "data=-1", "dp=2", "data=2,", "data=2,data=2",
        "data=1,fsdp=1,tensor=1", "data=99999999999999999999"}) {
    SCOPED_TRACE(bad);
    auto result = parseFixedAxes(bad);
    ASSERT_FALSE(bool(result));
    std::string message;
    EXPECT_EQ(takeError(result.takeError(), message), ExitCode::Usage);
  }
}

} // namespace

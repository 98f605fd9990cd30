// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Check/PlanCheck.h"

#include "SamplePlans.h"
#include "shardsmith/Cluster/ClusterReader.h"

#include <cmath>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace shardsmith;
using namespace shardsmith::check;
using Json = nlohmann::ordered_json;

namespace {

workload::TransformerSizes smallSizes() {
  workload::TransformerSizes sizes;
  sizes.layers = 6;
  sizes.hidden = 512;
  sizes.heads = 8;
  sizes.keyValueHeads = 4;
  sizes.feedForward = 1024;
  sizes.vocabulary = 1000;
  sizes.positions = 256;
  sizes.globalBatch = 48;
  return sizes;
}

std::string all(const CheckReport &report) {
  std::string text;
  for (const Finding &finding : report.findings)
    text += finding.str() + "\n";
  return text;
}

class PlanCheckTest : public testing::Test {
protected:
  void SetUp() override {
    ClusterResult found = findCluster("16xh100");
    ASSERT_TRUE(found.cluster) << found.errorText();
    cluster = *found.cluster;
  }

  CheckReport check(const std::string &plan,
                    const workload::Workload &model) const {
    std::string error;
    auto report = checkPlan(plan, {model, cluster, profile}, error);
    EXPECT_TRUE(report) << error;
    return report.value_or(CheckReport());
  }

  /// What the checker says of the plan after `change`.
  template <typename Change>
  std::string findingsAfter(Change change, PlanDocument plan,
                            const workload::Workload &model) const {
    change(plan);
    return all(check(toJson(plan), model));
  }

  PlanDocument pricedPlan(const workload::Workload &model) {
    for (auto &[name, device] : cluster.deviceTypes)
      device.dollarsPerHour = 3.6;
    return PlanSampler(model, cluster, profile, 2).sample();
  }

  /// A plan with something of everything in it.
  Json richPlan(const workload::Workload &model) const {
    for (uint64_t seed = 1;; ++seed) {
      PlanDocument plan = PlanSampler(model, cluster, profile, seed).sample();
      const Strategy &s = plan.strategy;
      bool rich = s.tensor > 1 && s.pipeline > 1 && s.data > 1 &&
                  s.expert > 1 && s.zeroStage == 1 && s.zeroGroup == 0 &&
                  s.microBatchCount(model.globalBatch) > 4 &&
                  s.schedule == ScheduleFamily::OneForwardOneBackward;
      if (rich)
        return Json::parse(toJson(plan));
    }
  }

  Cluster cluster;
  StackProfile profile;
};

TEST_F(PlanCheckTest, AgreesWithTheEstimateOfRandomStrategies) {
  for (workload::Workload model :
       {workload::transformer(smallSizes()),
        workload::transformer(smallSizes(), true), mixture(smallSizes(), 8),
        workload::transformer(smallSizes(), true, true),
        inPairs(mixture(smallSizes(), 8))})
    for (bool fused : {true, false}) {
      profile.fusedAttention = fused;
      profile.recomputeStopsEarly = fused;
      profile.layerForwardMicroseconds = fused ? 0 : 400;
      profile.zeroMicrosecondsPerRank = fused ? 0 : 30;
      profile.fixedMillisecondsPerStep = fused ? 0 : 3;
      for (uint64_t seed = 0; seed < 60; ++seed) {
        profile.selectiveKeepsProducts = seed % 2 == 1;
        profile.compiledRings = seed % 3 > 0;
        profile.sharedUpdatesOnce = seed % 4 > 1;
        model.positionObstacle = seed % 3 == 1 ? "a cumulative sum" : "";
        PlanDocument plan = PlanSampler(model, cluster, profile, seed).sample();
        CheckReport report = check(toJson(plan), model);
        ASSERT_TRUE(report.accepts())
            << plan.strategy.str() << " seed " << seed << "\n"
            << all(report);
        EXPECT_EQ(report.recomputedStep, plan.estimate.step());
        EXPECT_GT(report.compared, 25);
      }
    }
}

TEST_F(PlanCheckTest, ListsTheCollectivesOfEveryRank) {
  workload::Workload model = workload::transformer(smallSizes());
  Strategy strategy;
  strategy.tensor = 2;
  strategy.stages = {{0, model.unitCount(),
                      std::vector<Recompute>(size_t(model.unitCount())), 0}};
  for (const workload::Block &block : model.blocks)
    strategy.layouts.push_back(unsplitLayout(block));
  // The feed-forward pair as Megatron splits it: one sum forward behind the
  // second product, one backward before the first.
  const workload::Block &layer = model.blocks[1];
  auto split = [&](const char *name, const char *factor) {
    for (size_t op = 0; op < layer.ops.size(); ++op)
      for (workload::FactorIndex f = 0; f < layer.ops[op].factors.size(); ++f)
        if (layer.ops[op].name == name &&
            layer.ops[op].factors[f].name == factor)
          strategy.layouts[1].ops[op].factor = f;
  };
  auto keep = [&](const char *name, unsigned dim) {
    for (size_t t = 0; t < layer.tensors.size(); ++t)
      if (layer.tensors[t].name == name)
        strategy.layouts[1].tensors[t] = TensorLayout::split(dim);
  };
  split("w1", "f");
  split("activation", "f");
  split("w2", "f");
  keep("w1", 1);
  keep("up", 2);
  keep("active", 2);
  keep("w2", 0);
  PlanSampler sampler(model, cluster, profile, 1);
  ClusterTopology topology(cluster);
  PlanDocument plan;
  plan.estimate = estimateStep({model, topology, profile, {0.05}}, strategy);
  sampler.fill(plan, strategy);
  CheckReport report = check(toJson(plan), model);
  ASSERT_TRUE(report.accepts()) << all(report);
  ASSERT_EQ(report.collectives.size(), 1u);
  ASSERT_EQ(report.collectives[0].size(), 1u);
  const CollectiveUse &use = report.collectives[0][0];
  EXPECT_EQ(use.axis, "tensor");
  EXPECT_EQ(use.operation, nameOf(CollectiveOp::AllReduce));
  EXPECT_EQ(use.members, 2);
  // Six layers, both ways, 48 sequences one by one, of 256 × 512 bf16 numbers.
  EXPECT_EQ(use.count, 6 * 2 * 48);
  EXPECT_EQ(use.bytes.count(), 6 * 2 * 48 * 256 * 512 * 2);
}

/// One change to a valid plan, and a piece of what must be said about it.
struct Mutation {
  const char *pointer;
  Json value;
  const char *expected;
};

TEST_F(PlanCheckTest, RefusesEverySingleMutation) {
  workload::Workload model = mixture(smallSizes(), 8);
  Json plan = richPlan(model);
  CheckReport untouched = check(plan.dump(), model);
  ASSERT_TRUE(untouched.accepts()) << all(untouched);

  auto at = [&](const char *pointer) {
    return plan.at(Json::json_pointer(pointer));
  };
  auto more = [&](const char *pointer) {
    return Json(at(pointer).get<int64_t>() / 100 * 101 + 1000);
  };
  int64_t units = model.unitCount();
  const Mutation mutations[] = {
      {"/model/hash", "fedcba9876543210", "/model/hash"},
      {"/cluster/hash", "fedcba9876543210", "/cluster/hash"},
      {"/profile/hash", "fedcba9876543210", "/profile/hash"},
      {"/model/dtype", "f32", "/model/dtype"},
      {"/model/parameters", 1, "/model/parameters"},
      {"/model/global_batch", 49, "/model/global_batch"},
      {"/model/sequence_length", 255, "/model/sequence_length"},
      {"/model/forward_flops_per_sequence", 5, "/model/forward_flops"},
      {"/cluster/pools/0/devices", 15, "/cluster/pools/0/devices"},
      {"/cluster/pools/0/type", "zz", "/cluster/pools/0/type"},
      {"/cluster/pools", Json::array(), "/cluster/pools"},
      {"/strategy/degrees/tensor", 3, ""},
      {"/strategy/degrees/tensor", 0, "/strategy/degrees/tensor"},
      {"/strategy/degrees/data", 64, "multiply to"},
      {"/strategy/degrees/data", INT64_MAX, "multiply to"},
      {"/strategy/degrees/context", 2, ""},
      {"/strategy/degrees/pipeline", 1, "/strategy/stages"},
      {"/strategy/degrees/virtual_stages", 2, "/strategy/stages"},
      {"/strategy/degrees/expert", 3, "/strategy/degrees/expert"},
      {"/strategy/degrees/expert", 1, "expert axis"},
      {"/strategy/device_order/0", at("/strategy/device_order/1"),
       "/strategy/device_order"},
      {"/strategy/zero/stage", 2, "/prediction/"},
      {"/strategy/zero/stage", 4, "/strategy/zero/stage"},
      {"/strategy/zero/group", 7, "/strategy/zero/group"},
      {"/strategy/micro_batch", 3, "/prediction/"},
      {"/strategy/micro_batch", 49, "/strategy/micro_batch"},
      {"/strategy/data_shares",
       Json::array({{{"pool", 0}, {"ranks", 1}, {"micro_batches", 1}}}),
       "/strategy/data_shares"},
      {"/strategy/schedule", "gpipe", "/prediction/ranks/0"},
      {"/strategy/schedule", "zb-h1", "/prediction/time_ns/bubble"},
      {"/strategy/schedule", "zb-v", "/strategy/schedule"},
      {"/strategy/stages/0/units", Json::array({1, 2}), "/strategy/stages/0"},
      {"/strategy/stages/0/units", Json::array({0, units}),
       "/strategy/stages/0"},
      {"/strategy/stages/0/pool", 1, "/strategy/stages/0/pool"},
      {"/strategy/stages/0/recompute", Json::array(),
       "/strategy/stages/0/recompute"},
      {"/layouts/blocks/1/ops/1/split", "zz", "no factor 'zz'"},
      {"/layouts/blocks/1/ops/1/op", "zz", "/layouts/blocks/1/ops/1"},
      {"/layouts/blocks/1/ops/4/split", "t", "/layouts/blocks/1/ops/4"},
      {"/layouts/blocks/1/ops/4/split", "b", "/layouts/blocks/1/ops/4"},
      {"/layouts/blocks/1/tensors/0/layout", 1, "/layouts/blocks"},
      {"/layouts/blocks/1/tensors/2/layout", 0, "/layouts/blocks/1"},
      {"/layouts/blocks/1/tensors/2/layout", 9, "has no dimension 9"},
      {"/layouts/blocks/1/tensors/2/layout", "partial", "terms of a sum"},
      {"/layouts/blocks/1/tensors/2/tensor", "zz", "name of the tensor"},
      {"/layouts/blocks/1/parameters/0/shape/0", 3, "its shape"},
      {"/layouts/blocks/1/parameters/0/names/0", "zz",
       "does not name the model's parameter 'layers.0.norm1'"},
      {"/layouts/blocks/1/block", "zz", "/layouts/blocks/1"},
      {"/prediction/step_ns", more("/prediction/step_ns"),
       "/prediction/step_ns"},
      {"/prediction/fullest_rank", 7, "/prediction/fullest_rank"},
      {"/prediction/ranks/0/in_flight", 9, "/prediction/ranks/0/in_flight"},
      {"/prediction/ranks/1/forward_ns", more("/prediction/ranks/1/forward_ns"),
       "/prediction/ranks/1/forward_ns"},
      {"/prediction/ranks/1/memory_limit_bytes", 1,
       "/prediction/ranks/1/memory_limit_bytes"},
      {"/search/bound", more("/search/bound"), "/search/bound"},
      {"/search/bound", 5, "/search/proof"},
      {"/search/cost", more("/search/cost"), "/search/cost"},
      {"/search/gap", 0.5, "/search/gap"},
      {"/search/stopped", true, "/search/proof"},
      {"/options/0/value", "0.25", "/memory_limit_bytes"},
  };
  int tried = 0;
  auto refuse = [&](const Json &mutated, const std::string &what,
                    const std::string &expected) {
    CheckReport report = check(mutated.dump(), model);
    EXPECT_FALSE(report.accepts()) << what;
    EXPECT_THAT(all(report), testing::HasSubstr(expected)) << what;
    ++tried;
  };
  for (const Mutation &mutation : mutations) {
    Json mutated = plan;
    mutated[Json::json_pointer(mutation.pointer)] = mutation.value;
    refuse(mutated,
           std::string(mutation.pointer) + " = " + mutation.value.dump(),
           mutation.expected);
  }
  // Every item of time and memory.
  for (const char *list :
       {"/prediction/time_ns", "/prediction/ranks/0/memory_bytes"}) {
    Json items = at(list);
    for (const auto &[key, value] : items.items()) {
      std::string pointer = std::string(list) + "/" + key;
      Json mutated = plan;
      mutated[Json::json_pointer(pointer)] = value.get<int64_t>() + 2000000;
      refuse(mutated, pointer, pointer);
    }
  }
  // Recomputation of one unit more or less.
  for (const char *choice : {"none", "selective", "full"}) {
    Json runs = Json::array();
    int64_t end = at("/strategy/stages/0/units/1").get<int64_t>();
    runs.push_back(Json::array({choice, end}));
    if (runs == at("/strategy/stages/0/recompute"))
      continue;
    Json mutated = plan;
    mutated["/strategy/stages/0/recompute"_json_pointer] = runs;
    refuse(mutated, std::string("recompute ") + choice, "/prediction/");
  }
  // Items that are gone, and items too many.
  Json missing = plan;
  missing["prediction"]["ranks"].erase(1);
  refuse(missing, "a rank less", "/prediction/ranks/1");
  Json surplus = plan;
  surplus["prediction"]["ranks"].push_back(plan["prediction"]["ranks"][0]);
  refuse(surplus, "a rank more", "has no counterpart");
  EXPECT_GT(tried, 70);
}

/// Pointers to all values below `json` that are neither lists nor objects.
void collectLeaves(const Json &json, const std::string &pointer,
                   std::vector<std::string> &leaves) {
  if (!json.is_structured())
    leaves.push_back(pointer);
  else if (json.is_object())
    for (const auto &[key, value] : json.items())
      collectLeaves(value, fmt::format("{}/{}", pointer, key), leaves);
  else
    for (size_t i = 0; i < json.size(); ++i)
      collectLeaves(json[i], fmt::format("{}/{}", pointer, i), leaves);
}

TEST_F(PlanCheckTest, NoDecisionAndNoFigureGoesUnchecked) {
  workload::Workload model = mixture(smallSizes(), 8);
  Json plan = richPlan(model);
  std::vector<std::string> leaves;
  for (const char *part :
       {"/strategy", "/layouts", "/prediction", "/search/cost", "/search/bound",
        "/search/gap", "/search/proof"})
    collectLeaves(plan[Json::json_pointer(part)], part, leaves);
  EXPECT_GT(leaves.size(), 150u);
  int64_t large = int64_t(1) << 62;
  for (const std::string &leaf : leaves) {
    Json::json_pointer pointer(leaf);
    const Json &value = plan[pointer];
    std::vector<Json> others = {nullptr, Json::array(), -1, large, "zz"};
    if (value.is_number())
      others.push_back(value.get<double>() * 2 + 12345678);
    if (value.is_number_integer())
      others.push_back(value.get<int64_t>() * 2 + 12345678);
    for (const Json &other : others) {
      // An op without a split may cost as much as with one.
      bool unsplit = leaf.ends_with("/split") && other.is_null();
      if (value == other || unsplit)
        continue;
      Json mutated = plan;
      mutated[pointer] = other;
      std::string error;
      auto report = checkPlan(mutated.dump(), {model, cluster, profile}, error);
      EXPECT_TRUE(!report || !report->accepts())
          << leaf << " = " << other.dump();
    }
  }
}

// Even where all formulas agree: schedules are simulated.
TEST_F(PlanCheckTest, NoStepMayBeShorterThanItsScheduleSimulated) {
  workload::Workload model = mixture(smallSizes(), 8);
  Json plan = richPlan(model);
  int64_t step = plan["prediction"]["step_ns"];
  plan["prediction"]["step_ns"] = step / 2;
  EXPECT_THAT(
      all(check(plan.dump(), model)),
      testing::HasSubstr("less than its schedule takes when it is played"));
}

TEST_F(PlanCheckTest, LongStepsTakeNoLongerToCheck) {
  workload::TransformerSizes sizes = smallSizes();
  sizes.globalBatch = int64_t(1) << 40;
  workload::Workload model = workload::transformer(sizes);
  PlanDocument plan = PlanSampler(model, cluster, profile, 4).sample();
  CheckReport report = check(toJson(plan), model);
  EXPECT_TRUE(report.accepts()) << all(report);
}

TEST_F(PlanCheckTest, RefusesPlansThatDoNotFit) {
  workload::Workload model = workload::transformer(smallSizes());
  for (auto &[name, device] : cluster.deviceTypes)
    device.memory = Bytes(int64_t(9) << 30);
  PlanDocument plan = PlanSampler(model, cluster, profile, 3).sample();
  for (auto &[name, device] : cluster.deviceTypes)
    device.memory = Bytes(int64_t(5) << 30);
  ClusterTopology topology(cluster);
  Strategy strategy = plan.strategy;
  PlanSampler sampler(model, cluster, profile, 3);
  plan.estimate = estimateStep({model, topology, profile, {0.05}}, strategy);
  ASSERT_FALSE(plan.estimate.fits());
  sampler.fill(plan, strategy);
  EXPECT_THAT(all(check(toJson(plan), model)),
              testing::HasSubstr("needs more memory than the device may use"));
}

TEST_F(PlanCheckTest, CountsDollars) {
  workload::Workload model = workload::transformer(smallSizes());
  PlanDocument plan = pricedPlan(model);
  plan.search.objective = "dollars";
  plan.search.cost = plan.search.bound = std::llround(*plan.dollars * 1e9);
  CheckReport report = check(toJson(plan), model);
  EXPECT_TRUE(report.accepts()) << all(report);
  plan.search.cost = plan.search.bound = plan.search.cost * 2;
  EXPECT_THAT(all(check(toJson(plan), model)),
              testing::HasSubstr("/search/cost"));
  *plan.dollars *= 1.001;
  EXPECT_THAT(all(check(toJson(plan), model)),
              testing::HasSubstr("/prediction/dollars_per_step"));
  plan.dollars.reset();
  EXPECT_THAT(all(check(toJson(plan), model)),
              testing::HasSubstr("is missing, but all devices have prices"));
}

TEST_F(PlanCheckTest, CountsFailures) {
  workload::Workload model = workload::transformer(smallSizes());
  cluster.limits.failuresPerDeviceHour = 1e-4;
  for (bool isStorageKnown : {false, true}) {
    for (Group &group : cluster.groups)
      group.node.storageBytesPerSecond = isStorageKnown ? 2e9 : 0;
    PlanDocument plan = PlanSampler(model, cluster, profile, 2).sample();
    CheckReport report = check(toJson(plan), model);
    EXPECT_TRUE(report.accepts()) << all(report);
    ASSERT_TRUE(plan.checkpoints);
    ASSERT_EQ(plan.checkpoints->times.has_value(), isStorageKnown);

    auto refused = [&](auto change, const char *item) {
      EXPECT_THAT(findingsAfter(change, plan, model), testing::HasSubstr(item));
    };
    refused([](auto &plan) { plan.checkpoints.reset(); },
            "/checkpoints/bytes: is missing");
    refused([](auto &plan) { plan.checkpoints->size += Bytes(1000); },
            "/checkpoints/bytes: claimed");
    refused(
        [](auto &plan) {
          plan.checkpoints->untilFailure += Nanoseconds(int64_t(1) << 40);
        },
        "/checkpoints/until_failure_ns: claimed");
    if (!isStorageKnown) {
      refused([](auto &plan) { plan.checkpoints->times.emplace(); },
              "the cluster does not say how fast nodes store");
      continue;
    }
    refused(
        [](auto &plan) {
          plan.checkpoints->times->writing += Nanoseconds(5000);
        },
        "/checkpoints/times/writing_ns: claimed");
    refused(
        [](auto &plan) {
          plan.checkpoints->times->interval += Nanoseconds(100'000'000);
        },
        "/checkpoints/times/interval_ns: claimed");
    refused([](auto &plan) { plan.checkpoints->times->lost *= 1.01; },
            "/checkpoints/times/lost: claimed");
  }
  cluster.limits.failuresPerDeviceHour = 0;
  PlanDocument plan = PlanSampler(model, cluster, profile, 2).sample();
  EXPECT_FALSE(plan.checkpoints);
  plan.checkpoints.emplace();
  EXPECT_THAT(all(check(toJson(plan), model)),
              testing::HasSubstr("the cluster's devices do not fail"));
}

TEST_F(PlanCheckTest, RefusesFrontsThatAreNone) {
  workload::Workload model = workload::transformer(smallSizes());
  PlanDocument plan = pricedPlan(model);
  plan.search.objective = "front";
  plan.search.cost = plan.search.bound = plan.estimate.step().count();
  // Slower and cheaper, one after the other. Their prices do not follow from
  // their strategies, which is what is found here besides.
  plan.alternatives.clear();
  for (int64_t i = 1; i <= 2; ++i) {
    PlanAlternative &other = plan.alternatives.emplace_back();
    other.strategy = plan.strategy;
    other.strategy.layouts.clear();
    other.estimate = plan.estimate;
    other.estimate.time.fixed += Nanoseconds(i);
    other.dollars = *plan.dollars * (1 - 0.1 * double(i));
  }
  CheckReport report = check(toJson(plan), model);
  EXPECT_THAT(all(report),
              testing::HasSubstr(
                  "/alternatives/1/prediction/dollars_per_step: claimed"));
  EXPECT_THAT(all(report), testing::Not(testing::HasSubstr("is on no front")));

  auto refused = [&](auto change, const char *item) {
    auto changeLast = [&](auto &plan) { change(plan.alternatives.back()); };
    EXPECT_THAT(findingsAfter(changeLast, plan, model),
                testing::HasSubstr(item));
  };
  refused([&](auto &other) { other.dollars = plan.alternatives[0].dollars; },
          "/alternatives/1: is on no front");
  refused([&](auto &other) { other.estimate = plan.alternatives[0].estimate; },
          "/alternatives/1: is on no front");
  refused([](auto &other) { other.dollars.reset(); },
          "/alternatives/1/prediction/dollars_per_step: is missing");
}

TEST_F(PlanCheckTest, LocatesWhatIsNoPlan) {
  workload::Workload model = workload::transformer(smallSizes());
  Json plan =
      Json::parse(toJson(PlanSampler(model, cluster, profile, 1).sample()));
  auto errorOf = [&](const std::string &text) {
    std::string error;
    EXPECT_FALSE(checkPlan(text, {model, cluster, profile}, error));
    return error;
  };
  EXPECT_THAT(errorOf("{"), testing::StartsWith("plan: not valid JSON: "));
  EXPECT_EQ(errorOf(std::string(100, '[')),
            "plan: nested deeper than 64 levels");
  EXPECT_EQ(errorOf("{}"), "plan: 'format' is missing");
  Json broken = plan;
  broken["strategy"]["degrees"]["tensor"] = "two";
  EXPECT_EQ(errorOf(broken.dump()), "plan/strategy/degrees/tensor: expected a "
                                    "whole number, got \"two\"");
  broken = plan;
  broken["strategy"]["schedule"] = "2f2b";
  EXPECT_EQ(errorOf(broken.dump()).substr(0, 41),
            "plan/strategy/schedule: '2f2b' is none of");
  broken = plan;
  broken["strategy"].erase("zero");
  EXPECT_EQ(errorOf(broken.dump()), "plan/strategy: 'zero' is missing");
}

} // namespace

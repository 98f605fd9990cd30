// SPDX-License-Identifier: Apache-2.0

#include "BatchEstimator.h"

#include "Planner.h"

#include "shardsmith/Cluster/ClusterReader.h"
#include "shardsmith/Plan/PlanReport.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace shardsmith {

using Json = nlohmann::ordered_json;

/// One line, understood. Objects given in place of names stay JSON text.
struct BatchEstimator::Case {
  PlanningRequest request;
  bool search = false;
};

namespace {

[[noreturn]] void refuse(const std::string &message) {
  throw Failure{ExitCode::BadInput, message};
}

std::string textOf(const std::string &key, const Json &value) {
  if (value.is_string())
    return value;
  if (value.is_object())
    return value.dump();
  refuse(fmt::format("/{}: expected a name or an object", key));
}

int64_t countOf(const std::string &key, const Json &value) {
  if (!value.is_number_integer() || value.get<int64_t>() < 1)
    refuse(fmt::format("/{}: expected an integer of 1 or more", key));
  return value.get<int64_t>();
}

/// `{"tp": 8, "zero": 1}` as `tp=8,zero=1`.
std::string pinsOf(const std::string &key, const Json &value) {
  if (value.is_string())
    return value;
  if (!value.is_object())
    refuse(fmt::format("/{}: expected text or an object", key));
  std::string text;
  for (const auto &[name, pin] : value.items()) {
    std::string word = pin.is_string() ? pin.get<std::string>() : pin.dump();
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", name, word);
  }
  return text;
}

BatchEstimator::Case readCase(const Json &json) {
  if (!json.is_object())
    refuse("expected a JSON object");
  BatchEstimator::Case one;
  PlanningRequest &request = one.request;
  for (const auto &[key, value] : json.items()) {
    if (key == "model")
      request.model.path = textOf(key, value);
    else if (key == "cluster")
      request.cluster = textOf(key, value);
    else if (key == "profile")
      request.profile = textOf(key, value);
    else if (key == "seq")
      request.model.description.sequenceLength = countOf(key, value);
    else if (key == "global_batch")
      request.model.description.globalBatch = countOf(key, value);
    else if (key == "dtype" && value.is_string())
      request.model.description.elementType = value;
    else if (key == "optimizer" && value.is_string())
      request.optimizer = value;
    else if (key == "margin" && value.is_number())
      request.memoryMargin = value;
    else if (key == "fix")
      request.fix = pinsOf(key, value);
    else if (key == "search" && value.is_boolean())
      one.search = value;
    else if (key != "id" && !key.starts_with("x_"))
      refuse(fmt::format("/{}: unknown key, or a value of another type than "
                         "expected",
                         key));
  }
  if (request.model.path.empty() || request.cluster.empty())
    refuse("a case needs \"model\" and \"cluster\"");
  return one;
}

/// What is not fixed is not used; data takes the devices that are left.
void pinTheRest(SearchConstraints &constraints) {
  auto pin = [](DegreeRange &range) {
    if (range == DegreeRange())
      range = {1, 1};
  };
  pin(constraints.tensor);
  pin(constraints.context);
  pin(constraints.pipeline);
  pin(constraints.expert);
  pin(constraints.virtualStages);
  pin(constraints.microBatch);
  SearchConstraints free;
  if (constraints.zero == free.zero)
    constraints.zero = {true, false, false, false};
  if (constraints.recompute == free.recompute)
    constraints.recompute = {true, false, false};
}

std::string keyOf(std::string name) {
  std::ranges::replace(name, ' ', '_');
  return name;
}

Json answerOf(const PlanningInputs &inputs, const Strategy &strategy,
              const StepEstimate &estimate) {
  const StageEstimate &rank = estimate.ranks.at(estimate.fullestRank);
  Json time = Json::object(), memory = Json::object();
  for (const TimePart &part : partsOf(estimate.time))
    time[keyOf(part.name)] = double(part.time.count()) * 1e-9;
  for (const MemoryPart &part : partsOf(rank.memory))
    memory[keyOf(part.name)] = part.bytes.count();
  return {{"step_time_s", double(estimate.step().count()) * 1e-9},
          {"uncertainty", estimate.uncertainty},
          {"time_s", time},
          {"memory_bytes", rank.memory.total().count()},
          {"memory_limit_bytes", rank.memoryLimit.count()},
          {"memory", memory},
          {"oom", !estimate.fits()},
          {"parameters", inputs.workload().parameterCount()},
          {"strategy", strategy.str()}};
}

Json price(const PlanningInputs &inputs, const BatchEstimator::Case &one) {
  SearchConstraints constraints = constraintsOf(one.request);
  if (!one.search)
    pinTheRest(constraints);
  SearchOptions options;
  options.constraints = constraints;
  options.planCount = 1;
  SearchResult result = searchStrategies(inputs.context(), options);
  if (!result.plans.empty()) {
    const RankedPlan &best = result.plans.front();
    Json answer = answerOf(inputs, best.strategy, best.estimate);
    answer["proof"] = nameOf(result.proof);
    answer["gap"] = result.gap();
    return answer;
  }
  if (!result.infeasibility || !result.infeasibility->estimate)
    throw Failure{ExitCode::Usage, result.infeasibility
                                       ? result.infeasibility->contradiction
                                       : "no plan was found"};
  return answerOf(inputs, *result.infeasibility->nearest,
                  *result.infeasibility->estimate);
}

} // namespace

std::shared_ptr<const workload::Workload>
BatchEstimator::workloadOf(const Case &one) {
  // Blocks do not depend on the batch, which a workload states on its own.
  ModelOptions model = one.request.model;
  std::optional<int64_t> batch = model.description.globalBatch;
  bool isDescription = isModelDescription(model.path);
  if (isDescription)
    model.description.globalBatch.reset();
  std::string key = fmt::format("{}\n{}\n{}\n{}", model.path,
                                model.description.sequenceLength.value_or(0),
                                model.description.elementType,
                                isDescription ? 0 : batch.value_or(0));
  std::shared_ptr<const workload::Workload> &known = workloads[key];
  if (!known)
    known = loadModelOf(session, model).workload;
  if (!batch || *batch == known->globalBatch)
    return known;
  workload::Workload copy = *known;
  copy.globalBatch = *batch;
  return std::make_shared<const workload::Workload>(std::move(copy));
}

std::shared_ptr<const Cluster> BatchEstimator::clusterOf(const Case &one) {
  std::shared_ptr<const Cluster> &known = clusters[one.request.cluster];
  if (known)
    return known;
  ClusterResult result = one.request.cluster.starts_with("{")
                             ? readCluster(one.request.cluster)
                             : findCluster(one.request.cluster);
  if (!result.cluster)
    refuse("cluster: " + result.errorText());
  return known = std::make_shared<const Cluster>(std::move(*result.cluster));
}

std::string BatchEstimator::estimate(const std::string &line, int64_t number) {
  Json answer = {{"id", number}};
  auto fail = [&](ExitCode code, const std::string &message) {
    answer["error"] = message;
    answer["exit_code"] = int(code);
  };
  try {
    Json json = Json::parse(line);
    if (json.is_object() && json.contains("id"))
      answer["id"] = json["id"];
    Case one = readCase(json);
    std::shared_ptr<const Cluster> cluster = clusterOf(one);
    PlanningInputs inputs(workloadOf(one), cluster,
                          profileOf(one.request, *cluster),
                          one.request.memoryMargin);
    answer.update(price(inputs, one));
  } catch (const Json::exception &error) {
    fail(ExitCode::BadInput, fmt::format("not valid JSON: {}", error.what()));
  } catch (const Failure &failure) {
    fail(failure.code, failure.message);
  } catch (const Stop &stop) {
    fail(stop.code, "see the message on standard error");
  }
  return answer.dump();
}

} // namespace shardsmith

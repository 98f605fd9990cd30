// SPDX-License-Identifier: Apache-2.0

#include "PlanAttribute.h"

#include "JsonAttribute.h"

#include "shardsmith/PlanFiles/NamedStrategy.h"

#include <nlohmann/json.hpp>

using namespace mlir;

namespace shardsmith {

using Json = nlohmann::ordered_json;

namespace {

/// Ops that every rank does have `"split": null` in JSON, and no `split` in the
/// attribute.
void addMissingSplits(Json &strategy) {
  if (!strategy.is_object() || !strategy.contains("layouts"))
    return;
  for (Json &layout : strategy["layouts"])
    if (layout.is_object() && layout.contains("ops"))
      for (Json &op : layout["ops"])
        if (op.is_object() && !op.contains("split"))
          op["split"] = nullptr;
}

} // namespace

DictionaryAttr planAttribute(MLIRContext *context, const CostContext &inputs,
                             const SearchResult &result) {
  const RankedPlan &best = result.plans.front();
  Json plan = {{"cluster", inputs.topology.cluster().name},
               {"profile", inputs.profile.name},
               {"step_ns", result.cost},
               {"bound_ns", result.lowerBound},
               {"proof", nameOf(result.proof)},
               {"strategy", strategyToJson(inputs.workload, best.strategy)}};
  return cast<DictionaryAttr>(toAttribute(context, plan));
}

std::optional<Strategy> plannedStrategy(ModuleOp module,
                                        const workload::Workload &workload,
                                        std::string &error) {
  auto plan = module->getAttrOfType<DictionaryAttr>(kPlanAttributeName);
  Attribute strategy = plan ? plan.get("strategy") : nullptr;
  if (!strategy) {
    error = "the module has no plan: expected an attribute " +
            kPlanAttributeName.str() +
            " with a strategy, as search-strategy "
            "writes it";
    return std::nullopt;
  }
  std::optional<Json> json = toJson(strategy, error);
  if (!json)
    return std::nullopt;
  addMissingSplits(*json);
  std::optional<Strategy> read = strategyFromJson(workload, *json, error);
  if (!read)
    error = kPlanAttributeName.str() + ": " + error;
  return read;
}

} // namespace shardsmith

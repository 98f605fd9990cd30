// SPDX-License-Identifier: Apache-2.0
//
// One tensor, op and list of names per line: long enough to hold what belongs
// together, short enough for `diff` and for the eye.

#include "EnumNames.h"
#include "shardsmith/Workload/Workload.h"

#include <nlohmann/json.hpp>

using nlohmann::ordered_json;

namespace shardsmith::workload {
namespace {

ordered_json write(const Tensor &tensor) {
  ordered_json json = {{"name", tensor.name},
                       {"shape", tensor.shape},
                       {"type", nameOf(tensor.type)},
                       {"role", nameFor(tensor.role, tensorRoleNames)}};
  if (tensor.savedForBackward)
    json["saved"] = true;
  if (tensor.insideAttention)
    json["inside_attention"] = true;
  return json;
}

ordered_json write(const Factor &factor) {
  ordered_json json = {{"name", factor.name}, {"size", factor.size}};
  if (factor.kind != FactorKind::PassThrough)
    json["kind"] = nameFor(factor.kind, factorKindNames);
  if (factor.role != FactorRole::Other)
    json["role"] = nameFor(factor.role, factorRoleNames);
  return json;
}

ordered_json write(const Op &op, const TensorUse &use) {
  ordered_json dims = ordered_json::array();
  for (const auto &dim : use.dims) {
    ordered_json names = ordered_json::array();
    for (FactorIndex factor : dim)
      names.push_back(op.factors.at(factor).name);
    dims.push_back(std::move(names));
  }
  return {{"tensor", use.tensor}, {"dims", std::move(dims)}};
}

ordered_json writeAttention(const Op &op) {
  const AttentionParts &parts = *op.attention;
  auto name = [&](FactorIndex factor) { return op.factors.at(factor).name; };
  ordered_json json = {{"key_value_heads", name(parts.keyValueHeads)}};
  if (parts.group)
    json["group"] = name(*parts.group);
  json["queries"] = name(parts.queries);
  json["keys"] = name(parts.keys);
  json["head_size"] = name(parts.headSize);
  json["value_size"] = name(parts.valueSize);
  json["causal"] = parts.causal;
  return json;
}

ordered_json write(const Op &op) {
  ordered_json json = {{"name", op.name}, {"kind", wordFor(op)}};
  for (const Factor &factor : op.factors)
    json["factors"].push_back(write(factor));
  for (const TensorUse &use : op.operands)
    json["operands"].push_back(write(op, use));
  for (const TensorUse &use : op.results)
    json["results"].push_back(write(op, use));
  if (!op.linearOperandSets.empty())
    json["linear_operand_sets"] = op.linearOperandSets;
  json["flops"] = op.flops.count();
  if (op.rowStatistics)
    json["row_statistics"] = op.rowStatistics;
  if (op.attention)
    json["attention"] = writeAttention(op);
  if (op.expertsPerToken)
    json["experts_per_token"] = op.expertsPerToken;
  if (!op.hasBackward)
    json["has_backward"] = false;
  return json;
}

/// `items` as an array of one line each, at this indentation.
template <typename Items, typename Write>
std::string lines(const Items &items, const std::string &indent, Write write) {
  std::string text = "[";
  const char *separator = "\n";
  for (const auto &item : items) {
    text += separator + indent + "  " + write(item);
    separator = ",\n";
  }
  return text + (items.empty() ? "]" : "\n" + indent + "]");
}

std::string dump(const ordered_json &json) {
  // Names come from files; bytes that are no UTF-8 must not throw.
  return json.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

template <typename Item> std::string line(const Item &item) {
  return dump(write(item));
}

std::string writeBlock(const Block &block) {
  const std::string indent = "      ";
  return "{\"name\": " + dump(block.name) + ",\n" + indent +
         "\"inputs\": " + dump(block.inputs) +
         ", \"outputs\": " + dump(block.outputs) +
         ", \"parameters\": " + dump(block.parameters) + ",\n" + indent +
         "\"tensors\": " + lines(block.tensors, indent, line<Tensor>) + ",\n" +
         indent + "\"ops\": " + lines(block.ops, indent, line<Op>) + "}";
}

std::string writeSegment(const Segment &segment) {
  const std::string indent = "      ";
  const ParameterNames &names = segment.parameterNames;
  std::vector<std::vector<std::string>> repetitions;
  for (int64_t i = 0; i < names.repetitions(); ++i)
    repetitions.push_back(names.namesIn(i));
  return "{\"block\": " + dump(segment.block) +
         ", \"count\": " + dump(segment.count) + ",\n" + indent +
         "\"parameter_names\": " +
         lines(repetitions, indent,
               [](const auto &names) { return dump(names); }) +
         "}";
}

} // namespace

std::string toJson(const Workload &workload) {
  std::string text =
      "{\n  \"model\": " + dump(workload.modelName) +
      ",\n  \"model_hash\": " + dump(workload.modelHash) +
      ",\n  \"global_batch\": " + dump(workload.globalBatch) +
      ",\n  \"sequence_length\": " + dump(workload.sequenceLength) +
      ",\n  \"compute_type\": " +
      dump(std::string(nameOf(workload.computeType)));
  if (!workload.microBatchObstacle.empty())
    text +=
        ",\n  \"micro_batch_obstacle\": " + dump(workload.microBatchObstacle);
  if (!workload.positionObstacle.empty())
    text += ",\n  \"position_obstacle\": " + dump(workload.positionObstacle);
  text += ",\n  \"segments\": " + lines(workload.segments, "  ", writeSegment);
  text += ",\n  \"blocks\": " + lines(workload.blocks, "  ", writeBlock);
  return text + "\n}\n";
}

} // namespace shardsmith::workload

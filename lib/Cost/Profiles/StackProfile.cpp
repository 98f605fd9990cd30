// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Cost/Profiles/StackProfile.h"

#include "BuiltinProfiles.h"
#include "shardsmith/Cluster/JsonObject.h"
#include "shardsmith/Cost/Profiles/ProfileFields.h"
#include "shardsmith/Support/ClosestWord.h"
#include "shardsmith/Support/Hash.h"
#include "shardsmith/Support/Json.h"
#include "shardsmith/Support/ReadFile.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <filesystem>

namespace shardsmith {
namespace {

using cluster::JsonObject;
using Json = nlohmann::ordered_json;

using P = StackProfile;
const ProfileNumber numbers[] = {
    {"kernels", "matmul_rate", &P::matmulRate, &cluster::positive},
    {"kernels", "low_precision_matmul_rate", &P::lowPrecisionMatmulRate,
     &cluster::positive},
    {"kernels", "four_bit_matmul_rate", &P::fourBitMatmulRate,
     &cluster::positive},
    {"kernels", "misaligned_rate", &P::misalignedRate, &cluster::fraction},
    {"kernels", "attention_forward_rate", &P::attentionForwardRate,
     &cluster::positive},
    {"kernels", "attention_backward_rate", &P::attentionBackwardRate,
     &cluster::positive},
    {"kernels", "unfused_attention_rate", &P::unfusedAttentionRate,
     &cluster::fraction},
    {"kernels", "unfused_attention_passes", &P::unfusedAttentionPasses,
     &cluster::nonNegative},
    {"kernels", "misaligned_head_rate", &P::misalignedHeadRate,
     &cluster::fraction},
    {"kernels", "elementwise_traffic", &P::elementwiseTraffic,
     &cluster::nonNegative},
    {"kernels", "low_precision_traffic", &P::lowPrecisionTraffic,
     &cluster::positive},
    {"kernels", "block_scale_rate", &P::blockScaleRate, &cluster::positive},
    {"kernels", "layer_forward_us", &P::layerForwardMicroseconds,
     &cluster::nonNegative},
    {"kernels", "layer_backward_ratio", &P::layerBackwardRatio,
     &cluster::nonNegative},
    {"kernels", "kernel_gap_ratio", &P::kernelGapRatio, &cluster::nonNegative},
    {"kernels", "expert_half_rate_tokens", &P::expertHalfRateTokens,
     &cluster::nonNegative},
    {"kernels", "expert_imbalance", &P::expertImbalance, &cluster::atLeastOne},
    {"kernels", "expert_layer_us", &P::expertLayerMicroseconds,
     &cluster::nonNegative},
    {"communication", "collective_rate", &P::collectiveRate,
     &cluster::positive},
    {"communication", "network_rate", &P::networkRate, &cluster::positive},
    {"communication", "cross_node_tensor_factor", &P::crossNodeTensorFactor,
     &cluster::atLeastOne},
    {"communication", "tensor_exposure", &P::tensorExposure,
     &cluster::nonNegative},
    {"communication", "context_exposure", &P::contextExposure,
     &cluster::nonNegative},
    {"communication", "expert_exposure", &P::expertExposure,
     &cluster::nonNegative},
    {"communication", "data_exposure", &P::dataExposure, &cluster::nonNegative},
    {"communication", "parameter_gather_exposure", &P::parameterGatherExposure,
     &cluster::nonNegative},
    {"communication", "pipeline_exposure", &P::pipelineExposure,
     &cluster::nonNegative},
    {"communication", "gradient_message_bytes", &P::gradientMessageBytes,
     &cluster::nonNegative},
    {"communication", "overlap_slowdown", &P::overlapSlowdown,
     &cluster::atLeastOne},
    {"communication", "zero_us_per_rank", &P::zeroMicrosecondsPerRank,
     &cluster::nonNegative},
    {"step", "fixed_ms", &P::fixedMillisecondsPerStep, &cluster::nonNegative},
    {"step", "straggler_per_doubling", &P::stragglerPerDoubling,
     &cluster::nonNegative},
    {"step", "optimizer_bytes_per_parameter", &P::optimizerBytesPerParameter,
     &cluster::nonNegative},
    {"memory", "gradient_bytes_per_parameter", &P::gradientBytesPerParameter,
     &cluster::nonNegative},
    {"memory", "state_bytes_per_parameter", &P::stateBytesPerParameter,
     &cluster::nonNegative},
    {"memory", "activation_factor", &P::activationFactor,
     &cluster::nonNegative},
    {"memory", "loss_bytes_per_logit", &P::lossBytesPerLogit,
     &cluster::nonNegative},
    {"memory", "split_loss_bytes_per_logit", &P::splitLossBytesPerLogit,
     &cluster::nonNegative},
    {"memory", "constant_gib", &P::constantGib, &cluster::nonNegative},
};

const ProfileFlag flags[] = {
    {"kernels", "fused_attention", &P::fusedAttention},
    {"kernels", "recompute_stops_early", &P::recomputeStopsEarly},
    {"kernels", "selective_keeps_products", &P::selectiveKeepsProducts},
    {"kernels", "block_scales", &P::blockScales},
    {"communication", "compiled_rings", &P::compiledRings},
    {"communication", "shared_updates_once", &P::sharedUpdatesOnce},
    {"communication", "scatter_gather_pipeline", &P::scatterGatherPipeline},
};

constexpr const char *sections[] = {"kernels", "communication", "step",
                                    "memory"};

constexpr Provenance provenances[] = {
    Provenance::Datasheet, Provenance::Calibrated, Provenance::Measured,
    Provenance::Estimated, Provenance::Given};

void readSection(const char *section, JsonObject &top, StackProfile &profile,
                 std::vector<ClusterIssue> &errors) {
  const nlohmann::json *json = top.nested(section, "object", false);
  if (!json)
    return;
  JsonObject object(*json, top.pointerTo(section), errors);
  for (const ProfileNumber &field : numbers)
    if (std::string_view(field.section) == section)
      profile.*field.value =
          object.number(field.key, *field.rule, profile.*field.value);
  for (const ProfileFlag &field : flags)
    if (std::string_view(field.section) == section)
      profile.*field.value = object.boolean(field.key, profile.*field.value);
  object.finish();
}

StackProfile read(const nlohmann::json &json,
                  std::vector<ClusterIssue> &errors) {
  StackProfile profile;
  JsonObject top(json, "", errors);
  int64_t version = top.integer("version", 0, std::nullopt);
  if (top.has("version") && version != 1)
    top.error("version",
              fmt::format("unknown version {}, expected 1", version));
  profile.name = top.string("name", std::nullopt);
  profile.description = top.string("description", "");
  std::vector<std::string> words;
  for (Provenance provenance : provenances)
    words.emplace_back(toString(provenance));
  std::string word = top.oneOf("provenance", words, "given");
  for (Provenance provenance : provenances)
    if (word == toString(provenance))
      profile.provenance = provenance;
  profile.uncertainty =
      top.number("uncertainty", cluster::nonNegative, profile.uncertainty);
  for (const char *section : sections)
    readSection(section, top, profile, errors);
  top.finish();
  return profile;
}

} // namespace

std::span<const ProfileNumber> profileNumbers() { return numbers; }
std::span<const ProfileFlag> profileFlags() { return flags; }

std::vector<std::string> builtinProfileNames() {
  std::vector<std::string> names;
  for (const auto &[name, text] : builtinProfileTexts())
    names.push_back(name);
  return names;
}

std::optional<StackProfile> profileFromJson(std::string_view text,
                                            std::string &error) {
  std::vector<ClusterIssue> errors;
  std::optional<nlohmann::json> json = cluster::parseJson(text, errors);
  StackProfile profile;
  if (json)
    profile = read(*json, errors);
  if (errors.empty())
    return profile;
  error.clear();
  for (const ClusterIssue &issue : errors)
    error += (error.empty() ? "" : "\n") + issue.str();
  return std::nullopt;
}

std::optional<StackProfile> findProfile(const std::string &name,
                                        std::string &error) {
  auto builtin = builtinProfileTexts().find(name);
  if (builtin != builtinProfileTexts().end())
    return profileFromJson(builtin->second, error);
  std::error_code ignored;
  if (!std::filesystem::exists(name, ignored)) {
    std::string hint = closestWord(name, builtinProfileNames());
    error = fmt::format(
        "\"{}\" is neither a file nor a built-in stack profile{}", name,
        hint.empty()
            ? fmt::format(" such as {}", fmt::join(builtinProfileNames(), ", "))
            : fmt::format(", did you mean \"{}\"?", hint));
    return std::nullopt;
  }
  std::optional<std::string> text = readFile(name, error);
  if (!text)
    return std::nullopt;
  std::optional<StackProfile> profile = profileFromJson(*text, error);
  if (!profile)
    error = name + ":" + error;
  return profile;
}

std::string defaultProfileName(const Cluster &cluster) {
  return cluster.hasOnlyProcessors() ? "shardsmith" : "generic";
}

std::string hashOf(const StackProfile &profile) {
  return toDigits(hashText(toJson(profile)));
}

std::string toJson(const StackProfile &profile) {
  Json json = {{"version", 1},
               {"name", profile.name},
               {"description", profile.description},
               {"provenance", std::string(toString(profile.provenance))},
               {"uncertainty", profile.uncertainty}};
  for (const char *section : sections) {
    Json &object = json[section] = Json::object();
    for (const ProfileFlag &field : flags)
      if (std::string_view(field.section) == section)
        object[field.key] = profile.*field.value;
    for (const ProfileNumber &field : numbers)
      if (std::string_view(field.section) == section)
        object[field.key] = profile.*field.value;
  }
  return jsonText(json, 2) + "\n";
}

} // namespace shardsmith

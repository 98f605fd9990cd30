// SPDX-License-Identifier: Apache-2.0
//
// Frequencies of rotary positions. Channel pair i of n turns by base^(-i/n)
// per position; models stretched to longer sequences than they were made for
// slow the pairs down, each `rope_type` by its own rule.

#include "Architectures.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numbers>

namespace shardsmith::huggingface {
namespace {

constexpr double fullTurn = 2 * std::numbers::pi;

/// Slow pairs by `factor`, keep fast ones, blend between (Llama 3.1).
void stretchLikeLlama3(ConfigObject &scaling, std::vector<double> &frequencies,
                       double factor, int64_t maxPositions) {
  double low = scaling.number("low_freq_factor", 0, 1.0);
  double high = scaling.number("high_freq_factor", 0, 4.0);
  double original = static_cast<double>(
      scaling.size("original_max_position_embeddings", maxPositions));
  if (high <= low)
    scaling.refuse(
        "high_freq_factor",
        fmt::format("must be greater than low_freq_factor, {}", low));
  for (double &frequency : frequencies) {
    double turns = original * frequency / fullTurn;
    double kept = std::clamp((turns - low) / (high - low), 0.0, 1.0);
    frequency *= kept + (1 - kept) / factor;
  }
}

/// YaRN's factor on sines and cosines.
double yarnMagnitude(double factor, double strength) {
  return factor <= 1 ? 1.0 : 0.1 * strength * std::log(factor) + 1.0;
}

/// Blends by the pair's position between two bounds, which are the pairs that
/// turn `beta_fast` and `beta_slow` times within the original length.
void stretchLikeYarn(ConfigObject &scaling, RotarySpec &rotary,
                     std::vector<double> &frequencies, double factor,
                     double base, int64_t maxPositions) {
  double original = static_cast<double>(
      scaling.size("original_max_position_embeddings", maxPositions));
  double size = static_cast<double>(rotary.size);
  auto pairThatTurns = [&](double turns) {
    return size * std::log(original / (turns * fullTurn)) /
           (2 * std::log(base));
  };
  double first = pairThatTurns(scaling.number("beta_fast", 0, 32.0));
  double last = pairThatTurns(scaling.number("beta_slow", 0, 1.0));
  if (scaling.boolean("truncate", true)) {
    first = std::floor(first);
    last = std::ceil(last);
  }
  first = std::max(first, 0.0);
  last = std::min(last, size - 1);
  double span = std::max(last - first, 0.001);
  for (size_t i = 0; i < frequencies.size(); ++i) {
    double slowed =
        std::clamp((static_cast<double>(i) - first) / span, 0.0, 1.0);
    frequencies[i] *= (1 - slowed) + slowed / factor;
  }
  rotary.magnitude = yarnMagnitude(factor, 1.0);
  // Either is taken only beside the other.
  if (scaling.has("mscale") && scaling.has("mscale_all_dim"))
    rotary.magnitude =
        yarnMagnitude(factor, scaling.number("mscale", 0)) /
        yarnMagnitude(factor, scaling.number("mscale_all_dim", 0));
  if (scaling.has("attention_factor"))
    rotary.magnitude = scaling.number("attention_factor", 0);
}

void stretch(ConfigObject &scaling, RotarySpec &rotary,
             std::vector<double> &frequencies, double base,
             int64_t maxPositions) {
  std::string key = scaling.has("rope_type") ? "rope_type" : "type";
  std::string type = scaling.text(key, "default");
  if (type == "default")
    return;
  double factor = scaling.number("factor", 0);
  if (type == "linear") {
    for (double &frequency : frequencies)
      frequency /= factor;
    return;
  }
  if (type == "llama3")
    return stretchLikeLlama3(scaling, frequencies, factor, maxPositions);
  if (type == "yarn")
    return stretchLikeYarn(scaling, rotary, frequencies, factor, base,
                           maxPositions);
  scaling.refuseUnsupported(
      key, "positions stretched by '" + type +
               "' are not supported; default, linear, llama3 and yarn are");
}

} // namespace

double readYarnScoreFactor(ConfigObject &config) {
  const nlohmann::json *found = config.nested("rope_scaling");
  if (!found)
    return 1.0;
  ConfigObject scaling = config.inner("rope_scaling", *found);
  double magnitude = 1.0;
  if (scaling.has("mscale_all_dim"))
    magnitude = yarnMagnitude(scaling.number("factor", 0),
                              scaling.number("mscale_all_dim", 0));
  config.adopt(scaling);
  return magnitude * magnitude;
}

RotarySpec readRotary(ConfigObject &config, int64_t size, double defaultBase,
                      int64_t maxPositions) {
  // Newer files have both in one object.
  std::string key =
      config.has("rope_parameters") ? "rope_parameters" : "rope_scaling";
  double base = config.number("rope_theta", 1, defaultBase);
  RotarySpec rotary;
  rotary.size = size;
  if (size % 2 != 0 || size < 2 || size > (1 << 16)) {
    config.refuse("head_dim", fmt::format("rotary positions need an even head "
                                          "size of at most 65536, got {}",
                                          size));
    return rotary;
  }

  const nlohmann::json nothing = nlohmann::json::object();
  const nlohmann::json *found = config.nested(key);
  ConfigObject scaling = config.inner(key, found ? *found : nothing);
  base = scaling.number("rope_theta", 1, base);
  std::vector<double> frequencies(size / 2);
  for (size_t i = 0; i < frequencies.size(); ++i)
    frequencies[i] = std::pow(base, -2.0 * static_cast<double>(i) /
                                        static_cast<double>(size));
  stretch(scaling, rotary, frequencies, base, maxPositions);
  config.adopt(scaling);
  rotary.frequencies.assign(frequencies.begin(), frequencies.end());
  return rotary;
}

} // namespace shardsmith::huggingface

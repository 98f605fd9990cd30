// SPDX-License-Identifier: Apache-2.0

#include "ConstantRanges.h"

#include "shardsmith/Cost/Profiles/ProfileFields.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace shardsmith {

namespace {

using P = StackProfile;

constexpr auto factor = ConstantRange::Factor;
constexpr auto sum = ConstantRange::Sum;

const ConstantRange ofTime[] = {
    {&P::matmulRate, factor, 0.12, 0.05, 1.5, true},
    {&P::lowPrecisionMatmulRate, factor, 0.15, 0.05, 1.5, true},
    {&P::fourBitMatmulRate, factor, 0.3, 0.05, 1.5, false},
    {&P::misalignedRate, factor, 0.15, 0.1, 1, false},
    {&P::attentionForwardRate, factor, 0.2, 0.05, 2, false},
    {&P::attentionBackwardRate, factor, 0.25, 0.05, 2, false},
    {&P::unfusedAttentionRate, factor, 0.25, 0.02, 1, false},
    {&P::unfusedAttentionPasses, factor, 0.4, 0.1, 20, false},
    {&P::elementwiseTraffic, factor, 0.3, 0.2, 5, true},
    {&P::lowPrecisionTraffic, factor, 0.4, 0.5, 5, false},
    {&P::blockScaleRate, factor, 0.1, 0.05, 1, false},
    {&P::layerForwardMicroseconds, factor, 0.7, 1, 20'000, true},
    {&P::layerBackwardRatio, factor, 0.2, 0.2, 10, false},
    {&P::kernelGapRatio, sum, 0.3, 0, 1.5, true},
    {&P::expertHalfRateTokens, factor, 0.5, 1, 1e5, false},
    {&P::expertImbalance, factor, 0.15, 1, 4, false},
    {&P::expertLayerMicroseconds, sum, 800, 0, 1e5, true},
    {&P::networkRate, factor, 0.4, 0.02, 1.5, false},
    {&P::crossNodeTensorFactor, factor, 0.5, 1, 20, false},
    {&P::tensorExposure, sum, 0.3, 0, 1.3, true},
    {&P::contextExposure, sum, 0.3, 0, 1.2, false},
    {&P::expertExposure, sum, 0.4, 0, 1.3, false},
    {&P::dataExposure, sum, 0.3, 0, 1.2, true},
    {&P::parameterGatherExposure, sum, 0.3, 0, 1.2, true},
    {&P::pipelineExposure, sum, 0.4, 0, 1.3, true},
    {&P::gradientMessageBytes, factor, 0.4, 1, 8, false},
    {&P::zeroMicrosecondsPerRank, sum, 2000, 0, 20'000, false},
    {&P::fixedMillisecondsPerStep, sum, 10, 0, 1e5, true},
    {&P::stragglerPerDoubling, factor, 0.5, 0, 0.1, false},
    {&P::optimizerBytesPerParameter, factor, 0.3, 8, 100, false},
};

const ConstantRange ofMemory[] = {
    {&P::gradientBytesPerParameter, sum, 3, 0, 16, true},
    {&P::stateBytesPerParameter, sum, 4, 0, 40, true},
    {&P::activationFactor, factor, 0.4, 0.1, 10, true},
    {&P::constantGib, sum, 6, 0, 40, true},
};

std::vector<ConstantRange> chosen(std::span<const ConstantRange> ranges,
                                  const CalibrationOptions &options,
                                  bool areMany) {
  std::vector<ConstantRange> kept;
  auto isIn = [](const std::vector<std::string> &names,
                 const ConstantRange &each) {
    return std::find(names.begin(), names.end(), each.name()) != names.end();
  };
  for (const ConstantRange &range : ranges) {
    bool isChosen = options.constants.empty() ? areMany || range.isNarrow
                                              : isIn(options.constants, range);
    if (isChosen && !isIn(options.fixed, range))
      kept.push_back(range);
  }
  return kept;
}

} // namespace

std::string ConstantRange::name() const {
  for (const ProfileNumber &number : profileNumbers())
    if (number.value == value)
      return fmt::format("{}.{}", number.section, number.key);
  return "";
}

std::vector<ConstantRange> timeConstants(const CalibrationOptions &options,
                                         bool areMany) {
  return chosen(ofTime, options, areMany);
}

std::vector<ConstantRange> memoryConstants(const CalibrationOptions &options) {
  return chosen(ofMemory, options, true);
}

bool isFittable(std::string_view name) {
  auto isIt = [name](const ConstantRange &range) {
    return range.name() == name;
  };
  return std::any_of(std::begin(ofTime), std::end(ofTime), isIt) ||
         std::any_of(std::begin(ofMemory), std::end(ofMemory), isIt);
}

StackProfile moved(const StackProfile &start, std::span<const ConstantRange> by,
                   std::span<const double> distances) {
  StackProfile profile = start;
  for (size_t i = 0; i < by.size(); ++i) {
    double &value = profile.*by[i].value;
    double distance = distances[i] * by[i].range;
    value = by[i].kind == ConstantRange::Factor ? value * std::exp(distance)
                                                : value + distance;
    value = std::clamp(value, std::min(by[i].low, start.*by[i].value),
                       std::max(by[i].high, start.*by[i].value));
  }
  return profile;
}

} // namespace shardsmith

// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Cost/Calibration/Calibration.h"

#include "ConstantRanges.h"
#include "RidgeFit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace shardsmith {
namespace {

/// Memory is measured more exactly than time: its constants move more easily.
constexpr double memoryRidge = 0.01;

/// The steps with one of the two figures, and how to predict it.
struct Series {
  std::vector<size_t> steps;
  std::vector<double> measured;
  std::vector<double> weights;
  double Prediction::*figure;

  std::vector<double> residuals(const Predict &predict,
                                const StackProfile &profile) const {
    std::vector<double> logarithms;
    for (size_t i = 0; i < steps.size(); ++i)
      logarithms.push_back(std::log(
          std::max(predict(steps[i], profile).*figure, 1e-12) / measured[i]));
    return logarithms;
  }
};

Series seriesOf(std::span<const Measurement> steps,
                std::optional<double> Measurement::*measured,
                double Prediction::*figure) {
  Series series;
  series.figure = figure;
  for (size_t i = 0; i < steps.size(); ++i) {
    if (!(steps[i].*measured))
      continue;
    series.steps.push_back(i);
    series.measured.push_back(*(steps[i].*measured));
    series.weights.push_back(steps[i].weight);
  }
  return series;
}

ErrorSummary summary(const std::vector<double> &residuals) {
  ErrorSummary errors;
  if (residuals.empty())
    return errors;
  std::vector<double> sizes;
  for (double residual : residuals) {
    double error = std::exp(residual) - 1;
    errors.bias += error / double(residuals.size());
    errors.mean += std::abs(error) / double(residuals.size());
    sizes.push_back(std::abs(error));
  }
  std::sort(sizes.begin(), sizes.end());
  size_t half = sizes.size() / 2;
  errors.median =
      sizes.size() % 2 ? sizes[half] : (sizes[half - 1] + sizes[half]) / 2;
  return errors;
}

/// The share of all weights that counts if residuals beyond `limit` count as if
/// they were `limit`.
double countedShare(const std::vector<double> &residuals,
                    const std::vector<double> &weights, double limit) {
  double all = 0, counted = 0;
  for (size_t i = 0; i < residuals.size(); ++i) {
    double size = std::abs(residuals[i]);
    all += weights[i];
    counted += weights[i] * (size > limit ? limit / size : 1.0);
  }
  return counted / all;
}

bool isNear(const std::vector<double> &a, const std::vector<double> &b) {
  for (size_t i = 0; i < a.size(); ++i)
    if (std::abs(a[i] - b[i]) > 1e-6)
      return false;
  return true;
}

/// Two steps that are the same to the model, however its constants move, but
/// took very different times.
std::optional<std::string> contradiction(const Series &series,
                                         const RidgeFit &fit,
                                         const std::vector<double> &residuals,
                                         std::span<const Measurement> steps) {
  constexpr double mostRatio = 1.8;
  for (size_t i = 0; i < series.steps.size(); ++i)
    for (size_t j = 0; j < i; ++j) {
      double ratio = series.measured[i] / series.measured[j];
      double predicted = std::exp(residuals[i] - residuals[j]) * ratio;
      if (std::max(ratio, 1 / ratio) > mostRatio &&
          std::abs(predicted - 1) < 1e-9 &&
          isNear(fit.derivative[i], fit.derivative[j]))
        return fmt::format("\"{}\" and \"{}\" are the same step to the model, "
                           "but one took {:.2f} times as long as the other",
                           steps[series.steps[i]].name,
                           steps[series.steps[j]].name,
                           std::max(ratio, 1 / ratio));
    }
  return std::nullopt;
}

/// 90 % of the residuals are within this, if they are like those of the fit;
/// wider the more constants were fitted to them.
double halfWidth(const std::vector<double> &residuals, const RidgeFit &fit) {
  std::vector<double> sizes;
  for (double residual : residuals)
    sizes.push_back(std::abs(residual));
  std::sort(sizes.begin(), sizes.end());
  double fitted = 0, count = double(sizes.size());
  for (double spread : fit.spread)
    fitted += 1 - spread;
  double quantile = sizes[size_t(std::ceil(0.9 * count)) - 1];
  return std::max(0.02, quantile * std::sqrt((count + fitted) / count));
}

class Calibrator {
public:
  Calibrator(std::span<const Measurement> steps, const Predict &predict,
             const CalibrationOptions &options, ProfileCalibration &result)
      : steps(steps), predict(predict), options(options), result(result) {}

  /// Moves `ranges` until `series` fits. On failure returns why.
  std::optional<std::string> fit(const Series &series,
                                 const std::vector<ConstantRange> &ranges,
                                 double ridge, ErrorSummary &before,
                                 ErrorSummary &after, double *interval) {
    StackProfile start = result.profile;
    auto residuals = [&](std::span<const double> point) {
      return series.residuals(predict, moved(start, ranges, point));
    };
    RidgeFitOptions fitOptions;
    fitOptions.ridge = ridge;
    fitOptions.robustBeyond = options.robustBeyond;
    auto solve = [&] {
      return fitRidge(residuals, series.weights, ranges.size(), fitOptions);
    };
    RidgeFit found = solve();
    // The ridge gives way as the steps do, or few constants would move where
    // many steps fit badly.
    fitOptions.ridge *= countedShare(residuals(found.point), series.weights,
                                     options.robustBeyond);
    found = solve();
    before = summary(series.residuals(predict, start));
    result.profile = moved(start, ranges, found.point);
    std::vector<double> rest = series.residuals(predict, result.profile);
    after = summary(rest);
    if (auto why = contradiction(series, found, rest, steps))
      return why;
    for (size_t i = 0; i < ranges.size(); ++i)
      result.constants.push_back({ranges[i].name(), start.*ranges[i].value,
                                  result.profile.*ranges[i].value,
                                  found.spread[i] < 0.5});
    if (interval)
      *interval = halfWidth(rest, found);
    return std::nullopt;
  }

private:
  std::span<const Measurement> steps;
  const Predict &predict;
  const CalibrationOptions &options;
  ProfileCalibration &result;
};

std::optional<std::string> problemOf(std::span<const Measurement> steps,
                                     const CalibrationOptions &options) {
  for (const Measurement &step : steps) {
    auto isBad = [](std::optional<double> figure) {
      return figure && !(std::isfinite(*figure) && *figure > 0);
    };
    if (isBad(step.seconds) || isBad(step.memoryGib) || !(step.weight > 0))
      return fmt::format("\"{}\": measured times, memory and weights must be "
                         "greater than 0",
                         step.name);
  }
  for (const auto *names : {&options.constants, &options.fixed})
    for (const std::string &name : *names)
      if (!isFittable(name))
        return fmt::format("\"{}\" is no constant that calibration can move",
                           name);
  return std::nullopt;
}

} // namespace

std::optional<ProfileCalibration> calibrate(std::span<const Measurement> steps,
                                            const Predict &predict,
                                            const StackProfile &start,
                                            const CalibrationOptions &options,
                                            std::string &error) {
  if (auto problem = problemOf(steps, options)) {
    error = *problem;
    return std::nullopt;
  }
  Series times = seriesOf(steps, &Measurement::seconds, &Prediction::seconds);
  Series memories =
      seriesOf(steps, &Measurement::memoryGib, &Prediction::memoryGib);
  if (std::max(times.steps.size(), memories.steps.size()) <
      leastCalibrationSteps) {
    error = fmt::format(
        "{} measured times and {} memory figures are too few: at least {} of "
        "one kind are needed, better 20 with different parallelism, sizes and "
        "micro-batches",
        times.steps.size(), memories.steps.size(), leastCalibrationSteps);
    return std::nullopt;
  }

  ProfileCalibration result;
  result.profile = start;
  result.times = times.steps.size();
  result.memories = memories.steps.size();
  Calibrator calibrator(steps, predict, options, result);
  bool wide = result.times >= wideCalibrationSteps;
  std::vector<ConstantRange> ofTime = timeConstants(options, wide);
  std::vector<ConstantRange> ofMemory = memoryConstants(options);
  if (result.times >= leastCalibrationSteps && !ofTime.empty()) {
    double interval = 0;
    if (auto why =
            calibrator.fit(times, ofTime, options.ridge, result.timeBefore,
                           result.timeAfter, &interval)) {
      error = *why;
      return std::nullopt;
    }
    result.profile.uncertainty = interval;
  }
  if (result.memories >= leastCalibrationSteps && !ofMemory.empty())
    if (auto why =
            calibrator.fit(memories, ofMemory, options.ridge * memoryRidge,
                           result.memoryBefore, result.memoryAfter, nullptr)) {
      error = *why;
      return std::nullopt;
    }
  result.profile.provenance = Provenance::Calibrated;
  return result;
}

} // namespace shardsmith

// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Calibrate/RowBatch.h"

#include "shardsmith/Cluster/JsonObject.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <map>

namespace shardsmith {
namespace {

using cluster::JsonObject;

ProfileRequest readRequest(const nlohmann::json &json,
                           const std::string &pointer,
                           std::vector<ClusterIssue> &errors) {
  ProfileRequest request;
  JsonObject object(json, pointer, errors);
  if (!object.isObject())
    return request;
  request.name = object.string("name", std::nullopt);
  request.description = object.string("description", "");
  request.start = object.string("start", request.start);
  auto strings = [&](const char *key, std::vector<std::string> &to) {
    object.forEach(key, false,
                   [&](const nlohmann::json &each, const std::string &where) {
                     if (each.is_string())
                       to.push_back(each.get<std::string>());
                     else
                       errors.push_back({where, "expected a string"});
                   });
  };
  strings("rows", request.rows);
  strings("constants", request.options.constants);
  strings("fixed", request.options.fixed);
  request.options.ridge =
      object.number("ridge", cluster::positive, request.options.ridge);
  request.options.robustBeyond = object.number(
      "robust_beyond", cluster::positive, request.options.robustBeyond);
  object.finish();
  return request;
}

/// Rows priced when a request first asks for them.
class MeasuredRows {
public:
  MeasuredRows(PlanRows &rows, const std::vector<PlanRow> &measured)
      : rows(rows), measured(measured), priced(measured.size()) {
    for (size_t i = 0; i < measured.size(); ++i)
      indexOf.try_emplace(measured[i].id, i);
  }

  /// Indices of rows that can be priced; the others are added to `leftOut`.
  std::optional<std::vector<size_t>> select(const ProfileRequest &request,
                                            const StackProfile &start,
                                            std::vector<std::string> &leftOut,
                                            std::string &error) {
    std::vector<size_t> wanted;
    for (const std::string &id : request.rows) {
      auto found = indexOf.find(id);
      if (found == indexOf.end()) {
        error = fmt::format("there is no row \"{}\"", id);
        return std::nullopt;
      }
      wanted.push_back(found->second);
    }
    if (request.rows.empty())
      for (size_t i = 0; i < measured.size(); ++i)
        wanted.push_back(i);
    std::vector<size_t> usable;
    for (size_t index : wanted) {
      std::string problem;
      if (!priced[index])
        priced[index] = rows.prepare(measured[index], start, problem);
      if (priced[index])
        usable.push_back(index);
      else
        leftOut.push_back(fmt::format("{}: {}", measured[index].id, problem));
    }
    return usable;
  }

  const PricedRow &operator[](size_t index) const { return *priced[index]; }
  const Measurement &measurement(size_t index) const {
    return measured[index].measured;
  }

private:
  PlanRows &rows;
  const std::vector<PlanRow> &measured;
  std::vector<std::optional<PricedRow>> priced;
  std::map<std::string, size_t> indexOf;
};

std::string percent(double fraction) {
  return fmt::format("{:.1f} %", 100 * fraction);
}

std::string errorsLine(const char *what, size_t count,
                       const ErrorSummary &before, const ErrorSummary &after) {
  return fmt::format("  {} of {} rows: mean error {} (before {}), median {} "
                     "(before {}), bias {:+.1f} %\n",
                     what, count, percent(after.mean), percent(before.mean),
                     percent(after.median), percent(before.median),
                     100 * after.bias);
}

} // namespace

std::optional<std::vector<ProfileRequest>>
profileRequestsFromJson(std::string_view text, std::string &error) {
  std::vector<ClusterIssue> errors;
  std::vector<ProfileRequest> requests;
  if (auto json = cluster::parseJson(text, errors)) {
    JsonObject object(*json, "", errors);
    object.forEach("fits", true,
                   [&](const nlohmann::json &each, const std::string &where) {
                     requests.push_back(readRequest(each, where, errors));
                   });
    object.finish();
  }
  error.clear();
  for (const ClusterIssue &issue : errors)
    error += (error.empty() ? "" : "\n") + issue.str();
  if (!error.empty())
    return std::nullopt;
  return requests;
}

std::optional<std::vector<FittedProfile>>
fitProfiles(PlanRows &rows, const std::vector<PlanRow> &measured,
            const std::vector<ProfileRequest> &requests, std::string &error) {
  MeasuredRows all(rows, measured);
  std::map<std::string, StackProfile> fitted;
  std::vector<FittedProfile> results;
  for (const ProfileRequest &request : requests) {
    FittedProfile result;
    result.name = request.name;
    auto earlier = fitted.find(request.start);
    std::optional<StackProfile> start;
    if (request.start == "defaults")
      start = StackProfile();
    else if (earlier != fitted.end())
      start = earlier->second;
    else
      start = findProfile(request.start, error);
    std::optional<std::vector<size_t>> selected;
    if (start)
      selected = all.select(request, *start, result.leftOut, error);
    if (!selected) {
      error = fmt::format("profile \"{}\": {}", request.name, error);
      return std::nullopt;
    }
    std::vector<Measurement> steps;
    for (size_t index : *selected)
      steps.push_back(all.measurement(index));
    Predict predict = [&](size_t step, const StackProfile &profile) {
      return all[(*selected)[step]].predict(profile);
    };
    std::optional<ProfileCalibration> calibration =
        calibrate(steps, predict, *start, request.options, error);
    if (!calibration) {
      error = fmt::format("profile \"{}\": {}", request.name, error);
      return std::nullopt;
    }
    calibration->profile.name = request.name;
    calibration->profile.description = request.description;
    fitted[request.name] = calibration->profile;
    result.calibration = std::move(*calibration);
    results.push_back(std::move(result));
  }
  return results;
}

std::string reportOf(const FittedProfile &fitted) {
  const ProfileCalibration &fit = fitted.calibration;
  std::string text = fmt::format("{}\n", fitted.name);
  if (fit.times >= leastCalibrationSteps)
    text += errorsLine("step time", fit.times, fit.timeBefore, fit.timeAfter);
  if (fit.memories >= leastCalibrationSteps)
    text +=
        errorsLine("memory", fit.memories, fit.memoryBefore, fit.memoryAfter);
  text += fmt::format("  interval of predictions: ±{}\n",
                      percent(fit.profile.uncertainty));
  std::string unidentified;
  for (const CalibratedConstant &constant : fit.constants) {
    if (constant.isIdentified)
      text += fmt::format("  {:40} {:.4g} -> {:.4g}\n", constant.name,
                          constant.before, constant.after);
    else
      unidentified += (unidentified.empty() ? "" : ", ") + constant.name;
  }
  if (!unidentified.empty())
    text += "  not identified by these rows: " + unidentified + "\n";
  return text;
}

} // namespace shardsmith

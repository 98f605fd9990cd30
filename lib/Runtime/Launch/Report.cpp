// SPDX-License-Identifier: Apache-2.0

#include "Report.h"

#include "shardsmith/Support/AtomicFile.h"
#include "shardsmith/Support/OutputTarget.h"
#include "shardsmith/Support/StandardStreams.h"

#include <algorithm>
#include <cerrno>

namespace shardsmith::runtime {
namespace {

/// JSON has no NaN and no infinity; both become null.
nlohmann::ordered_json number(std::optional<double> value) {
  if (!value)
    return nullptr;
  return *value;
}

nlohmann::ordered_json metricsOf(const StepRecord &record) {
  nlohmann::ordered_json metrics = nlohmann::ordered_json::object();
  for (const auto &[name, value] : record.metrics)
    metrics[name] = number(value);
  return metrics;
}

double median(std::vector<double> values) {
  if (values.empty())
    return 0;
  auto middle = values.begin() + values.size() / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

} // namespace

Report::Report(const smith_context &context, const Options &options)
    : context(context), options(options), isSpeaker(context.rank() == 0) {
  if (!isSpeaker || options.metricsFile.empty())
    return;
  std::string problem;
  metrics = FileDescriptor(openOutput(options.metricsFile, problem));
  if (!metrics.isOpen())
    fail(ExitCode::Environment, "{}", problem);
}

void Report::print(const std::string &text) {
  if (outputProblem.empty())
    outputProblem = writeStandardOutput(text);
}

double Report::medianSeconds() const {
  std::vector<double> seconds;
  for (const StepRecord &record : steps)
    seconds.push_back(record.seconds);
  return median(std::move(seconds));
}

/// Measured ÷ predicted time of a step, if there are both.
std::optional<double> Report::measuredToPredicted() const {
  const std::optional<int64_t> &predicted =
      context.manifest.predictedStepNanoseconds;
  if (steps.empty() || !predicted || *predicted <= 0)
    return std::nullopt;
  return medianSeconds() * 1e9 / static_cast<double>(*predicted);
}

/// The measured step beside the predicted one.
void Report::printComparison() {
  std::optional<double> ratio = measuredToPredicted();
  if (!ratio || options.quiet)
    return;
  std::string line = fmt::format(
      "median step {:.1f} ms, predicted {:.1f} ms: {:.2f} times the "
      "prediction\n",
      medianSeconds() * 1e3, medianSeconds() * 1e3 / *ratio, *ratio);
  if (options.json)
    fmt::print(stderr, "{}", line);
  else
    print(line);
}

int64_t Report::rowBytes() const {
  int64_t bytes = 0;
  for (const Group &group : context.groups.groups)
    bytes +=
        context.traffic.of(group.index, CollectiveKind::AllToAllRows).bytes;
  return bytes;
}

/// The only bytes that depend on the data, beside what the plan expects.
void Report::printRows() {
  const std::optional<int64_t> &expected = context.manifest.predictedRowBytes;
  if (steps.empty() || !expected || options.quiet)
    return;
  std::string line = fmt::format(
      "rows of experts: {:.0f} bytes per step, expected {} if experts are "
      "chosen evenly\n",
      double(rowBytes()) / double(steps.size()), *expected);
  if (options.json)
    fmt::print(stderr, "{}", line);
  else
    print(line);
}

double Report::tokensPerSecond(double seconds) const {
  return seconds > 0
             ? static_cast<double>(context.manifest.tokensPerStep) / seconds
             : 0;
}

void Report::addStep(const StepRecord &record) {
  if (!isSpeaker)
    return;
  steps.push_back(record);
  if (!options.quiet) {
    std::string line = fmt::format("step {:>4}", record.step);
    if (record.loss)
      line += fmt::format("  loss {:.9g}", *record.loss);
    for (const auto &[name, value] : record.metrics)
      line += fmt::format("  {} {:.6g}", name, value);
    if (record.droppedRows)
      line += fmt::format("  dropped {}", *record.droppedRows);
    line += fmt::format("  {:.1f} ms", record.seconds * 1e3);
    if (context.manifest.tokensPerStep > 0)
      line += fmt::format("  {:.0f} tokens/s", tokensPerSecond(record.seconds));
    if (options.json)
      fmt::print(stderr, "{}\n", line);
    else
      print(line + "\n");
  }
  if (metrics.isOpen())
    writeMetrics(record);
}

void Report::writeMetrics(const StepRecord &record) {
  nlohmann::ordered_json entry{
      {"step", record.step},
      {"loss", number(record.loss)},
      {"metrics", metricsOf(record)},
      {"seconds", record.seconds},
      {"tokens_per_second", tokensPerSecond(record.seconds)},
      {"communication_bytes", record.communicationBytes}};
  if (record.droppedRows)
    entry["dropped_rows"] = *record.droppedRows;
  if (!writeAll(metrics.get(), entry.dump() + "\n"))
    fail(ExitCode::Environment, "cannot write {}: {}", options.metricsFile,
         describeError(errno));
}

/// One entry per group and kind that the program used, then one per axis along
/// which it sent messages. What is not along axes has none.
nlohmann::ordered_json Report::communication(const Traffic &traffic) const {
  nlohmann::ordered_json entries = nlohmann::ordered_json::array();
  for (const Group &group : context.groups.groups) {
    bool isWorld = group.index == context.groups.world().index;
    for (int i = 0; i < collectiveKinds; ++i) {
      auto kind = static_cast<CollectiveKind>(i);
      const TrafficCount &count = traffic.of(group.index, kind);
      if (count.calls == 0)
        continue;
      nlohmann::ordered_json entry{
          {"kind", name(kind)}, {"calls", count.calls}, {"bytes", count.bytes}};
      if (!isWorld) {
        entry["group"] = group.index;
        entry["axes"] = context.manifest.groups[group.index].axes;
      }
      entries.push_back(entry);
    }
  }
  const std::vector<MeshAxis> &mesh = context.manifest.mesh;
  for (size_t axis = 0; axis <= mesh.size(); ++axis) {
    const TrafficCount &count = traffic.ofSends(axis);
    if (count.calls == 0)
      continue;
    nlohmann::ordered_json entry{
        {"kind", "send"}, {"calls", count.calls}, {"bytes", count.bytes}};
    if (axis < mesh.size())
      entry["axes"] = nlohmann::ordered_json::array({mesh[axis].name});
    entries.push_back(entry);
  }
  return entries;
}

void Report::finish(int64_t startStep, const std::vector<Traffic> &traffic,
                    const std::vector<int64_t> &residentBytes) {
  if (!isSpeaker)
    return;
  printRows();
  printComparison();
  if (options.json)
    print(summary(startStep, traffic, residentBytes));
  if (!outputProblem.empty())
    fail(ExitCode::Environment, "{}", outputProblem);
}

std::string Report::summary(int64_t startStep,
                            const std::vector<Traffic> &traffic,
                            const std::vector<int64_t> &residentBytes) const {
  const Manifest &manifest = context.manifest;
  nlohmann::ordered_json losses = nlohmann::ordered_json::array();
  nlohmann::ordered_json metrics = nlohmann::ordered_json::object();
  nlohmann::ordered_json stepBytes = nlohmann::ordered_json::array();
  std::vector<double> seconds;
  for (const StepRecord &record : steps) {
    losses.push_back(number(record.loss));
    for (const auto &[name, value] : record.metrics)
      metrics[name].push_back(number(value));
    stepBytes.push_back(record.communicationBytes);
    seconds.push_back(record.seconds);
  }
  nlohmann::ordered_json ofRanks = nlohmann::ordered_json::array();
  int64_t mostBytes = 0;
  for (const Traffic &ofRank : traffic) {
    ofRanks.push_back(communication(ofRank));
    mostBytes = std::max(mostBytes, ofRank.totalBytes());
  }
  std::vector<int64_t> arenaBytes;
  for (int rank = 0; rank < manifest.ranks; ++rank)
    arenaBytes.push_back(arenaBytesOf(manifest, rank));
  nlohmann::ordered_json predicted = nlohmann::ordered_json::object();
  if (manifest.predictedCommunicationBytes)
    predicted["communication_bytes_per_rank"] =
        *manifest.predictedCommunicationBytes;
  if (manifest.predictedRowBytes)
    predicted["row_bytes_per_rank"] = *manifest.predictedRowBytes;
  if (manifest.predictedPeakBytes)
    predicted["peak_bytes"] = *manifest.predictedPeakBytes;
  if (manifest.predictedStepNanoseconds)
    predicted["step_nanoseconds"] = *manifest.predictedStepNanoseconds;

  nlohmann::ordered_json summary{
      {"format", "shardsmith-run/1"},
      {"model", {{"name", manifest.modelName}, {"hash", manifest.modelHash}}},
      {"plan_hash", manifest.planHash},
      {"ranks", manifest.ranks},
      {"threads_per_rank", context.team.threads()},
      {"transport", context.transport->name()},
      {"start_step", startStep},
      {"losses", losses},
      {"metrics", metrics},
      {"step_seconds", seconds},
      {"median_step_seconds", medianSeconds()},
      {"tokens_per_step", manifest.tokensPerStep},
      {"tokens_per_second", tokensPerSecond(medianSeconds())},
      {"communication", communication(context.traffic)},
      {"communication_of_ranks", ofRanks},
      {"communication_bytes_per_step", stepBytes},
      {"communication_bytes_most_of_any_rank", mostBytes},
      {"arena_bytes", arenaBytes[context.rank()]},
      {"arena_resident_bytes", residentBytes[context.rank()]},
      {"arena_bytes_of_ranks", arenaBytes},
      {"arena_resident_bytes_of_ranks", residentBytes},
      {"predicted", predicted},
      {"measured_to_predicted_step", number(measuredToPredicted())}};
  if (manifest.dropsRows) {
    nlohmann::ordered_json dropped = nlohmann::ordered_json::array();
    for (const StepRecord &record : steps)
      dropped.push_back(record.droppedRows.value_or(0));
    summary["dropped_rows"] = std::move(dropped);
  }
  if (!context.device.empty())
    summary["device"] = context.device;
  using Json = nlohmann::ordered_json;
  return summary.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace shardsmith::runtime

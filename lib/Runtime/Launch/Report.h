// SPDX-License-Identifier: Apache-2.0
//
// What rank 0 tells about a run: a line per step, lines of JSON for other
// programs, and a summary.

#ifndef SHARDSMITH_LIB_RUNTIME_LAUNCH_REPORT_H
#define SHARDSMITH_LIB_RUNTIME_LAUNCH_REPORT_H

#include "../FileDescriptor.h"
#include "shardsmith/Runtime/Launch/Options.h"
#include "shardsmith/Runtime/Rank/Context.h"

#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace shardsmith::runtime {

struct StepRecord {
  int64_t step = 0;
  std::optional<double> loss;
  /// Scalar outputs of the step with their names.
  std::vector<std::pair<std::string, double>> metrics;
  double seconds = 0;
  int64_t communicationBytes = 0; // that this rank sent in the step
  /// Rows that experts had no room for, on all ranks; with a capacity.
  std::optional<int64_t> droppedRows;
};

class Report {
public:
  Report(const smith_context &context, const Options &options);

  void addStep(const StepRecord &record);
  /// `traffic` is what each rank has sent over all steps, `residentBytes` what
  /// it has touched of its arena. Throws a Failure if any of the output was
  /// lost.
  void finish(int64_t startStep, const std::vector<Traffic> &traffic,
              const std::vector<int64_t> &residentBytes);

private:
  double tokensPerSecond(double seconds) const;
  double medianSeconds() const;
  std::optional<double> measuredToPredicted() const;
  void printComparison();
  /// Bytes of rows that data routed, over all steps.
  int64_t rowBytes() const;
  void printRows();
  nlohmann::ordered_json communication(const Traffic &traffic) const;
  std::string summary(int64_t startStep, const std::vector<Traffic> &traffic,
                      const std::vector<int64_t> &residentBytes) const;

  void print(const std::string &text);
  void writeMetrics(const StepRecord &record);

  const smith_context &context;
  const Options &options;
  bool isSpeaker; // only rank 0 reports
  FileDescriptor metrics;
  /// Why standard output took no more: training goes on, and says so in the
  /// end.
  std::string outputProblem;
  std::vector<StepRecord> steps;
};

} // namespace shardsmith::runtime

#endif // SHARDSMITH_LIB_RUNTIME_LAUNCH_REPORT_H

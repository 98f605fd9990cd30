// SPDX-License-Identifier: Apache-2.0
//
// What rank 0 tells about a run: a line per step, lines of JSON for other
// programs, and a summary.

#ifndef SHARDSMITH_LIB_RUNTIME_REPORT_H
#define SHARDSMITH_LIB_RUNTIME_REPORT_H

#include "shardsmith/Runtime/Context.h"
#include "shardsmith/Runtime/Options.h"

#include <cstdio>
#include <memory>
#include <vector>

#include <nlohmann/json.hpp>

namespace shardsmith::runtime {

struct StepRecord {
  int64_t step = 0;
  std::optional<double> loss;
  double seconds = 0;
  int64_t communicationBytes = 0; // that this rank sent in the step
};

class Report {
public:
  Report(const smith_context &context, const Options &options);

  void addStep(const StepRecord &record);
  /// `mostBytes` is the largest communication of any rank over all steps.
  void finish(int64_t startStep, int64_t mostBytes, int64_t residentBytes);

private:
  double tokensPerSecond(double seconds) const;
  nlohmann::ordered_json communication() const;

  struct Close {
    void operator()(std::FILE *file) const { std::fclose(file); }
  };

  const smith_context &context;
  const Options &options;
  bool isSpeaker; // only rank 0 reports
  std::unique_ptr<std::FILE, Close> metrics;
  std::vector<StepRecord> steps;
};

} // namespace shardsmith::runtime

#endif // SHARDSMITH_LIB_RUNTIME_REPORT_H

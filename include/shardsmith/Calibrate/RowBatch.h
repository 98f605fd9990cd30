// SPDX-License-Identifier: Apache-2.0
//
// Many rows at once: predictions of all, profiles fitted to measured ones.

#ifndef SHARDSMITH_CALIBRATE_ROWBATCH_H
#define SHARDSMITH_CALIBRATE_ROWBATCH_H

#include "shardsmith/Calibrate/PlanRow.h"

#include <iosfwd>

namespace shardsmith {

/// A line of a batch: a row, or why it is none.
struct BatchLine {
  size_t number = 0;
  std::optional<PlanRow> row;
  std::string error;
};

/// Reads one JSON object per line and leaves out empty lines.
std::vector<BatchLine> readBatch(std::istream &stream);

/// What is predicted for a line, as one line of JSON: `id`, `step_s`,
/// `memory_gib`, `limit_gib`, `device_gib`, `fits`, `uncertainty`, `time` by
/// part, `memory` of the fullest rank by part; or `id` or `line`, and `error`.
std::string estimateLine(PlanRows &rows, const BatchLine &line,
                         const std::string &defaultProfile);

/// One profile to fit to some of the rows.
struct ProfileRequest {
  std::string name;
  std::string description;
  /// A profile's name or file, the name of an earlier request, or `defaults`:
  /// what files leave out.
  std::string start = "generic";
  /// The ids of the rows to fit to; empty stands for all rows.
  std::vector<std::string> rows;
  CalibrationOptions options;
};

/// From `{"fits": [{"name", "description", "start", "rows", "ridge",
/// "constants", "fixed"}, …]}`; fails with JSON pointers in `error`.
std::optional<std::vector<ProfileRequest>>
profileRequestsFromJson(std::string_view text, std::string &error);

struct FittedProfile {
  std::string name;
  ProfileCalibration calibration;
  /// Rows that could not be priced, and why.
  std::vector<std::string> leftOut;
};

/// Fits the profiles in order. Fails with a sentence that names the request.
std::optional<std::vector<FittedProfile>>
fitProfiles(PlanRows &rows, const std::vector<PlanRow> &measured,
            const std::vector<ProfileRequest> &requests, std::string &error);

/// A report of the fit for people.
std::string reportOf(const FittedProfile &fitted);

} // namespace shardsmith

#endif // SHARDSMITH_CALIBRATE_ROWBATCH_H

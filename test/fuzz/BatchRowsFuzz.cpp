// SPDX-License-Identifier: Apache-2.0
//
// Lines of `estimate --batch`, read and priced. The first line of an input is
// the workload that every model name stands for.

#include "FuzzInput.h"
#include "shardsmith/Calibrate/RowBatch.h"

#include <sstream>

using namespace shardsmith;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view rest = fuzz::asText(data, size);
  std::string problem;
  std::optional<workload::Workload> workload =
      workload::workloadFromJson(fuzz::takeLine(rest), problem);
  PlanRows rows([&](const RowModel &, std::string &error)
                    -> std::shared_ptr<const workload::Workload> {
    error = problem;
    return workload ? std::make_shared<workload::Workload>(*workload) : nullptr;
  });
  std::istringstream stream{std::string(rest)};
  for (const BatchLine &line : readBatch(stream)) {
    // Files and machines of whoever runs this are no part of the input.
    if (line.row && (line.row->cluster.name.find('/') != std::string::npos ||
                     line.row->profile.find('/') != std::string::npos))
      continue;
    std::string answer = estimateLine(rows, line, "generic");
    fuzz::require(!answer.empty(), "every line has an answer");
  }
  return 0;
}

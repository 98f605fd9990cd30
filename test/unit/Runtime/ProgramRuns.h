// SPDX-License-Identifier: Apache-2.0
//
// What runs of programs print and write.

#ifndef SHARDSMITH_TEST_UNIT_RUNTIME_PROGRAMRUNS_H
#define SHARDSMITH_TEST_UNIT_RUNTIME_PROGRAMRUNS_H

#include "Processes.h"

#include <string>

#include <nlohmann/json.hpp>

/// The summary that `--json` prints; a run that has failed fails the test.
nlohmann::json summaryOf(const Outcome &outcome);

std::string contentOf(const std::string &path);

/// Lists of numbers that differ by rounding only.
void expectClose(const nlohmann::json &a, const nlohmann::json &b);

#endif // SHARDSMITH_TEST_UNIT_RUNTIME_PROGRAMRUNS_H

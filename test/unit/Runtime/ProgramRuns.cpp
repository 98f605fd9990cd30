// SPDX-License-Identifier: Apache-2.0

#include "ProgramRuns.h"

#include <cmath>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

/// What stands between the outermost braces: launchers print warnings of their
/// own, for example where there is no /sys.
nlohmann::json summaryOf(const Outcome &outcome) {
  EXPECT_EQ(outcome.exitCode, 0) << outcome.output;
  size_t begin = outcome.output.find('{'), end = outcome.output.rfind('}');
  if (begin == std::string::npos || end == std::string::npos || end < begin) {
    ADD_FAILURE() << "no summary in: " << outcome.output;
    return nlohmann::json::object();
  }
  return nlohmann::json::parse(outcome.output.substr(begin, end - begin + 1),
                               nullptr, false);
}

std::string contentOf(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream content;
  content << file.rdbuf();
  return content.str();
}

void expectClose(const nlohmann::json &a, const nlohmann::json &b) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i)
    EXPECT_NEAR(a[i].get<double>(), b[i].get<double>(),
                1e-5 * std::abs(b[i].get<double>()))
        << "step " << i;
}

// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/PlanFiles/PlanReport.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

namespace shardsmith {

std::string describeTime(Nanoseconds time) {
  if (time.isSaturated())
    return "too long";
  double seconds = double(time.count()) * 1e-9;
  if (std::abs(seconds) >= 1)
    return fmt::format("{:.3f} s", seconds);
  if (std::abs(seconds) >= 1e-3)
    return fmt::format("{:.2f} ms", seconds * 1e3);
  if (std::abs(seconds) >= 1e-6)
    return fmt::format("{:.2f} us", seconds * 1e6);
  return fmt::format("{} ns", time.count());
}

std::string describeBytes(Bytes bytes) {
  if (bytes.isSaturated())
    return "too much";
  double value = double(bytes.count());
  constexpr const char *units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  size_t unit = 0;
  for (; std::abs(value) >= 1024 && unit + 1 < std::size(units); ++unit)
    value /= 1024;
  return unit == 0 ? fmt::format("{} B", bytes.count())
                   : fmt::format("{:.2f} {}", value, units[unit]);
}

std::string describeCount(int64_t count) {
  constexpr const char *units[] = {"", " k", " M", " B", " T", " Q"};
  double value = double(count);
  size_t unit = 0;
  for (; value >= 999.5 && unit + 1 < std::size(units); ++unit)
    value /= 1000;
  if (unit == 0)
    return fmt::format("{}", count);
  int digits = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f}{}", value, digits, units[unit]);
}

} // namespace shardsmith

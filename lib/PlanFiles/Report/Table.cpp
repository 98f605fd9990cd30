// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/PlanFiles/PlanReport.h"

#include <algorithm>

namespace shardsmith {
namespace {

/// The width of a text in characters, of which `×` is one, although it has two
/// bytes.
size_t widthOf(const std::string &text) {
  return size_t(std::count_if(text.begin(), text.end(), [](unsigned char c) {
    return (c & 0xC0) != 0x80;
  }));
}

} // namespace

std::string describeTable(const std::vector<std::vector<std::string>> &rows) {
  std::vector<size_t> widths;
  for (const std::vector<std::string> &row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t column = 0; column < row.size(); ++column)
      widths[column] = std::max(widths[column], widthOf(row[column]));
  }
  std::string text;
  for (const std::vector<std::string> &row : rows) {
    std::string line;
    for (size_t column = 0; column < row.size(); ++column) {
      std::string space(widths[column] - widthOf(row[column]), ' ');
      const std::string &title = rows.front()[column];
      bool left = column == 0 || (!title.empty() && title.back() == ' ');
      line += column == 0 ? "" : "  ";
      line += left ? row[column] + space : space + row[column];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

} // namespace shardsmith

// SPDX-License-Identifier: Apache-2.0
//
// Text, tables and bars as markup. Whatever comes from files is escaped here.

#ifndef SHARDSMITH_LIB_HTMLREPORT_MARKUP_H
#define SHARDSMITH_LIB_HTMLREPORT_MARKUP_H

#include <string>
#include <string_view>
#include <vector>

namespace shardsmith::html {

/// For text and for attributes in double quotes; characters that XML does not
/// have are replaced.
std::string escaped(std::string_view text);

/// `<h2>` and what follows, one block of the page.
std::string section(std::string_view title, std::string_view note,
                    const std::string &content);

/// A table cell: text, or markup of ours.
struct Cell {
  std::string content;
  bool isMarkup = false;
  bool isNumber = false;
};
Cell text(std::string_view content);
Cell number(std::string_view content);
Cell markup(std::string content);

std::string table(const std::vector<std::string> &head,
                  const std::vector<std::vector<Cell>> &rows);

/// A part of a bar. `color` is one of the page's classes.
struct BarPart {
  std::string name;
  double amount = 0;
  std::string shown;
  std::string color;
};

/// A bar of parts, `full` as wide as the picture; with a line at `limit` unless
/// that is 0. Hovering over a part tells its name and amount.
std::string bar(const std::vector<BarPart> &parts, double full,
                double limit = 0);

/// Names of colours, each once, in the order given.
std::string legend(const std::vector<BarPart> &parts);

} // namespace shardsmith::html

#endif // SHARDSMITH_LIB_HTMLREPORT_MARKUP_H

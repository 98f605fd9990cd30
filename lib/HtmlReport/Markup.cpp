// SPDX-License-Identifier: Apache-2.0

#include "Markup.h"

#include <fmt/format.h>

#include <algorithm>

namespace shardsmith::html {
namespace {

constexpr double barWidth = 400, barHeight = 18;

/// The length of the UTF-8 character that `text` begins with; 0 if it begins
/// with none.
size_t characterLength(std::string_view text) {
  auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  unsigned char lead = byte(0);
  size_t length = lead < 0x80                   ? 1
                  : lead >= 0xc2 && lead < 0xe0 ? 2
                  : lead >= 0xe0 && lead < 0xf0 ? 3
                  : lead >= 0xf0 && lead < 0xf5 ? 4
                                                : 0;
  if (length == 0 || length > text.size())
    return 0;
  for (size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xc0) != 0x80)
      return 0;
  // Overlong forms, surrogates, and what is beyond the last character.
  if (length > 2 &&
      ((lead == 0xe0 && byte(1) < 0xa0) || (lead == 0xed && byte(1) > 0x9f) ||
       (lead == 0xf0 && byte(1) < 0x90) || (lead == 0xf4 && byte(1) > 0x8f)))
    return 0;
  return length;
}

} // namespace

std::string escaped(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    size_t length = characterLength(text);
    char first = text.front();
    bool isControl = static_cast<unsigned char>(first) < 0x20 &&
                     first != '\n' && first != '\t';
    if (length == 0 || isControl)
      result += "\xef\xbf\xbd";
    else if (first == '&')
      result += "&amp;";
    else if (first == '<')
      result += "&lt;";
    else if (first == '>')
      result += "&gt;";
    else if (first == '"')
      result += "&quot;";
    else
      result += text.substr(0, length);
    text.remove_prefix(std::max<size_t>(length, 1));
  }
  return result;
}

std::string section(std::string_view title, std::string_view note,
                    const std::string &content) {
  std::string result = fmt::format("<section>\n<h3>{}</h3>\n", escaped(title));
  if (!note.empty())
    result += fmt::format("<p class=\"note\">{}</p>\n", escaped(note));
  return result + content + "</section>\n";
}

Cell text(std::string_view content) { return {std::string(content)}; }
Cell number(std::string_view content) {
  return {std::string(content), false, true};
}
Cell markup(std::string content) { return {std::move(content), true}; }

std::string table(const std::vector<std::string> &head,
                  const std::vector<std::vector<Cell>> &rows) {
  std::string result = "<div class=\"wide\"><table>\n<thead><tr>";
  for (const std::string &title : head)
    result += fmt::format("<th>{}</th>", escaped(title));
  result += "</tr></thead>\n<tbody>\n";
  for (const std::vector<Cell> &row : rows) {
    result += "<tr>";
    for (const Cell &cell : row)
      result +=
          fmt::format("<td{}>{}</td>", cell.isNumber ? " class=\"number\"" : "",
                      cell.isMarkup ? cell.content : escaped(cell.content));
    result += "</tr>\n";
  }
  return result + "</tbody>\n</table></div>\n";
}

std::string bar(const std::vector<BarPart> &parts, double full, double limit) {
  std::string result =
      fmt::format("<svg class=\"bar\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
                  "height=\"{1}\" preserveAspectRatio=\"none\" role=\"img\">",
                  barWidth, barHeight);
  double scale = full > 0 ? barWidth / full : 0, left = 0;
  for (const BarPart &part : parts) {
    if (part.amount <= 0)
      continue;
    double width = part.amount * scale;
    // A gap of a pixel keeps neighbours apart where there is room for it.
    result +=
        fmt::format("<rect class=\"{}\" x=\"{:.2f}\" y=\"2\" "
                    "width=\"{:.2f}\" height=\"{}\"><title>{}: "
                    "{}</title></rect>",
                    part.color, left, width > 3 ? width - 1 : width,
                    barHeight - 4, escaped(part.name), escaped(part.shown));
    left += width;
  }
  if (limit > 0)
    result += fmt::format("<line class=\"limit\" x1=\"{0:.2f}\" "
                          "x2=\"{0:.2f}\" y1=\"0\" y2=\"{1}\"/>",
                          std::min(limit * scale, barWidth - 1), barHeight);
  return result + "</svg>";
}

std::string legend(const std::vector<BarPart> &parts) {
  std::string result = "<p class=\"legend\">";
  for (const BarPart &part : parts)
    result += fmt::format("<span><svg width=\"12\" height=\"12\"><rect "
                          "class=\"{}\" width=\"12\" height=\"12\"/></svg> "
                          "{}</span> ",
                          part.color, escaped(part.name));
  return result + "</p>\n";
}

} // namespace shardsmith::html

// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Schedule/ScheduleTable.h"

#include "Dependencies.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>

namespace shardsmith::schedule {
namespace {

/// What a table may hold; updates follow it.
constexpr std::array tableKinds = {
    ActionKind::Forward,         ActionKind::Backward,
    ActionKind::BackwardInput,   ActionKind::BackwardWeight,
    ActionKind::SendForward,     ActionKind::ReceiveForward,
    ActionKind::SendBackward,    ActionKind::ReceiveBackward,
    ActionKind::Unshard,         ActionKind::Reshard,
    ActionKind::ReduceGradients,
};

/// Stages and micro-batches beyond this are typing errors.
constexpr int64_t largestIndex = int64_t(1) << 24;

std::string_view trim(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos)
    return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// Takes a decimal number off the front.
std::optional<int64_t> takeNumber(std::string_view &text) {
  int64_t number = 0;
  auto [end, failure] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc() || number < 0 || number > largestIndex ||
      text.front() == '-')
    return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return number;
}

std::optional<Action> readAction(std::string_view text) {
  Action action;
  std::optional<int64_t> stage = takeNumber(text);
  if (!stage)
    return std::nullopt;
  action.stage = *stage;
  std::string_view name = text.substr(0, text.find_first_of("0123456789"));
  auto kind =
      std::find_if(tableKinds.begin(), tableKinds.end(),
                   [&](ActionKind known) { return nameOf(known) == name; });
  if (kind == tableKinds.end())
    return std::nullopt;
  action.kind = *kind;
  text.remove_prefix(name.size());
  bool ofMicroBatch = isCompute(*kind) || isCommunication(*kind);
  if (!ofMicroBatch)
    return text.empty() ? std::optional(action) : std::nullopt;
  std::optional<int64_t> microBatch = takeNumber(text);
  if (!microBatch || !text.empty())
    return std::nullopt;
  action.microBatch = *microBatch;
  return action;
}

std::optional<Step> readStep(std::string_view text) {
  if (text.front() != '(') {
    std::optional<Action> action = readAction(text);
    return action ? std::optional(Step{*action, {}}) : std::nullopt;
  }
  constexpr std::string_view ending = ")OVERLAP_F_B";
  size_t middle = text.find(';');
  if (middle == std::string_view::npos || !text.ends_with(ending))
    return std::nullopt;
  std::optional<Action> first = readAction(trim(text.substr(1, middle - 1)));
  text.remove_suffix(ending.size());
  std::optional<Action> second = readAction(trim(text.substr(middle + 1)));
  if (!first || !second || first->kind != ActionKind::Forward ||
      second->kind != ActionKind::Backward)
    return std::nullopt;
  return Step{*first, second};
}

template <typename Visitor>
void forEachPiece(std::string_view text, char separator, Visitor visit) {
  for (size_t index = 1;; ++index) {
    size_t end = text.find(separator);
    if (!visit(text.substr(0, end), index) || end == std::string_view::npos)
      return;
    text.remove_prefix(end + 1);
  }
}

/// Spreadsheets put a byte order mark in front.
std::string_view withoutMark(std::string_view text) {
  constexpr std::string_view mark = "\xEF\xBB\xBF";
  return text.starts_with(mark) ? text.substr(mark.size()) : text;
}

/// Spreadsheets may put cells in quotes.
std::string_view unquoted(std::string_view cell) {
  bool isQuoted = cell.size() >= 2 && cell.front() == '"' && cell.back() == '"';
  return isQuoted ? trim(cell.substr(1, cell.size() - 2)) : cell;
}

/// Sets the numbers of stages and micro-batches; a sentence if there are none.
/// A number far beyond that of actions is a typing error, and would make tables
/// as large as itself.
std::string countNames(Schedule &schedule) {
  size_t actions = 0;
  for (const auto &steps : schedule.ranks) {
    actions += steps.size();
    for (const Step &step : steps)
      forEachAction(step, [&](const Action &action) {
        schedule.stageCount = std::max(schedule.stageCount, action.stage + 1);
        schedule.microBatchCount =
            std::max(schedule.microBatchCount, action.microBatch + 1);
      });
  }
  if (schedule.microBatchCount == 0)
    return "line 1: the table runs no micro-batch; expected actions such as "
           "0F0 and 0B0";
  auto largest = static_cast<int64_t>(2 * actions);
  if (schedule.stageCount > largest || schedule.microBatchCount > largest ||
      schedule.stageCount * schedule.microBatchCount > largest)
    return fmt::format("the table names stage {} and micro-batch {} but has "
                       "only {} cells; every stage runs every micro-batch",
                       schedule.stageCount - 1, schedule.microBatchCount - 1,
                       actions);
  return {};
}

std::string join(const std::vector<std::string> &cells) {
  std::string line;
  for (size_t i = 0; i < cells.size(); ++i) {
    if (i > 0)
      line += ',';
    line += cells[i];
  }
  return line;
}

bool isComputeOnly(const Schedule &schedule) {
  for (const auto &steps : schedule.ranks)
    for (const Step &step : steps)
      if (!isCompute(step.action.kind))
        return false;
  return true;
}

} // namespace

std::string toTable(const Schedule &schedule) {
  bool drawn = isComputeOnly(schedule);
  std::vector<std::vector<int64_t>> starts;
  if (drawn)
    starts = unitTimes(schedule);

  std::vector<std::vector<std::string>> rows;
  size_t width = 0;
  for (size_t rank = 0; rank < schedule.ranks.size(); ++rank) {
    std::vector<std::string> cells;
    for (size_t i = 0; i < schedule.ranks[rank].size(); ++i) {
      const Step &step = schedule.ranks[rank][i];
      if (step.action.kind == ActionKind::Update)
        continue;
      if (drawn && i < starts[rank].size())
        cells.resize(static_cast<size_t>(starts[rank][i]));
      cells.push_back(str(step));
    }
    width = std::max(width, cells.size());
    rows.push_back(std::move(cells));
  }
  std::string table;
  for (std::vector<std::string> &cells : rows) {
    cells.resize(width);
    table += join(cells) + "\n";
  }
  return table;
}

std::string ScheduleTable::placeOf(const StepPosition &position) const {
  return fmt::format("line {}, cell {}", position.rank + 1,
                     cells[position.rank][position.index]);
}

std::optional<ScheduleTable> readTable(std::string_view text,
                                       std::string &error) {
  error.clear();
  text = withoutMark(text);
  ScheduleTable table;
  if (trim(text).empty()) {
    error = "line 1: the table is empty; expected one line per rank";
    return std::nullopt;
  }
  while (text.back() == '\n' || text.back() == '\r')
    text.remove_suffix(1);
  forEachPiece(text, '\n', [&](std::string_view line, size_t lineNumber) {
    std::vector<Step> steps;
    std::vector<int64_t> cells;
    forEachPiece(line, ',', [&](std::string_view cell, size_t cellNumber) {
      cell = unquoted(trim(cell));
      if (cell.empty())
        return true;
      std::optional<Step> step = readStep(cell);
      if (!step) {
        error = fmt::format(
            "line {}, cell {}: expected an action such as 0F3, 2SEND_B1, "
            "1UNSHARD or (0F4;3B1)OVERLAP_F_B, got '{}'",
            lineNumber, cellNumber, cell.substr(0, 40));
        return false;
      }
      steps.push_back(*step);
      cells.push_back(int64_t(cellNumber));
      return true;
    });
    table.schedule.ranks.push_back(std::move(steps));
    table.cells.push_back(std::move(cells));
    return error.empty();
  });
  if (error.empty())
    error = countNames(table.schedule);
  if (!error.empty())
    return std::nullopt;
  return table;
}

std::optional<Action> actionNamed(std::string_view text) {
  return readAction(text);
}

std::optional<Schedule> scheduleFromTable(std::string_view text,
                                          std::string &error) {
  std::optional<ScheduleTable> table = readTable(text, error);
  if (!table)
    return std::nullopt;
  return std::move(table->schedule);
}

} // namespace shardsmith::schedule

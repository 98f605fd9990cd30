// SPDX-License-Identifier: Apache-2.0
//
// The simulated step: a row per pipeline rank, time from left to right.
// Kernels are the wide bars, what goes over links is the narrow one below.

#include "Sections.h"

#include "shardsmith/PlanFiles/PlanReport.h"

#include <fmt/format.h>

#include <algorithm>

namespace shardsmith::html {
namespace {

using schedule::ActionKind;
using schedule::Span;

constexpr double left = 60, width = 1040, rowHeight = 30, workHeight = 18;
/// What a pass wants, so that it can be told from its neighbours.
constexpr double passWidth = 10;
/// Spans of a page that is still quick to draw.
constexpr size_t mostSpans = 8000;

const char *colorOf(ActionKind kind) {
  switch (kind) {
  case ActionKind::Forward:
    return "blue";
  case ActionKind::Backward:
  case ActionKind::BackwardInput:
    return "orange";
  case ActionKind::BackwardWeight:
    return "yellow";
  case ActionKind::ReduceGradients:
    return "red";
  case ActionKind::Update:
    return "aqua";
  default:
    return "green";
  }
}

std::vector<BarPart> colors() {
  return {{"forward", 1, "", "blue"},
          {"backward", 1, "", "orange"},
          {"gradients of parameters", 1, "", "yellow"},
          {"messages and gathers", 1, "", "green"},
          {"reduction of gradients", 1, "", "red"},
          {"optimizer", 1, "", "aqua"}};
}

/// A rectangle; those wide enough show the number of their micro-batch.
std::string rectangle(const Span &span, double scale) {
  const schedule::Action &action = span.step.action;
  bool isWork = std::holds_alternative<schedule::ComputeStream>(span.stream);
  double x = left + double(span.start.count()) * scale;
  double wide = double((span.end - span.start).count()) * scale;
  double y = double(span.rank) * rowHeight + (isWork ? 2 : workHeight + 4);
  std::string text =
      fmt::format("<rect class=\"{}\" x=\"{:.2f}\" y=\"{}\" width=\"{:.2f}\" "
                  "height=\"{}\"><title>{}, rank {}, {} to {}</title></rect>",
                  colorOf(action.kind), x, y, std::max(wide - 0.4, 0.2),
                  isWork ? workHeight : 5, escaped(str(span.step)), span.rank,
                  describeTime(span.start), describeTime(span.end));
  if (isWork && wide > 16 && action.microBatch != schedule::noMicroBatch)
    text += fmt::format("<text class=\"in\" x=\"{:.2f}\" y=\"{}\">{}</text>",
                        x + wide / 2, y + workHeight - 5, action.microBatch);
  return text + "\n";
}

/// Times at which the axis has marks: at most ten, round numbers.
std::vector<int64_t> marks(int64_t end) {
  int64_t step = 1;
  // 1, 2, 5, 10, 20, 50, …
  for (int turn = 0; end / step > 10; ++turn)
    step = turn % 3 == 1 ? step / 2 * 5 : step * 2;
  std::vector<int64_t> times;
  for (int64_t time = 0; time <= end; time += step)
    times.push_back(time);
  return times;
}

/// Rows of all ranks up to a time.
std::string picture(const std::vector<Span> &spans, size_t ranks,
                    Nanoseconds end) {
  double scale = width / double(end.count());
  double height = double(ranks) * rowHeight;
  std::string text = fmt::format(
      "<div class=\"wide\"><svg class=\"timeline\" viewBox=\"0 0 {0} {1}\" "
      "width=\"{0}\" height=\"{1}\" role=\"img\">\n",
      left + width + 30, height + 24);
  for (size_t rank = 0; rank < ranks; ++rank)
    text += fmt::format("<text class=\"label\" x=\"0\" y=\"{}\">rank "
                        "{}</text>\n",
                        double(rank) * rowHeight + 16, rank);
  for (int64_t mark : marks(end.count()))
    text += fmt::format(
        "<line class=\"grid\" x1=\"{0:.2f}\" x2=\"{0:.2f}\" y1=\"0\" "
        "y2=\"{1}\"/><text class=\"mark\" x=\"{0:.2f}\" y=\"{2}\">{3}</text>\n",
        left + double(mark) * scale, height + 4, height + 18,
        describeTime(Nanoseconds(mark)));
  for (const Span &span : spans)
    if (span.end <= end)
      text += rectangle(span, scale);
  return text + "</svg></div>\n";
}

} // namespace

std::string timeline(const ReportedPlan &plan) {
  const schedule::Simulation *played = plan.simulation;
  if (!played || played->makespan.count() <= 0)
    return "";
  std::vector<Span> spans;
  for (const Span &span : played->spans)
    if (span.end > span.start)
      spans.push_back(span);
  size_t ranks = played->ranks.size();
  double passes = double(spans.size()) / double(ranks);
  std::string pictures;
  std::string note = "One step, simulated. Hovering over a bar says what it "
                     "is; numbers are micro-batches.";
  if (spans.size() <= mostSpans)
    pictures = picture(spans, ranks, played->makespan);
  else
    note += fmt::format(" The step has {} actions, too many to draw; "
                        "'shardsmith simulate --trace' writes all.",
                        spans.size());
  if (passes * passWidth > width) {
    auto first = static_cast<int64_t>(double(played->makespan.count()) * width /
                                      (passes * passWidth));
    pictures += "<p class=\"note\">The beginning of it:</p>\n" +
                picture(spans, ranks, Nanoseconds(std::max<int64_t>(first, 1)));
  }
  return section("Pipeline timeline", note, legend(colors()) + pictures);
}

} // namespace shardsmith::html

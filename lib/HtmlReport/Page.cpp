// SPDX-License-Identifier: Apache-2.0
//
// The page around the sections, and how it looks: on light and dark screens, on
// paper.

#include "Sections.h"

#include "shardsmith/PlanFiles/PlanReport.h"

#include <fmt/format.h>

namespace shardsmith {
namespace html {
namespace {

constexpr std::string_view style = R"(
:root { color-scheme: light dark; --page: #fcfcfb; --ink: #0b0b0b; --dim: #52514e;
  --line: #e1e0d9; --blue: #2a78d6; --orange: #eb6834; --aqua: #1baf7a; --yellow: #eda100;
  --violet: #4a3aa7; --red: #e34948; --magenta: #e87ba4; --green: #008300; --idle: #c3c2b7;
  --fixed: #898781; --in: #ffffff; }
@media (prefers-color-scheme: dark) { :root { --page: #1a1a19; --ink: #ffffff; --dim: #c3c2b7;
  --line: #383835; --blue: #3987e5; --orange: #d95926; --aqua: #199e70; --yellow: #c98500;
  --violet: #9085e9; --red: #e66767; --magenta: #d55181; --green: #0ca30c; --idle: #52514e;
  --fixed: #898781; } }
body { margin: 0 auto; max-width: 1280px; padding: 24px; background: var(--page); color: var(--ink);
  font: 14px/1.45 system-ui, sans-serif; }
h1 { font-size: 24px; margin: 0 0 4px; } h2 { font-size: 20px; margin: 40px 0 4px; }
h3 { font-size: 16px; margin: 28px 0 4px; }
.note, .legend, figcaption { color: var(--dim); margin: 4px 0 8px; } a { color: var(--blue); }
.legend span { margin-right: 14px; white-space: nowrap; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; } th { text-align: left; font-weight: 600; color: var(--dim); }
td, th { padding: 4px 12px 4px 0; border-bottom: 1px solid var(--line); vertical-align: top; }
td.number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
.compare svg.bar { width: 200px; }
.figures { display: flex; flex-wrap: wrap; gap: 12px 40px; margin: 12px 0; }
.figures div { color: var(--dim); } .figures b { display: block; font-size: 20px; color: var(--ink); }
pre { white-space: pre-wrap; color: var(--dim); }
.blue { fill: var(--blue); } .orange { fill: var(--orange); } .aqua { fill: var(--aqua); }
.yellow { fill: var(--yellow); } .violet { fill: var(--violet); } .red { fill: var(--red); }
.magenta { fill: var(--magenta); } .green { fill: var(--green); } .idle { fill: var(--idle); }
.fixed { fill: var(--fixed); } .device { fill: var(--line); }
.node { fill: none; stroke: var(--fixed); } .limit { stroke: var(--ink); stroke-width: 2; }
.grid { stroke: var(--line); } text { fill: var(--dim); font: 12px system-ui, sans-serif; }
text.in { fill: var(--in); font-size: 11px; text-anchor: middle; }
text.mark { font-size: 11px; text-anchor: middle; }
.maps { display: flex; flex-wrap: wrap; gap: 20px 40px; } figure { margin: 0; max-width: 100%;
  overflow-x: auto; } figcaption { max-width: 420px; }
.chip { border: 1px solid var(--line); border-left: 4px solid; padding: 0 6px; border-radius: 3px;
  white-space: nowrap; } .chip.orange { border-left-color: var(--orange); }
.chip.magenta { border-left-color: var(--magenta); }
@media print { :root { color-scheme: light; --page: #ffffff; --ink: #000000; --dim: #444444;
  --line: #cccccc; } body { max-width: none; padding: 0; font-size: 10px; }
  .wide, figure { overflow: visible; } svg.timeline { width: 100%; height: auto; }
  svg.bar { width: 180px; } .compare svg.bar { width: 120px; } rect { print-color-adjust: exact; }
  figure, tr, svg { break-inside: avoid; } h3, .note, .legend { break-after: avoid; } h2 { break-before: page; }
  h2:first-of-type { break-before: auto; } a { color: inherit; text-decoration: none; } }
)";

std::string figure(std::string_view value, std::string_view name) {
  return fmt::format("<div><b>{}</b>{}</div>\n", escaped(value), escaped(name));
}

std::string onePlan(const ReportedPlan &plan, size_t number) {
  const PlanDocument &document = plan.document;
  const StepEstimate &estimate = document.estimate;
  const StageEstimate &fullest = estimate.ranks.at(estimate.fullestRank);
  std::string text = fmt::format(
      "<h2 id=\"plan{}\">{}</h2>\n<p class=\"note\">{} on {}: {}</p>\n", number,
      escaped(plan.name), escaped(document.model.identity.name),
      escaped(document.cluster.name), escaped(document.strategy.str()));
  text += "<div class=\"figures\">\n";
  text +=
      figure(describeTime(estimate.step()),
             fmt::format("per step, ± {:.0f} %", 100 * estimate.uncertainty));
  text += figure(describeBytes(fullest.memory.total()),
                 fmt::format("on the fullest rank, of {}",
                             describeBytes(fullest.memoryLimit)));
  text += figure(std::to_string(document.strategy.rankCount()), "devices");
  text += figure(describeCount(document.model.parameters), "parameters");
  text += figure(std::to_string(document.model.globalBatch),
                 hasTokens(document.model)
                     ? fmt::format("sequences of {} per step",
                                   document.model.sequenceLength)
                     : "samples per step");
  if (document.dollars)
    text += figure(fmt::format("{:.4g} USD", *document.dollars), "per step");
  text += "</div>\n";
  text += ranking(plan) + rankMemory(plan) + rankTimes(plan) + timeline(plan) +
          meshPicture(plan) + parameterTable(plan) + sensitivity(plan);
  return text + section("Where this is from", "",
                        fmt::format("<pre>{}{}{}</pre>\n",
                                    escaped(describeProof(document)),
                                    escaped(describeCheckpoints(document)),
                                    escaped(describeSources(document))));
}

} // namespace
} // namespace html

std::string htmlReport(std::span<const ReportedPlan> plans) {
  const PlanDocument &first = plans.front().document;
  std::string title = plans.size() == 1
                          ? fmt::format("{} on {}", first.model.identity.name,
                                        first.cluster.name)
                          : fmt::format("{} plans", plans.size());
  std::string page = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width\"/>\n"
      "<title>{0}</title>\n<style>{1}</style>\n</head>\n<body>\n<h1>{0}</h1>\n"
      "<p class=\"note\">Made by shardsmith {2}. Times and memory are "
      "predictions of its cost model.</p>\n",
      html::escaped(title), html::style, html::escaped(first.toolVersion));
  if (plans.size() > 1)
    page += html::comparison(plans);
  for (size_t i = 0; i < plans.size(); ++i)
    page += html::onePlan(plans[i], i + 1);
  return page + "</body>\n</html>\n";
}

} // namespace shardsmith

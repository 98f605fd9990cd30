// SPDX-License-Identifier: Apache-2.0
//
// The cluster once per axis: a row per node, a square per device. The group of
// the first device is filled, with the coordinates of its members; other groups
// of the axis lie alike.

#include "Sections.h"

#include "shardsmith/Cluster/Topology.h"
#include "shardsmith/PlanFiles/PlanReport.h"

#include <fmt/format.h>

#include <algorithm>

namespace shardsmith::html {
namespace {

constexpr double cell = 20, label = 64;
/// Nodes, and devices of a node, that a picture has room for.
constexpr int64_t mostNodes = 32, mostInNode = 72;

/// Ranks by node, in their order.
std::vector<std::vector<int64_t>> nodesOf(const Cluster &cluster,
                                          int64_t ranks) {
  std::vector<std::vector<int64_t>> nodes;
  std::vector<int64_t> devices = cluster.usableDevices();
  std::optional<std::tuple<size_t, int64_t, int64_t>> before;
  for (int64_t rank = 0; rank < std::min<int64_t>(ranks, devices.size());
       ++rank) {
    DevicePosition place = positionOf(cluster, devices[rank]);
    std::tuple<size_t, int64_t, int64_t> node{place.group, place.copy,
                                              place.node};
    if (!before || node != *before)
      nodes.emplace_back();
    before = node;
    nodes.back().push_back(rank);
  }
  return nodes;
}

std::string picture(const std::vector<std::vector<int64_t>> &nodes,
                    int64_t stride, int64_t size) {
  int64_t rows = std::min<int64_t>(nodes.size(), mostNodes);
  size_t columns = 0;
  for (const std::vector<int64_t> &node : nodes)
    columns = std::max(columns, node.size());
  columns = std::min<size_t>(columns, mostInNode);
  double width = label + double(columns) * cell + 4;
  double height = double(rows) * (cell + 4);
  std::string text =
      fmt::format("<svg class=\"mesh\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
                  "height=\"{1}\" role=\"img\">",
                  width, height);
  for (int64_t row = 0; row < rows; ++row) {
    double y = double(row) * (cell + 4);
    text += fmt::format("<text class=\"label\" x=\"0\" y=\"{}\">node "
                        "{}</text>",
                        y + 14, row);
    size_t shown = std::min(nodes[row].size(), columns);
    text += fmt::format("<rect class=\"node\" x=\"{}\" y=\"{}\" width=\"{}\" "
                        "height=\"{}\"/>",
                        label - 2, y, double(shown) * cell + 2, cell + 2);
    for (size_t i = 0; i < shown; ++i) {
      int64_t rank = nodes[row][i];
      bool isMember = rank % stride == 0 && rank / stride < size;
      double x = label + double(i) * cell;
      text += fmt::format("<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" "
                          "height=\"{}\"><title>rank {}</title></rect>",
                          isMember ? "blue" : "device", x, y + 2, cell - 2,
                          cell - 2, rank);
      if (isMember)
        text += fmt::format("<text class=\"in\" x=\"{}\" y=\"{}\">{}</text>",
                            x + cell / 2 - 1, y + 15, rank / stride);
    }
  }
  text += "</svg>";
  if (int64_t(nodes.size()) > rows)
    text += fmt::format("<p class=\"note\">and {} nodes more</p>",
                        nodes.size() - rows);
  return text;
}

/// `4 over nvlink4 in a node, 2 over network`
std::string links(const GroupPath &path) {
  std::string text;
  for (const PathLevel &level : path.levels) {
    if (level.fanout == 1)
      continue;
    if (!text.empty())
      text += ", then ";
    text +=
        level.bytesPerSecond > 0
            ? fmt::format("{} over {} ({}), {:.4g} GB/s for each", level.fanout,
                          level.link, level.name, level.bytesPerSecond * 1e-9)
            : fmt::format("{} that nothing connects", level.fanout);
  }
  return text;
}

} // namespace

std::string meshPicture(const ReportedPlan &plan) {
  const Strategy &strategy = plan.document.strategy;
  const Cluster &cluster = plan.topology.cluster();
  std::vector<std::vector<int64_t>> nodes =
      nodesOf(cluster, strategy.rankCount());
  std::string content = "<div class=\"maps\">\n";
  int64_t stride = 1;
  for (PlanAxis axis : strategy.deviceOrder) {
    int64_t size = strategy.degree(axis);
    if (size > 1) {
      // Groups that do not lie in one kind of device have no single path.
      bool hasPath = stride * size <= plan.topology.deviceCount();
      content += fmt::format(
          "<figure><figcaption><b>{} {}</b>: {}. {}</figcaption>{}</figure>\n",
          nameOf(axis), size,
          stride == 1 ? "neighbours"
                      : fmt::format("members are {} ranks apart", stride),
          hasPath ? escaped(links(plan.topology.path(stride, size))) : "",
          picture(nodes, stride, size));
    }
    stride *= size;
  }
  if (stride == 1)
    content += "<p>One device, no axes.</p>";
  std::string note =
      "Each picture is the cluster, a row per node. Filled is the group that "
      "rank 0 is in, with coordinates along the axis; all other groups of the "
      "axis are the same, moved.";
  if (strategy.expert > 1)
    note += fmt::format(" The {} expert ranks are a part of the data and "
                        "context ranks, innermost first.",
                        strategy.expert);
  return section("Mesh on the cluster", note, content + "</div>\n");
}

std::string parameterTable(const ReportedPlan &plan) {
  std::vector<std::vector<Cell>> rows;
  const Strategy &strategy = plan.document.strategy;
  for (const NamedLayout &layout : plan.document.layouts) {
    bool isFirst = true;
    for (const NamedLayout::ParameterEntry &parameter : layout.parameters) {
      std::string names;
      // Layers that differ in more than a number have many names.
      constexpr size_t mostNames = 3;
      for (size_t i = 0; i < parameter.names.size() && i < mostNames; ++i)
        names += (i == 0 ? "" : ", ") + parameter.names[i];
      if (parameter.names.size() > mostNames)
        names +=
            fmt::format(", and {} more", parameter.names.size() - mostNames);
      std::string shape, chips;
      for (size_t dim = 0; dim < parameter.shape.size(); ++dim) {
        shape +=
            fmt::format("{}{}", dim == 0 ? "" : " × ", parameter.shape[dim]);
        if (dim >= parameter.axes.size())
          continue;
        for (const std::string &axis : parameter.axes[dim])
          chips += fmt::format("<span class=\"chip {}\">dimension {} over "
                               "{}</span> ",
                               axis == "tensor" ? "orange" : "magenta", dim,
                               escaped(axis));
      }
      if (chips.empty())
        chips = "whole";
      rows.push_back({text(isFirst ? layout.block : ""), text(names),
                      number(shape), markup(chips)});
      isFirst = false;
    }
  }
  if (rows.empty())
    return "";
  std::string note = "How parameters lie while they are used.";
  if (strategy.zeroStage > 0)
    note += fmt::format(" On top of that ZeRO {} splits {} over {} ranks.",
                        describeZero(strategy),
                        strategy.zeroStage == 1 ? "optimizer states"
                        : strategy.zeroStage == 2
                            ? "gradients and optimizer states"
                            : "parameters, gradients and optimizer states",
                        strategy.zeroGroup > 0 ? strategy.zeroGroup
                                               : strategy.replicas());
  return section("Parameters by layer", note,
                 table({"block", "parameters", "shape", "split"}, rows));
}

} // namespace shardsmith::html

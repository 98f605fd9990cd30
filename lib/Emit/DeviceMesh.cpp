// SPDX-License-Identifier: Apache-2.0

#include "DeviceMesh.h"

#include <algorithm>
#include <fmt/format.h>

namespace shardsmith::emit {

int64_t DeviceMesh::sizeOf(std::string_view axis) const {
  auto found = std::ranges::find(axes, axis, &MeshAxis::name);
  return found == axes.end() ? 1 : found->size;
}

int64_t DeviceMesh::sizeOf(const std::vector<std::string> &names) const {
  int64_t size = 1;
  for (const std::string &name : names)
    size *= sizeOf(name);
  return size;
}

namespace {

class MeshBuilder {
public:
  MeshBuilder(const Strategy &strategy, Refusals &refusals)
      : strategy(strategy), refusals(refusals) {}

  std::optional<DeviceMesh> run() {
    if (!cutData())
      return std::nullopt;
    for (auto axis = strategy.deviceOrder.rbegin();
         axis != strategy.deviceOrder.rend(); ++axis)
      if (*axis == PlanAxis::Data)
        mesh.axes.insert(mesh.axes.end(), data.begin(), data.end());
      else if (strategy.degree(*axis) > 1)
        mesh.axes.push_back(
            {std::string(nameOf(*axis)), strategy.degree(*axis)});
    for (const MeshAxis &axis : data)
      mesh.batch.push_back(axis.name);
    if (strategy.zeroStage > 0)
      mesh.zero = innermost(zeroRanks(strategy));
    mesh.expert = innermost(strategy.expert);
    return mesh;
  }

private:
  /// Cuts the data axis where `ranks` innermost ranks end.
  bool cut(int64_t ranks, std::string_view what) {
    if (ranks == 1)
      return true;
    if (ranks % strategy.context == 0) {
      cuts.push_back(ranks / strategy.context);
      return true;
    }
    refusals.add(fmt::format("{} on {} ranks, a part of context={}", what,
                             ranks, strategy.context),
                 "cp=1");
    return false;
  }

  bool cutData() {
    if (!cut(strategy.expert, "experts") || !cut(zeroRanks(strategy), "ZeRO"))
      return false;
    cuts.push_back(strategy.data);
    std::ranges::sort(cuts);
    int64_t inside = 1;
    for (int64_t end : cuts) {
      if (end % inside) {
        refusals.add(fmt::format("data={} cut at {} and at {} ranks",
                                 strategy.data, inside, end));
        return false;
      }
      if (end > inside)
        data.insert(data.begin(), {"", end / inside});
      inside = end;
    }
    for (size_t i = 0; i < data.size(); ++i)
      data[i].name = data.size() == 1 ? "data" : fmt::format("data{}", i);
    return true;
  }

  /// The axes of so many ranks of context and data.
  std::vector<std::string> innermost(int64_t ranks) const {
    std::vector<std::string> names;
    if (ranks == 1)
      return names;
    int64_t size = strategy.context;
    for (auto axis = data.rbegin(); axis != data.rend() && size < ranks;
         ++axis) {
      names.insert(names.begin(), axis->name);
      size *= axis->size;
    }
    if (strategy.context > 1)
      names.emplace_back(nameOf(PlanAxis::Context));
    return names;
  }

  const Strategy &strategy;
  Refusals &refusals;
  std::vector<int64_t> cuts;
  /// Major to minor.
  std::vector<MeshAxis> data;
  DeviceMesh mesh;
};

} // namespace

std::optional<DeviceMesh> deviceMesh(const Strategy &strategy,
                                     Refusals &refusals) {
  return MeshBuilder(strategy, refusals).run();
}

} // namespace shardsmith::emit

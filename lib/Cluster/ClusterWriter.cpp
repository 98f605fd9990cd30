// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Cluster/Cluster.h"
#include "shardsmith/Support/Gibibytes.h"
#include "shardsmith/Support/Json.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdlib>

namespace shardsmith {
namespace {

// Keys of nlohmann::json objects are sorted, which makes the text canonical.
using Json = nlohmann::json;

/// Twelve digits: what is read back and converted to other units and back
/// again gives the same text.
double rounded(double value) {
  return std::strtod(fmt::format("{:.12g}", value).c_str(), nullptr);
}

Json toJson(const DeviceType &type) {
  Json peaks = Json::object();
  for (const auto &[name, peak] : type.flopsPerSecond)
    peaks[name] = rounded(peak / 1e12);
  Json json = {
      {"kind", type.kind},
      {"arch", type.arch},
      {"memory_gib", rounded(gibOf(type.memory))},
      {"memory_reserved_gib", rounded(gibOf(type.reserved))},
      {"memory_bandwidth_gb_per_s", rounded(type.bytesPerSecond / 1e9)},
      {"peak_tflops", peaks},
      {"efficiency",
       {{"matmul", type.matmulEfficiency}, {"memory", type.memoryEfficiency}}},
      {"kernel_launch_us", rounded(double(type.launch.count()) / 1e3)},
      {"cache_mib", rounded(double(type.cache.count()) / 1048576)},
      {"copy_engines", type.copyEngines},
      {"streams", type.streams}};
  if (type.dollarsPerHour)
    json["price_per_hour_usd"] = *type.dollarsPerHour;
  if (type.watts)
    json["power_w"] = *type.watts;
  for (const auto &[name, fit] : type.matmulFits)
    json["matmul_fits"][name] = {{"peak_share", fit.peakShare},
                                 {"rows", fit.rows},
                                 {"columns", fit.columns},
                                 {"depth", fit.depth},
                                 {"memory_share", fit.memoryShare},
                                 {"base_us", rounded(fit.baseSeconds * 1e6)},
                                 {"power", fit.power}};
  for (const AttentionFit &fit : type.attentionFits)
    json["attention_fits"].push_back(
        {{"head_size", fit.headSize},
         {"tflops", rounded(fit.flopsPerSecond / 1e12)},
         {"half_rate_length", fit.halfRateLength},
         {"half_rate_rows", fit.halfRateRows},
         {"memory_share", fit.memoryShare},
         {"base_us", rounded(fit.baseSeconds * 1e6)}});
  return json;
}

Json toJson(const LinkType &type) {
  Json json = {{"kind", type.kind},
               {"bandwidth_gb_per_s", rounded(type.bytesPerSecond / 1e9)},
               {"latency_us", rounded(type.latencySeconds * 1e6)},
               {"message_us", rounded(type.messageSeconds * 1e6)},
               {"duplex", type.duplex},
               {"efficiency", type.efficiency},
               {"multicast", type.multicast},
               {"loss", type.loss},
               {"tcp_streams", type.tcpStreams},
               {"egress_usd_per_gib", type.egressDollarsPerGib}};
  for (const CollectiveFit &fit : type.collectiveFits)
    json["collective_fits"].push_back(
        {{"collective", fit.collective},
         {"members", fit.members},
         {"latency_us", rounded(fit.latencySeconds * 1e6)},
         {"gb_per_s", rounded(fit.bytesPerSecond / 1e9)},
         {"power", fit.power}});
  return json;
}

Json toJson(const Group &group) {
  const Node &node = group.node;
  Json devices = Json::array();
  for (const DeviceSlot &slot : node.devices)
    devices.push_back({{"type", slot.type}, {"count", slot.count}});
  Json json = {
      {"count", node.count},
      {"devices", devices},
      {"host",
       {{"memory_gib", node.hostMemoryGib},
        {"cores", node.hostCores},
        {"pcie_gb_per_s", rounded(node.hostPcieBytesPerSecond / 1e9)},
        {"storage_gb_per_s", rounded(node.storageBytesPerSecond / 1e9)}}}};
  json["fabric"]["topology"] = node.fabricTopology;
  if (!node.fabricLink.empty())
    json["fabric"]["link"] = node.fabricLink;
  if (!node.islands.empty())
    json["fabric"]["islands"] = node.islands;
  if (node.nicCount > 0)
    json["nics"] = {{"link", node.nicLink},
                    {"count", node.nicCount},
                    {"affinity", node.nicAffinity}};
  Json result = {{"name", group.name}, {"count", group.count}, {"node", json}};
  if (node.count > 1) {
    result["network"] = {{"topology", group.network.topology},
                         {"link", group.network.link},
                         {"oversubscription", group.network.oversubscription},
                         {"rails", group.network.rails}};
    if (!group.network.dims.empty())
      result["network"]["dims"] = group.network.dims;
  }
  return result;
}

Json toJson(const LinkOverride &entry) {
  Json json = {{"from", entry.from},
               {"to", entry.to},
               {"oneway", entry.oneway},
               {"down", entry.down}};
  if (entry.scale)
    json["scale"] = *entry.scale;
  if (entry.link)
    json["link"] = *entry.link;
  return json;
}

Json toJson(const Calibration &entry) {
  Json points = Json::array();
  for (const CalibrationPoint &point : entry.points)
    points.push_back({point.bytes, rounded(point.seconds * 1e6)});
  return {{"collective", entry.collective},
          {"scope", entry.scope},
          {"group_size", entry.groupSize},
          {"dtype", entry.dtype},
          {"points_bytes_us", points}};
}

Json toJson(const Limits &limits) {
  Json json = {{"exclude", limits.exclude},
               {"failure_rate_per_device_hour", limits.failuresPerDeviceHour}};
  if (limits.dollarsPerHour)
    json["budget_usd_per_hour"] = *limits.dollarsPerHour;
  if (limits.kilowatts)
    json["power_kw"] = *limits.kilowatts;
  if (limits.maxDevices)
    json["max_devices"] = *limits.maxDevices;
  return json;
}

} // namespace

std::string Cluster::toJson() const {
  Json json = {{"version", 1}, {"name", name}};
  if (provenance == Provenance::Measured)
    json["provenance"] = "measured";
  for (const auto &[typeName, type] : deviceTypes)
    json["device_types"][typeName] = shardsmith::toJson(type);
  json["link_types"] = Json::object();
  for (const auto &[typeName, type] : linkTypes)
    json["link_types"][typeName] = shardsmith::toJson(type);
  for (const Group &group : groups)
    json["groups"].push_back(shardsmith::toJson(group));
  json["interconnects"] = Json::array();
  for (const Interconnect &entry : interconnects)
    json["interconnects"].push_back({{"between", {entry.first, entry.second}},
                                     {"link", entry.link},
                                     {"parallel", entry.parallel}});
  json["links"] = Json::array();
  for (const LinkOverride &entry : links)
    json["links"].push_back(shardsmith::toJson(entry));
  json["collectives"] = Json::object();
  for (const auto &[collective, list] : algorithms)
    json["collectives"][collective] = {{"algorithms", list}};
  json["calibration"] = Json::array();
  for (const Calibration &entry : calibration)
    json["calibration"].push_back(shardsmith::toJson(entry));
  json["limits"] = shardsmith::toJson(limits);
  return jsonText(json, 2) + "\n";
}

} // namespace shardsmith

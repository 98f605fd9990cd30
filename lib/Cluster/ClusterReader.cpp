// SPDX-License-Identifier: Apache-2.0

#include "ClusterCheck.h"
#include "TypeReaders.h"
#include "shardsmith/Cluster/JsonObject.h"

#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <sstream>

namespace shardsmith {
namespace cluster {
namespace {

using Json = nlohmann::json;

class Reader {
public:
  explicit Reader(std::vector<ClusterIssue> &errors) : errors(errors) {}

  Cluster read(const Json &json) {
    Cluster cluster;
    JsonObject top(json, "", errors);
    int64_t version = top.integer("version", 0, std::nullopt);
    if (top.has("version") && version != 1)
      top.error("version",
                fmt::format("unknown version {}, expected 1", version));
    cluster.name = top.string("name", "");
    readMap(top, "device_types", /*required=*/true,
            [&](const std::string &name, JsonObject &object) {
              cluster.deviceTypes[name] = readDeviceType(object);
            });
    readMap(top, "link_types", /*required=*/false,
            [&](const std::string &name, JsonObject &object) {
              cluster.linkTypes[name] = readLinkType(object);
            });
    top.forEachObject("groups", /*required=*/true, [&](JsonObject &object) {
      cluster.groups.push_back(readGroup(object));
    });
    top.forEachObject("interconnects", false, [&](JsonObject &object) {
      cluster.interconnects.push_back(readInterconnect(object));
    });
    top.forEachObject("links", false, [&](JsonObject &object) {
      cluster.links.push_back(readLinkOverride(object));
    });
    if (top.oneOf("provenance", {"given", "measured"}, "given") == "measured")
      cluster.provenance = Provenance::Measured;
    readAlgorithms(top, cluster);
    top.forEachObject("calibration", false, [&](JsonObject &object) {
      cluster.calibration.push_back(readCalibration(object));
    });
    if (const Json *limits = top.nested("limits", "object", false)) {
      JsonObject object(*limits, top.pointerTo("limits"), errors);
      cluster.limits = readLimits(object);
      object.finish();
    }
    top.finish();
    return cluster;
  }

private:
  using ReadNamed = std::function<void(const std::string &, JsonObject &)>;

  void readMap(JsonObject &parent, const std::string &key, bool required,
               const ReadNamed &read) {
    const Json *map = parent.nested(key, "object", required);
    if (!map)
      return;
    if (required && map->empty())
      parent.error(key, "expected at least one entry");
    JsonObject entries(*map, parent.pointerTo(key), errors);
    for (const auto &[name, value] : map->items()) {
      JsonObject object(value, entries.pointerTo(name), errors);
      read(name, object);
      object.finish();
    }
  }

  Group readGroup(JsonObject &object) {
    Group group;
    group.name = object.string("name", std::nullopt);
    if (object.has("name") && !isIdentifier(group.name))
      object.error("name", fmt::format("\"{}\" is no identifier: letters, "
                                       "digits, '_' and '-' only",
                                       group.name));
    group.count = object.integer("count", 1, 1);
    if (const Json *node = object.nested("node", "object", true)) {
      JsonObject entry(*node, object.pointerTo("node"), errors);
      group.node = readNode(entry);
      entry.finish();
    }
    group.network.link = group.node.nicLink;
    if (const Json *network = object.nested("network", "object", false)) {
      JsonObject entry(*network, object.pointerTo("network"), errors);
      readNetwork(entry, group);
      entry.finish();
    } else if (group.node.count > 1) {
      object.error("network", "missing; a group of several nodes needs it");
    }
    return group;
  }

  void readNetwork(JsonObject &object, Group &group) {
    Network &network = group.network;
    network.topology = object.oneOf("topology",
                                    {"fat-tree", "ring", "torus2d", "torus3d",
                                     "switch", "full", "dragonfly"},
                                    "fat-tree");
    network.link = object.string("link", group.node.nicLink);
    network.oversubscription = object.number("oversubscription", atLeastOne, 1);
    network.rails = object.integer("rails", 1, 1);
    network.dims = readCounts(object, "dims");
  }

  Node readNode(JsonObject &object) {
    Node node;
    node.count = object.integer("count", 1, 1);
    object.forEachObject("devices", /*required=*/true, [&](JsonObject &entry) {
      DeviceSlot slot;
      slot.type = entry.string("type", std::nullopt);
      slot.count = entry.integer("count", 1, std::nullopt);
      node.devices.push_back(slot);
    });
    if (const Json *fabric = object.nested("fabric", "object", false)) {
      JsonObject entry(*fabric, object.pointerTo("fabric"), errors);
      node.fabricTopology = entry.oneOf(
          "topology", {"switch", "ring", "full", "pcie-tree", "none"},
          "switch");
      node.fabricLink = entry.string("link", "");
      node.islands = readCounts(entry, "islands");
      entry.finish();
    }
    if (const Json *nics = object.nested("nics", "object", false)) {
      JsonObject entry(*nics, object.pointerTo("nics"), errors);
      node.nicLink = entry.string("link", std::nullopt);
      node.nicCount = entry.integer("count", 1, std::nullopt);
      node.nicAffinity =
          entry.oneOf("affinity", {"1:1", "shared", "numa"}, "shared");
      entry.finish();
    }
    if (const Json *host = object.nested("host", "object", false)) {
      JsonObject entry(*host, object.pointerTo("host"), errors);
      node.hostMemoryGib = entry.number("memory_gib", nonNegative, 0);
      node.hostCores = entry.integer("cores", 0, 0);
      node.hostPcieBytesPerSecond =
          1e9 * entry.number("pcie_gb_per_s", nonNegative, 0);
      node.storageBytesPerSecond =
          1e9 * entry.number("storage_gb_per_s", nonNegative, 0);
      entry.finish();
    }
    return node;
  }

  std::vector<int64_t> readCounts(JsonObject &object, const std::string &key) {
    std::vector<int64_t> counts;
    object.forEach(
        key, false, [&](const Json &value, const std::string &pointer) {
          if (!value.is_number_integer() || value.get<int64_t>() < 1) {
            errors.push_back(
                {pointer,
                 "expected an integer of 1 or more, found " + shown(value)});
            return;
          }
          counts.push_back(value.get<int64_t>());
        });
    return counts;
  }

  std::vector<std::string> readStrings(JsonObject &object,
                                       const std::string &key) {
    std::vector<std::string> strings;
    object.forEach(key, false,
                   [&](const Json &value, const std::string &pointer) {
                     if (value.is_string())
                       strings.push_back(value.get<std::string>());
                     else
                       errors.push_back({pointer, "expected a string, found " +
                                                      shown(value)});
                   });
    return strings;
  }

  Interconnect readInterconnect(JsonObject &object) {
    Interconnect result;
    if (!object.has("between"))
      object.error("between", "missing; expected two groups");
    std::vector<std::string> ends = readStrings(object, "between");
    if (object.has("between") && ends.size() != 2)
      object.error("between", "expected two groups");
    ends.resize(2);
    result.first = ends[0];
    result.second = ends[1];
    result.link = object.string("link", std::nullopt);
    result.parallel = object.integer("parallel", 1, 1);
    return result;
  }

  LinkOverride readLinkOverride(JsonObject &object) {
    LinkOverride result;
    result.from = object.string("from", std::nullopt);
    result.to = object.string("to", std::nullopt);
    result.oneway = object.boolean("oneway", false);
    result.down = object.boolean("down", false);
    result.scale = object.optionalNumber("scale", positive);
    if (object.has("link"))
      result.link = object.string("link", "");
    if (!result.down && !result.scale && !result.link)
      object.error("scale", "expected one of scale, link and down");
    return result;
  }

  void readAlgorithms(JsonObject &top, Cluster &cluster) {
    const Json *map = top.nested("collectives", "object", false);
    if (!map)
      return;
    static const std::vector<std::string> algorithms = {"ring", "tree", "nvls",
                                                        "hierarchical"};
    JsonObject entries(*map, top.pointerTo("collectives"), errors);
    for (const auto &[name, value] : map->items()) {
      if (name.starts_with("x_"))
        continue;
      checkCollective(entries, name, name);
      JsonObject object(value, entries.pointerTo(name), errors);
      for (const std::string &word : readStrings(object, "algorithms")) {
        if (std::find(algorithms.begin(), algorithms.end(), word) ==
            algorithms.end())
          object.error("algorithms",
                       fmt::format("unknown algorithm \"{}\", expected one of "
                                   "{}",
                                   word, fmt::join(algorithms, ", ")));
        cluster.algorithms[name].push_back(word);
      }
      object.finish();
    }
  }

  Calibration readCalibration(JsonObject &object) {
    Calibration result;
    result.collective = object.string("collective", std::nullopt);
    if (object.has("collective"))
      checkCollective(object, "collective", result.collective);
    result.scope = object.string("scope", std::nullopt);
    result.groupSize = object.integer("group_size", 2, std::nullopt);
    result.dtype = object.string("dtype", "");
    object.forEach(
        "points_bytes_us", true,
        [&](const Json &value, const std::string &pointer) {
          if (!value.is_array() || value.size() != 2 || !value[0].is_number() ||
              !value[1].is_number() || value[0].get<double>() < 0 ||
              value[0].get<double>() > 9e18 || value[1].get<double>() <= 0) {
            errors.push_back(
                {pointer,
                 "expected [bytes, microseconds], found " + shown(value)});
            return;
          }
          result.points.push_back({std::llround(value[0].get<double>()),
                                   value[1].get<double>() * 1e-6});
        });
    return result;
  }

  Limits readLimits(JsonObject &object) {
    Limits limits;
    limits.dollarsPerHour =
        object.optionalNumber("budget_usd_per_hour", positive);
    limits.kilowatts = object.optionalNumber("power_kw", positive);
    limits.exclude = readStrings(object, "exclude");
    if (object.has("max_devices"))
      limits.maxDevices = object.integer("max_devices", 1, 1);
    else
      object.integer("max_devices", 1, 1);
    limits.failuresPerDeviceHour =
        object.number("failure_rate_per_device_hour", nonNegative, 0);
    return limits;
  }

  static bool isIdentifier(const std::string &name) {
    return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) || c == '_' ||
             c == '-';
    });
  }

  std::vector<ClusterIssue> &errors;
};

} // namespace
} // namespace cluster

ClusterResult readCluster(std::string_view text) {
  ClusterResult result;
  std::optional<nlohmann::json> json = cluster::parseJson(text, result.errors);
  if (!json)
    return result;
  Cluster cluster = cluster::Reader(result.errors).read(*json);
  if (result.errors.empty())
    cluster::checkCluster(cluster, result.errors, result.warnings);
  if (result.errors.empty())
    result.cluster = std::move(cluster);
  return result;
}

} // namespace shardsmith

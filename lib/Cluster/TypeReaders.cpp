// SPDX-License-Identifier: Apache-2.0

#include "TypeReaders.h"

#include "shardsmith/Support/ClosestWord.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace shardsmith::cluster {
namespace {

using Json = nlohmann::json;

constexpr double gib = 1024.0 * 1024.0 * 1024.0;

/// Gibibytes as bytes; saturates instead of overflowing.
Bytes bytesOf(double amountGib) {
  double bytes = amountGib * gib;
  return bytes >= 9.2e18 ? Bytes::saturated() : Bytes(std::llround(bytes));
}

/// Reports names that are none.
bool isElementType(JsonObject &entries, const std::string &name) {
  static const std::vector<std::string> known = {
      "f64",    "f32",      "tf32", "f16", "bf16", "f8E4M3FN",
      "f8E5M2", "f4E2M1FN", "i32",  "i16", "i8",   "i4"};
  if (std::find(known.begin(), known.end(), name) != known.end())
    return true;
  std::string hint = closestWord(name, known);
  entries.error(name, hint.empty()
                          ? "unknown element type"
                          : fmt::format("unknown element type, did you mean "
                                        "\"{}\"?",
                                        hint));
  return false;
}

void readPeaks(JsonObject &object, DeviceType &type) {
  const Json *peaks = object.nested("peak_tflops", "object", true);
  if (!peaks)
    return;
  JsonObject entries = object.child("peak_tflops", *peaks);
  for (const auto &[name, unused] : peaks->items()) {
    if (name.starts_with("x_"))
      continue;
    if (!isElementType(entries, name))
      continue;
    type.flopsPerSecond[name] =
        1e12 * entries.number(name, nonNegative, std::nullopt);
  }
  bool hasPeak = false;
  for (const auto &[name, peak] : type.flopsPerSecond)
    hasPeak |= peak > 0;
  if (!hasPeak)
    object.error("peak_tflops", "expected at least one entry above 0");
}

void readFits(JsonObject &object, DeviceType &type) {
  if (const Json *fits = object.nested("matmul_fits", "object", false)) {
    JsonObject entries = object.child("matmul_fits", *fits);
    for (const auto &[name, value] : fits->items()) {
      if (name.starts_with("x_") || !isElementType(entries, name))
        continue;
      JsonObject entry = entries.child(name, value);
      MatmulFit &fit = type.matmulFits[name];
      fit.peakShare = entry.number("peak_share", positive, std::nullopt);
      fit.rows = entry.number("rows", nonNegative, 0);
      fit.columns = entry.number("columns", nonNegative, 0);
      fit.depth = entry.number("depth", nonNegative, 0);
      fit.memoryShare = entry.number("memory_share", positive, 0.8);
      fit.baseSeconds = 1e-6 * entry.number("base_us", nonNegative, 0);
      fit.power = entry.number("power", atLeastOne, 4);
      entry.finish();
    }
  }
  object.forEachObject("attention_fits", false, [&](JsonObject &entry) {
    AttentionFit fit;
    fit.headSize = entry.integer("head_size", 1, std::nullopt);
    if (!type.attentionFits.empty() &&
        fit.headSize <= type.attentionFits.back().headSize)
      entry.error("head_size", "head sizes must rise");
    fit.flopsPerSecond = 1e12 * entry.number("tflops", positive, std::nullopt);
    fit.halfRateLength = entry.number("half_rate_length", nonNegative, 0);
    fit.halfRateRows = entry.number("half_rate_rows", nonNegative, 0);
    fit.memoryShare = entry.number("memory_share", positive, 0.8);
    fit.baseSeconds = 1e-6 * entry.number("base_us", nonNegative, 0);
    type.attentionFits.push_back(fit);
  });
}

} // namespace

DeviceType readDeviceType(JsonObject &object) {
  DeviceType type;
  type.kind = object.oneOf("kind", {"gpu", "cpu", "tpu", "other"}, "gpu");
  type.arch = object.string("arch", "");
  size_t errorsBefore = object.errorCount();
  double memory = object.number("memory_gib", positive, std::nullopt);
  double reserved =
      object.number("memory_reserved_gib", nonNegative, 0.04 * memory);
  if (object.errorCount() == errorsBefore && bytesOf(memory) < Bytes(1))
    object.error("memory_gib", "less than one byte");
  if (object.errorCount() == errorsBefore && reserved >= memory)
    object.error("memory_reserved_gib",
                 fmt::format("{} GiB are reserved of {} GiB of memory",
                             reserved, memory));
  type.memory = bytesOf(memory);
  type.reserved = bytesOf(reserved);
  type.bytesPerSecond =
      1e9 * object.number("memory_bandwidth_gb_per_s", positive, std::nullopt);
  readPeaks(object, type);
  if (const Json *efficiency = object.nested("efficiency", "object", false)) {
    JsonObject entry = object.child("efficiency", *efficiency);
    type.matmulEfficiency = entry.number("matmul", fraction, 0.5);
    type.memoryEfficiency = entry.number("memory", fraction, 0.8);
    entry.finish();
  }
  double launch = object.number("kernel_launch_us", nonNegative,
                                type.kind == "gpu" ? 4.0 : 0.5);
  type.launch = Nanoseconds(std::llround(std::min(launch * 1e3, 9e18)));
  type.cache = Bytes(std::llround(
      std::min(object.number("cache_mib", nonNegative, 0) * 1048576, 9e18)));
  type.copyEngines = object.integer("copy_engines", 0, 1);
  type.streams = object.integer("streams", 1, 4);
  type.dollarsPerHour =
      object.optionalNumber("price_per_hour_usd", nonNegative);
  type.watts = object.optionalNumber("power_w", positive);
  readFits(object, type);
  return type;
}

void checkCollective(JsonObject &object, const std::string &key,
                     const std::string &name) {
  static const std::vector<std::string> known = {
      "all_reduce", "all_gather", "reduce_scatter", "all_to_all", "broadcast",
      "permute",    "send"};
  if (std::find(known.begin(), known.end(), name) != known.end())
    return;
  std::string hint = closestWord(name, known);
  object.error(key, fmt::format("unknown collective \"{}\"{}", name,
                                hint.empty() ? ""
                                             : fmt::format(", did you mean "
                                                           "\"{}\"?",
                                                           hint)));
}

LinkType readLinkType(JsonObject &object) {
  LinkType type;
  type.kind = object.oneOf("kind",
                           {"nvlink", "pcie", "infiniband", "roce", "ethernet",
                            "xgmi", "ici", "shared-memory", "other"},
                           "other");
  type.bytesPerSecond =
      1e9 * object.number("bandwidth_gb_per_s", positive, std::nullopt);
  type.latencySeconds =
      1e-6 * object.number("latency_us", nonNegative, std::nullopt);
  type.duplex = object.boolean("duplex", true);
  type.efficiency = object.number("efficiency", fraction, 0.9);
  type.multicast = object.boolean("multicast", false);
  type.messageSeconds = 1e-6 * object.number("message_us", nonNegative, 0);
  type.loss = object.number("loss", probability, 0);
  type.tcpStreams = object.integer("tcp_streams", 1, 1);
  type.egressDollarsPerGib =
      object.number("egress_usd_per_gib", nonNegative, 0);
  object.forEachObject("collective_fits", false, [&](JsonObject &entry) {
    CollectiveFit fit;
    fit.collective = entry.string("collective", std::nullopt);
    if (entry.has("collective"))
      checkCollective(entry, "collective", fit.collective);
    fit.members = entry.integer("members", 2, std::nullopt);
    fit.latencySeconds =
        1e-6 * entry.number("latency_us", positive, std::nullopt);
    fit.bytesPerSecond = 1e9 * entry.number("gb_per_s", positive, std::nullopt);
    fit.power = entry.number("power", positive, 1);
    if (!type.collectiveFits.empty()) {
      const CollectiveFit &last = type.collectiveFits.back();
      if (last.collective == fit.collective && fit.members <= last.members)
        entry.error("members", "must rise within a collective");
    }
    type.collectiveFits.push_back(fit);
  });
  return type;
}

} // namespace shardsmith::cluster

// SPDX-License-Identifier: Apache-2.0
//
// Peaks, memory, power and link bandwidth are the makers' datasheet figures
// (collected by stas00/ml-engineering, CC BY-SA 4.0). Matmul efficiencies are
// 85-90 % of the best rate measured for the device (same source, or
// ai-dynamo/aiconfigurator), those of T4, L4, A10, RTX 3090, RTX 4090, MI250X
// and the TPUs estimates. Latencies and efficiencies of links follow published
// NCCL runs where there are any (see BuiltinFits.cpp), else they are
// estimates. Prices are on-demand list or market prices of 2024-2026 and vary
// by a factor of two between providers; 0 stands for unknown.

#include "BuiltinDevices.h"

#include "BuiltinFits.h"

#include <algorithm>
#include <cmath>

namespace shardsmith::cluster {
namespace {

// clang-format off
constexpr BuiltinDevice devices[] = {
    // name, kind, arch, fits, GiB, TB/s,
    //   TFLOP/s f32, tf32, f16, bf16, f8, f4, matmul efficiency, W, USD/h,
    //   topology, link, its kind, GB/s, us, efficiency, per node, NIC GB/s,
    //   host GB/s
    {"v100-16", "gpu", "sm_70", "v100", 16, 0.9,
     15.7, 0, 125, 0, 0, 0, 0.68, 300, 3.06,
     "switch", "nvlink2", "nvlink", 150, 5.4, 0.90, 8, 12.5, 15.75},
    {"v100-32", "gpu", "sm_70", "v100", 32, 0.9,
     15.7, 0, 125, 0, 0, 0, 0.68, 300, 3.06,
     "switch", "nvlink2", "nvlink", 150, 5.4, 0.90, 8, 12.5, 15.75},
    {"t4", "gpu", "sm_75", nullptr, 16, 0.32,
     8.1, 0, 65, 0, 0, 0, 0.42, 70, 0.526,
     "switch", "pcie3", "pcie", 15.75, 10, 0.5, 8, 6.25, 15.75},
    {"a10", "gpu", "sm_86", nullptr, 24, 0.6,
     31.2, 62.5, 125, 125, 0, 0, 0.6, 150, 1.006,
     "switch", "pcie4", "pcie", 31, 10, 0.6, 8, 12.5, 31},
    {"a100-40", "gpu", "sm_80", "a100", 40, 1.555,
     19.5, 156, 312, 312, 0, 0, 0.73, 400, 4.1,
     "switch", "nvlink3", "nvlink", 300, 5.4, 0.75, 8, 25, 31},
    {"a100-80", "gpu", "sm_80", "a100", 80, 2.04,
     19.5, 156, 312, 312, 0, 0, 0.73, 400, 2.2,
     "switch", "nvlink3", "nvlink", 300, 5.4, 0.75, 8, 25, 31},
    {"a100-pcie", "gpu", "sm_80", nullptr, 80, 1.94,
     19.5, 156, 312, 312, 0, 0, 0.7, 300, 1.6,
     "switch", "pcie4", "pcie", 31, 10, 0.77, 8, 25, 31},
    {"rtx3090", "gpu", "sm_86", nullptr, 24, 0.936,
     35.6, 35.6, 71, 71, 0, 0, 0.77, 350, 0.22,
     "switch", "pcie4", "pcie", 31, 15, 0.4, 8, 12.5, 31},
    {"l4", "gpu", "sm_89", nullptr, 24, 0.3,
     30.3, 60, 121, 121, 242.5, 0, 0.5, 72, 0.8,
     "switch", "pcie4", "pcie", 31, 10, 0.65, 8, 12.5, 31},
    {"l40s", "gpu", "sm_89", "l40s", 48, 0.86,
     91.6, 183, 362, 362, 733, 0, 0.46, 350, 1.86,
     "switch", "pcie4", "pcie", 31, 10, 0.17, 8, 25, 31},
    {"rtx4090", "gpu", "sm_89", nullptr, 24, 1.008,
     82.6, 82.6, 165, 165, 330, 0, 0.77, 450, 0.4,
     "switch", "pcie4", "pcie", 31, 15, 0.5, 8, 12.5, 31},
    {"h100", "gpu", "sm_90", "h100", 80, 3.35,
     67, 494.5, 989, 989, 1979, 0, 0.66, 700, 4.25,
     "switch", "nvlink4", "nvlink", 450, 1.9, 0.88, 8, 50, 63},
    {"h100-pcie", "gpu", "sm_90", nullptr, 80, 2.0,
     51, 378, 756, 756, 1513, 0, 0.64, 350, 2.5,
     "switch", "pcie5", "pcie", 63, 10, 0.55, 8, 50, 63},
    {"h200", "gpu", "sm_90", "h200", 141, 4.8,
     67, 494.5, 989, 989, 1979, 0, 0.67, 700, 5.75,
     "switch", "nvlink4", "nvlink", 450, 2.7, 0.95, 8, 50, 63},
    {"b200", "gpu", "sm_100", "b200", 180, 8.0,
     80, 1125, 2250, 2250, 4500, 9000, 0.56, 1000, 6.0,
     "switch", "nvlink5", "nvlink", 900, 3.3, 0.74, 8, 50, 63},
    {"b300", "gpu", "sm_103", "b300", 288, 8.0,
     80, 1125, 2250, 2250, 4500, 12600, 0.56, 1100, 0,
     "switch", "nvlink5", "nvlink", 900, 3.3, 0.74, 8, 100, 63},
    {"gb200", "gpu", "sm_100", "gb200", 186, 8.0,
     80, 1250, 2500, 2500, 5000, 10000, 0.52, 1200, 10.5,
     "switch", "nvlink5", "nvlink", 900, 3.3, 0.64, 72, 50, 450},
    {"gb300", "gpu", "sm_103", "gb300", 288, 8.0,
     80, 1250, 2500, 2500, 5000, 15000, 0.62, 1400, 0,
     "switch", "nvlink5", "nvlink", 900, 3.3, 0.64, 72, 100, 450},
    {"rtxpro6000", "gpu", "sm_120", "rtxpro6000", 96, 1.6,
     120, 0, 504, 504, 1008, 2015, 0.68, 600, 0,
     "switch", "pcie5", "pcie", 63, 10, 0.4, 8, 50, 63},
    // One of the two dies of a card, which is what software sees.
    {"mi250x", "gpu", "gfx90a", nullptr, 64, 1.64,
     23.95, 0, 191.5, 191.5, 0, 0, 0.43, 280, 0,
     "full", "xgmi", "xgmi", 50, 10, 0.7, 8, 25, 31},
    {"mi300x", "gpu", "gfx942", nullptr, 192, 5.3,
     163.4, 653.7, 1307, 1307, 2615, 0, 0.44, 750, 3.0,
     "full", "xgmi", "xgmi", 64, 10, 0.7, 8, 50, 63},
    {"mi325x", "gpu", "gfx942", nullptr, 256, 6.0,
     163.4, 0, 1307, 1307, 2615, 0, 0.52, 1000, 0,
     "full", "xgmi", "xgmi", 64, 10, 0.7, 8, 50, 63},
    {"mi355x", "gpu", "gfx950", nullptr, 288, 8.0,
     157.3, 0, 2500, 2500, 5000, 10100, 0.58, 1400, 0,
     "full", "xgmi", "xgmi", 76.5, 10, 0.7, 8, 50, 63},
    {"tpu-v4", "tpu", "v4", nullptr, 32, 1.2,
     0, 0, 0, 275, 0, 0, 0.78, 192, 3.22,
     "torus3d", "ici", "ici", 45, 2, 0.85, 6, 0, 0},
    {"tpu-v5e", "tpu", "v5e", nullptr, 16, 0.82,
     0, 0, 0, 197, 0, 0, 0.8, 0, 1.2,
     "torus2d", "ici", "ici", 45, 2, 0.85, 4, 0, 0},
    {"tpu-v5p", "tpu", "v5p", nullptr, 95, 2.76,
     0, 0, 0, 459, 0, 0, 0.78, 0, 4.2,
     "torus3d", "ici", "ici", 90, 2, 0.85, 6, 0, 0},
    {"tpu-v6e", "tpu", "v6e", nullptr, 32, 1.64,
     0, 0, 0, 918, 918, 0, 0.75, 0, 2.7,
     "torus2d", "ici", "ici", 90, 2, 0.85, 4, 0, 0},
    {"tpu-v7x", "tpu", "v7x", nullptr, 192, 7.37,
     0, 0, 0, 2307, 4614, 0, 0.75, 0, 0,
     "torus3d", "ici", "ici", 100, 2, 0.85, 6, 0, 0},
};
// clang-format on

constexpr std::pair<std::string_view, std::string_view> aliases[] = {
    {"v100", "v100-32"},  {"a100", "a100-80"},  {"a100-sxm", "a100-80"},
    {"h100-sxm", "h100"}, {"h200-sxm", "h200"}, {"a10g", "a10"},
    {"3090", "rtx3090"},  {"4090", "rtx4090"},  {"tpu-trillium", "tpu-v6e"}};

} // namespace

std::span<const BuiltinDevice> builtinDevices() { return devices; }

const BuiltinDevice *findBuiltinDevice(std::string_view name) {
  for (auto [alias, target] : aliases)
    if (name == alias)
      name = target;
  for (const BuiltinDevice &device : devices)
    if (name == device.name)
      return &device;
  return nullptr;
}

DeviceType makeDeviceType(const BuiltinDevice &device) {
  DeviceType type;
  type.kind = device.kind;
  type.arch = device.arch;
  type.memory = Bytes(std::llround(device.memoryGib * (1 << 30)));
  type.reserved = Bytes(type.memory.count() / 25);
  type.bytesPerSecond = device.terabytesPerSecond * 1e12;
  const std::pair<const char *, double> peaks[] = {
      {"f32", device.f32},    {"tf32", device.tf32},   {"f16", device.f16},
      {"bf16", device.bf16},  {"f8E4M3FN", device.f8}, {"f8E5M2", device.f8},
      {"f4E2M1FN", device.f4}};
  for (auto [name, peak] : peaks)
    if (peak > 0)
      type.flopsPerSecond[name] = peak * 1e12;
  type.matmulEfficiency = device.matmulEfficiency;
  type.launch = Nanoseconds(4000);
  if (device.watts > 0)
    type.watts = device.watts;
  if (device.dollarsPerHour > 0)
    type.dollarsPerHour = device.dollarsPerHour;
  if (!device.fits)
    return type;
  for (const DeviceMatmulFit &fit : builtinMatmulFits())
    if (std::string_view(fit.device) == device.fits)
      type.matmulFits[fit.type] = {fit.peakShare,   fit.rows,
                                   fit.columns,     fit.depth,
                                   fit.memoryShare, fit.baseMicroseconds * 1e-6,
                                   fit.power};
  for (const DeviceAttentionFit &fit : builtinAttentionFits())
    if (std::string_view(fit.device) == device.fits)
      type.attentionFits.push_back(
          {fit.headSize, fit.teraflops * 1e12, fit.halfRateLength,
           fit.halfRateRows, fit.memoryShare, fit.baseMicroseconds * 1e-6});
  return type;
}

LinkType makeLinkType(const BuiltinDevice &device) {
  LinkType link;
  link.kind = device.linkKind;
  link.bytesPerSecond = device.linkGigabytesPerSecond * 1e9;
  link.latencySeconds = device.linkMicroseconds * 1e-6;
  link.efficiency = device.linkEfficiency;
  if (!device.fits)
    return link;
  for (const NodeCollectiveFit &fit : builtinCollectiveFits())
    if (std::string_view(fit.device) == device.fits)
      link.collectiveFits.push_back({fit.collective, fit.members,
                                     fit.latencyMicroseconds * 1e-6,
                                     fit.gigabytesPerSecond * 1e9, fit.power});
  return link;
}

} // namespace shardsmith::cluster

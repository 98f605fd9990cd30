// SPDX-License-Identifier: Apache-2.0

#include "GpuContext.h"

#include "LoadLibraries.h"

#include "shardsmith/Runtime/Failure.h"

#include <algorithm>
#include <array>

namespace shardsmith::runtime::cuda {
namespace {

std::string sizeText(int64_t bytes) {
  constexpr double mebi = 1 << 20, gibi = 1 << 30;
  auto size = static_cast<double>(bytes);
  return size < gibi ? fmt::format("{:.1f} MiB", size / mebi)
                     : fmt::format("{:.2f} GiB", size / gibi);
}

} // namespace

GpuContext::GpuContext(int number, bool mayShare) : api(loadDriver()) {
  check(api.init(0), "cuInit");
  int version = 0, count = 0;
  check(api.getVersion(&version), "cuDriverGetVersion");
  constexpr int oldest = 12000;
  if (version < oldest)
    fail(ExitCode::Environment,
         "the driver is for CUDA {}.{}; install one for CUDA 12.0 or later",
         version / 1000, version % 1000 / 10);
  check(api.getDeviceCount(&count), "cuDeviceGetCount");
  if (count == 0)
    fail(ExitCode::Environment, "the driver has no GPU");
  if (number >= count && !mayShare)
    fail(ExitCode::Environment,
         "rank {} of this machine has no GPU of its own: there are {}; start "
         "at most {} per machine, or for tests give --share-gpus",
         number, count, count);
  check(api.getDevice(&device, number % count), "cuDeviceGet");
  std::array<char, 256> text{};
  check(
      api.getDeviceName(text.data(), static_cast<int>(text.size()) - 1, device),
      "cuDeviceGetName");
  deviceName = text.data();
  check(
      api.getDeviceAttribute(&capabilityMajor, computeCapabilityMajor, device),
      "cuDeviceGetAttribute");
  check(
      api.getDeviceAttribute(&capabilityMinor, computeCapabilityMinor, device),
      "cuDeviceGetAttribute");
  check(api.retainPrimaryContext(&context, device), "cuDevicePrimaryCtxRetain");
  check(api.setCurrentContext(context), "cuCtxSetCurrent");
}

GpuContext::~GpuContext() {
  if (!context)
    return;
  for (DevicePointer block : blocks)
    api.release(block);
  for (void *block : hostBlocks)
    api.releaseOnHost(block);
  api.releasePrimaryContext(device);
}

void GpuContext::check(DriverResult result, const char *function) const {
  if (result == driverSuccess)
    return;
  const char *text = nullptr;
  if (api.getErrorString(result, &text) != driverSuccess || !text)
    text = "unknown error";
  fail(ExitCode::Environment, "{} says: {} (error {})", function, text,
       static_cast<int>(result));
}

void GpuContext::requireFree(const std::vector<MemoryNeed> &needs) const {
  size_t freeBytes = 0, totalBytes = 0;
  check(api.getMemoryInfo(&freeBytes, &totalBytes), "cuMemGetInfo");
  int64_t needed = 0;
  for (const MemoryNeed &need : needs)
    needed += need.bytes;
  auto free = static_cast<int64_t>(freeBytes);
  if (needed <= free)
    return;
  std::vector<MemoryNeed> sorted = needs;
  std::ranges::sort(sorted, std::greater<>(), &MemoryNeed::bytes);
  std::vector<std::string> items;
  for (const MemoryNeed &need : sorted)
    if (need.bytes > 0)
      items.push_back(fmt::format("{} {}", sizeText(need.bytes), need.what));
  fail(ExitCode::Environment,
       "this rank needs {} of the GPU's memory ({}), but {} of {} are free on "
       "{}; end other programs on it, or plan for less memory per device",
       sizeText(needed), fmt::join(items, ", "), sizeText(free),
       sizeText(static_cast<int64_t>(totalBytes)), deviceName);
}

DevicePointer GpuContext::allocate(int64_t bytes) {
  DevicePointer block = 0;
  // The driver refuses blocks of no bytes.
  check(api.allocate(&block, static_cast<size_t>(std::max<int64_t>(bytes, 1))),
        "cuMemAlloc");
  blocks.push_back(block);
  return block;
}

std::byte *GpuContext::allocateOnHost(int64_t bytes) {
  void *block = nullptr;
  constexpr unsigned noFlags = 0;
  check(api.allocateOnHost(&block, static_cast<size_t>(bytes), noFlags),
        "cuMemHostAlloc");
  hostBlocks.push_back(block);
  return static_cast<std::byte *>(block);
}

} // namespace shardsmith::runtime::cuda

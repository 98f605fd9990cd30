// SPDX-License-Identifier: Apache-2.0
//
// The few functions that are called here have had these types in every version
// of the libraries that knows the chips we generate code for.

#include "shardsmith/Runtime/Device/CudaLibraries.h"

#include "shardsmith/Runtime/Device/OpenedLibrary.h"

#include <array>

namespace shardsmith::runtime::device {
namespace {

/// Attributes of devices by their numbers in the driver's interface.
constexpr int computeCapabilityMajor = 75, computeCapabilityMinor = 76;

class Driver {
public:
  FoundLibrary find(std::vector<FoundGpu> &gpus) {
    auto *init = library.find<int(unsigned)>("cuInit");
    auto *version = library.find<int(int *)>("cuDriverGetVersion");
    auto *count = library.find<int(int *)>("cuDeviceGetCount");
    if (!init || !version || !count)
      return {"", library.problem()};
    if (int code = init(0); code != 0)
      return {"", describe("cuInit", code)};
    int number = 0, devices = 0;
    if (int code = version(&number); code != 0)
      return {"", describe("cuDriverGetVersion", code)};
    if (int code = count(&devices); code != 0)
      return {"", describe("cuDeviceGetCount", code)};
    for (int device = 0; device < devices; ++device) {
      std::string problem = addGpu(device, gpus);
      if (!problem.empty())
        return {"", problem};
    }
    return {fmt::format("{}.{}", number / 1000, number % 1000 / 10), ""};
  }

private:
  std::string describe(const char *function, int code) {
    const char *text = nullptr;
    auto *explain = library.find<int(int, const char **)>("cuGetErrorString");
    if (!explain || explain(code, &text) != 0 || !text)
      text = "unknown error";
    return fmt::format("{} says: {} (error {})", function, text, code);
  }

  std::string addGpu(int number, std::vector<FoundGpu> &gpus) {
    auto *get = library.find<int(int *, int)>("cuDeviceGet");
    auto *name = library.find<int(char *, int, int)>("cuDeviceGetName");
    auto *attribute =
        library.find<int(int *, int, int)>("cuDeviceGetAttribute");
    auto *memory = library.find<int(size_t *, int)>("cuDeviceTotalMem_v2");
    if (!get || !name || !attribute || !memory)
      return library.problem();
    std::array<char, 256> text{};
    int device = 0, major = 0, minor = 0;
    size_t bytes = 0;
    for (int code :
         {get(&device, number),
          name(text.data(), static_cast<int>(text.size()) - 1, device),
          attribute(&major, computeCapabilityMajor, device),
          attribute(&minor, computeCapabilityMinor, device),
          memory(&bytes, device)})
      if (code != 0)
        return describe("the driver", code);
    gpus.push_back({text.data(), fmt::format("sm_{}{}", major, minor),
                    static_cast<int64_t>(bytes)});
    return "";
  }

  OpenedLibrary library{"libcuda.so.1"};
};

/// A version that is major · 10,000 + minor · 100 + patch.
std::string versionText(int64_t number) {
  return fmt::format("{}.{}.{}", number / 10000, number / 100 % 100,
                     number % 100);
}

} // namespace

FoundLibrary findDriver(std::vector<FoundGpu> &gpus) {
  return Driver().find(gpus);
}

FoundLibrary findNccl() {
  OpenedLibrary library{"libnccl.so.2"};
  auto *get = library.find<int(int *)>("ncclGetVersion");
  int number = 0;
  if (!get)
    return {"", library.problem()};
  if (int code = get(&number); code != 0)
    return {"", fmt::format("ncclGetVersion fails (error {})", code)};
  return {versionText(number), ""};
}

FoundLibrary findCublasLt() {
  // The newest that is there.
  OpenedLibrary library{"libcublasLt.so.13", "libcublasLt.so.12"};
  if (auto *get = library.find<size_t()>("cublasLtGetVersion"))
    return {versionText(static_cast<int64_t>(get())), ""};
  return {"", library.problem()};
}

} // namespace shardsmith::runtime::device

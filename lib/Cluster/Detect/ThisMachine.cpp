// SPDX-License-Identifier: Apache-2.0
//
// The machine itself: NVIDIA's management library (NVML) for devices and what
// joins them, and the files of the kernel for interfaces. The functions have
// had these types since the driver of Volta.

#include "Words.h"

#include "../LocalMachine.h"
#include "shardsmith/Cluster/Detect.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <dlfcn.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <set>

namespace shardsmith {
namespace {

namespace fs = std::filesystem;

/// `nvmlMemory_t`.
struct Memory {
  unsigned long long total, free, used;
};

/// `nvmlPciInfo_t`.
struct PciInfo {
  char oldBusId[16];
  unsigned domain, bus, device, pciDeviceId, pciSubSystemId;
  char busId[32];
};

using Handle = void *;

constexpr unsigned mostLinksOfDevice = 36;

class Library {
public:
  explicit Library(const std::string &name)
      : name(name), handle(dlopen(name.c_str(), RTLD_LAZY | RTLD_LOCAL)) {
    if (!handle)
      problem = dlerror();
  }
  ~Library() {
    if (handle)
      dlclose(handle);
  }
  Library(const Library &) = delete;
  Library &operator=(const Library &) = delete;

  /// Calls a function; false, with a problem, if it is not there or fails.
  template <typename... Parameters, typename... Arguments>
  bool call(int (*)(Parameters...), const char *function,
            Arguments... arguments) {
    if (!handle)
      return false;
    auto *found =
        reinterpret_cast<int (*)(Parameters...)>(dlsym(handle, function));
    if (!found) {
      problem = fmt::format("{} has no function {}", name, function);
      return false;
    }
    int code = found(arguments...);
    if (code != 0)
      problem = fmt::format("{} fails with error {}", function, code);
    return code == 0;
  }

  std::string name;
  void *handle;
  std::string problem;
};

template <typename... Parameters> constexpr int (*of)(Parameters...) = nullptr;

/// What is between two devices by NVML's number for it.
const char *nameOfAncestor(unsigned level) {
  switch (level) {
  case 0:
  case 10:
    return "PIX";
  case 20:
    return "PXB";
  case 30:
    return "PHB";
  case 40:
    return "NODE";
  default:
    return "SYS";
  }
}

class Devices {
public:
  explicit Devices(const std::string &name) : library(name) {}

  /// Where the devices found are on the bus: "00000000:3B:00.0".
  const std::vector<std::string> &places() const { return busPlaces; }

  std::optional<NodeFacts> find(std::string &error) {
    unsigned count = 0;
    if (!library.call(of<>, "nvmlInit_v2") ||
        !library.call(of<unsigned *>, "nvmlDeviceGetCount_v2", &count)) {
      error = library.problem;
      return std::nullopt;
    }
    if (count == 0 || count > detect::mostDevices) {
      error = fmt::format("{} has {} devices", library.name, count);
      return std::nullopt;
    }
    for (unsigned i = 0; i < count; ++i)
      if (!addDevice(i)) {
        error = library.problem;
        return std::nullopt;
      }
    facts.devices = count;
    for (unsigned i = 0; i < count; ++i)
      addLinks(i);
    library.call(of<>, "nvmlShutdown");
    return facts;
  }

private:
  bool addDevice(unsigned number) {
    Handle device = nullptr;
    std::array<char, 128> name{};
    Memory memory{};
    PciInfo place{};
    if (!library.call(of<unsigned, Handle *>, "nvmlDeviceGetHandleByIndex_v2",
                      number, &device) ||
        !library.call(of<Handle, char *, unsigned>, "nvmlDeviceGetName", device,
                      name.data(), static_cast<unsigned>(name.size()) - 1) ||
        !library.call(of<Handle, Memory *>, "nvmlDeviceGetMemoryInfo", device,
                      &memory) ||
        !library.call(of<Handle, PciInfo *>, "nvmlDeviceGetPciInfo_v3", device,
                      &place))
      return false;
    std::string product = name.data();
    if (!facts.product.empty() && facts.product != product) {
      library.problem =
          fmt::format("this machine has devices of two kinds, \"{}\" and "
                      "\"{}\"; write such a cluster as a file",
                      facts.product, product);
      return false;
    }
    facts.product = product;
    facts.deviceMebibytes = static_cast<int64_t>(memory.total >> 20);
    handles.push_back(device);
    busPlaces.emplace_back(place.busId,
                           strnlen(place.busId, sizeof(place.busId)));
    return true;
  }

  /// Active links of a device: to which other one they go, or to a switch.
  void addLinks(unsigned number) {
    std::vector<int64_t> direct(handles.size());
    int64_t switched = 0;
    for (unsigned link = 0; link < mostLinksOfDevice; ++link) {
      unsigned isActive = 0;
      if (!library.call(of<Handle, unsigned, unsigned *>,
                        "nvmlDeviceGetNvLinkState", handles[number], link,
                        &isActive))
        break;
      PciInfo remote{};
      if (!isActive || !library.call(of<Handle, unsigned, PciInfo *>,
                                     "nvmlDeviceGetNvLinkRemotePciInfo_v2",
                                     handles[number], link, &remote))
        continue;
      std::string place(remote.busId,
                        strnlen(remote.busId, sizeof(remote.busId)));
      auto end = std::ranges::find(busPlaces, place);
      if (end == busPlaces.end())
        ++switched;
      else
        ++direct[end - busPlaces.begin()];
    }
    std::vector<std::string> row;
    for (unsigned other = 0; other < handles.size(); ++other)
      row.push_back(between(number, other, direct[other] + switched));
    facts.links.push_back(row);
  }

  std::string between(unsigned one, unsigned other, int64_t links) {
    if (one == other)
      return "X";
    if (links > 0)
      return fmt::format("NV{}", links);
    unsigned level = 50;
    library.call(of<Handle, Handle, unsigned *>,
                 "nvmlDeviceGetTopologyCommonAncestor", handles[one],
                 handles[other], &level);
    return nameOfAncestor(level);
  }

  Library library;
  NodeFacts facts;
  std::vector<Handle> handles;
  std::vector<std::string> busPlaces;
};

std::string firstLine(const fs::path &path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

/// The port of the processor that a device hangs on, below `link`, a symbolic
/// link to the folder of the device: bridges are the folders on the way to it,
/// ".../pci0000:3a/0000:3a:01.0/0000:3b:00.0". Empty if it hangs on none.
fs::path rootPort(const fs::path &link) {
  std::error_code error;
  fs::path port, folder = fs::canonical(link, error);
  bool isBelowBus = false;
  for (const fs::path &part : folder) {
    port /= part;
    if (isBelowBus)
      return port;
    isBelowBus = part.string().starts_with("pci");
  }
  return {};
}

/// The kernel's name for a place on the bus: "0000:3b:00.0".
std::string kernelName(std::string place) {
  std::ranges::transform(place, place.begin(),
                         [](unsigned char c) { return std::tolower(c); });
  size_t domain = place.find(':');
  return domain == 8 ? place.substr(4) : place;
}

/// Active ports of adapters for remote direct memory access: `rate` is
/// "400 Gb/sec (4X NDR)", `state` is "4: ACTIVE".
std::vector<FoundInterface>
findInterfaces(const fs::path &sysfs, const std::vector<std::string> &devices) {
  std::set<fs::path> portsOfDevices;
  for (const std::string &place : devices)
    portsOfDevices.insert(
        rootPort(sysfs / "bus" / "pci" / "devices" / kernelName(place)));
  portsOfDevices.erase(fs::path());
  std::vector<FoundInterface> found;
  std::error_code ignored;
  for (const fs::directory_entry &adapter :
       fs::directory_iterator(sysfs / "class" / "infiniband", ignored))
    for (const fs::directory_entry &port :
         fs::directory_iterator(adapter.path() / "ports", ignored)) {
      if (!firstLine(port.path() / "state").ends_with("ACTIVE"))
        continue;
      bool isInfiniBand = firstLine(port.path() / "link_layer") == "InfiniBand";
      found.push_back(
          {.name = adapter.path().filename().string(),
           .gigabitsPerSecond = std::max(
               0.0,
               std::strtod(firstLine(port.path() / "rate").c_str(), nullptr)),
           .kind = isInfiniBand ? "infiniband" : "roce",
           .isNear =
               portsOfDevices.contains(rootPort(adapter.path() / "device"))});
    }
  std::ranges::sort(found, {}, &FoundInterface::name);
  return found;
}

} // namespace

std::optional<FoundNodes> readThisMachine(const std::string &library,
                                          const std::string &sysfs,
                                          std::string &error) {
  Devices devices(library);
  std::optional<NodeFacts> facts = devices.find(error);
  if (!facts)
    return std::nullopt;
  facts->interfaces = findInterfaces(sysfs, devices.places());
  cluster::LocalMachine machine = cluster::inspectLocalMachine();
  facts->cores = machine.cores;
  facts->hostMebibytes = machine.memory.count() >> 20;
  return FoundNodes{.kinds = {*facts}, .notes = {}};
}

} // namespace shardsmith

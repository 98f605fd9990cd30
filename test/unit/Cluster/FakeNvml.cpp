// SPDX-License-Identifier: Apache-2.0
//
// Stands in for NVIDIA's management library: four devices, joined as the
// environment variable FAKE_NVML says: by a `switch`, in `pairs`, or not.

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

struct Memory {
  unsigned long long total, free, used;
};
struct PciInfo {
  char oldBusId[16];
  unsigned domain, bus, device, pciDeviceId, pciSubSystemId;
  char busId[32];
};
using Handle = void *;

std::string mode() {
  const char *text = std::getenv("FAKE_NVML");
  return text ? text : "";
}
size_t numberOf(Handle device) { return reinterpret_cast<size_t>(device) - 1; }
void setPlace(PciInfo *place, size_t number) {
  std::memset(place, 0, sizeof(*place));
  std::snprintf(place->busId, sizeof(place->busId), "00000000:%02zX:00.0",
                number + 16);
}

} // namespace

extern "C" {

int nvmlInit_v2() { return mode() == "broken" ? 9 : 0; }
int nvmlShutdown() { return 0; }
int nvmlDeviceGetCount_v2(unsigned *count) {
  *count = 4;
  return 0;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned number, Handle *device) {
  *device = reinterpret_cast<Handle>(size_t(number) + 1);
  return 0;
}
int nvmlDeviceGetName(Handle device, char *name, unsigned length) {
  bool isOther = mode() == "mixed" && numberOf(device) == 3;
  std::snprintf(name, length, "%s",
                isOther ? "NVIDIA L4" : "NVIDIA A100-SXM4-80GB");
  return 0;
}
int nvmlDeviceGetMemoryInfo(Handle, Memory *memory) {
  *memory = {81920ull << 20, 0, 0};
  return 0;
}
int nvmlDeviceGetPciInfo_v3(Handle device, PciInfo *place) {
  setPlace(place, numberOf(device));
  return 0;
}
int nvmlDeviceGetNvLinkState(Handle, unsigned link, unsigned *isActive) {
  if (link >= 12)
    return 2; // an argument that is out of range
  *isActive = mode() == "switch" || mode() == "pairs";
  return 0;
}
int nvmlDeviceGetNvLinkRemotePciInfo_v2(Handle device, unsigned,
                                        PciInfo *place) {
  // The neighbour of a pair, or a switch elsewhere.
  setPlace(place, mode() == "pairs" ? numberOf(device) ^ 1 : 200);
  return 0;
}
int nvmlDeviceGetTopologyCommonAncestor(Handle one, Handle other,
                                        unsigned *level) {
  *level = numberOf(one) / 2 == numberOf(other) / 2 ? 20 : 50;
  return 0;
}
}

// SPDX-License-Identifier: Apache-2.0
//
// The driver's functions. Their types are those of cuda.h, written once more.

#include "FakeMachine.h"

#include "../DeviceModule.h"
#include "../Machine.h"
#include "FakeKernels.h"

#include <charconv>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>

using namespace shardsmith::emulator;

namespace {

enum : int {
  success = 0,
  invalidValue = 1,
  outOfMemory = 2,
  noBinaryForGpu = 209,
  invalidPtx = 218,
  notFound = 500,
  notReady = 600,
  illegalAddress = 700,
  captureUnjoined = 904,
};

FakeMachine &machine() { return FakeMachine::get(); }
int state() { return machine().isBroken() ? illegalAddress : success; }

Touch reads(uint64_t begin, uint64_t bytes) {
  return {begin, begin + bytes, false};
}
Touch writes(uint64_t begin, uint64_t bytes) {
  return {begin, begin + bytes, true};
}
std::byte *pointer(uint64_t address) {
  return reinterpret_cast<std::byte *>(address);
}

int capability(bool isMajor) {
  std::string text = environmentOr("FAKE_CUDA_CAPABILITY", "8.0");
  size_t dot = text.find('.');
  return std::stoi(isMajor ? text.substr(0, dot) : text.substr(dot + 1));
}

} // namespace

extern "C" {

int cuInit(unsigned) { return success; }
int cuDriverGetVersion(int *version) {
  *version = 13000;
  return success;
}
int cuGetErrorString(int code, const char **text) {
  *text = code == outOfMemory      ? "out of memory"
          : code == noBinaryForGpu ? "no kernel image is available"
          : code == invalidPtx     ? "a PTX JIT compilation failed"
          : code == illegalAddress ? "an illegal memory access was encountered"
                                   : "some error";
  return success;
}
int cuDeviceGetCount(int *count) {
  *count = std::stoi(environmentOr("FAKE_CUDA_DEVICES", "8"));
  return success;
}
int cuDeviceGet(int *device, int number) {
  *device = number;
  return success;
}
int cuDeviceGetName(char *name, int size, int) {
  std::strncpy(name, "Fake GPU", static_cast<size_t>(size));
  return success;
}
int cuDeviceTotalMem_v2(size_t *bytes, int) {
  *bytes = machine().totalBytes();
  return success;
}
int cuDeviceGetAttribute(int *value, int attribute, int) {
  *value = capability(attribute == 75);
  return attribute == 75 || attribute == 76 ? success : invalidValue;
}
int cuDevicePrimaryCtxRetain(void **context, int) {
  static int only;
  *context = &only;
  machine().count("contexts");
  return success;
}
int cuDevicePrimaryCtxRelease_v2(int) {
  machine().count("contexts", -1);
  machine().writeLog();
  return success;
}
int cuCtxSetCurrent(void *) { return success; }

int cuMemGetInfo_v2(size_t *freeBytes, size_t *totalBytes) {
  *freeBytes = machine().freeBytes();
  *totalBytes = machine().totalBytes();
  return success;
}
int cuMemAlloc_v2(unsigned long long *address, size_t bytes) {
  if (bytes == 0)
    return invalidValue;
  std::byte *block = machine().allocate(bytes);
  *address = reinterpret_cast<unsigned long long>(block);
  return block ? success : outOfMemory;
}
int cuMemFree_v2(unsigned long long address) {
  return machine().release(address) ? success : invalidValue;
}

int cuMemHostAlloc(void **memory, size_t bytes, unsigned) {
  if (bytes == 0)
    return invalidValue;
  *memory = machine().allocateOnHost(bytes);
  return success;
}
int cuMemFreeHost(void *memory) {
  return machine().releaseOnHost(memory) ? success : invalidValue;
}
int cuMemcpyHtoD_v2(unsigned long long to, const void *from, size_t bytes) {
  if (machine().isCapturing())
    machine().accuse("the host waits while a graph is captured");
  std::memcpy(pointer(to), from, bytes);
  machine().hostHasCopied(writes(to, bytes));
  return state();
}
int cuMemcpyHtoDAsync_v2(unsigned long long to, const void *from, size_t bytes,
                         FakeStream *stream) {
  machine().countHostCopy(from, bytes);
  machine().put(stream, [=] {
    machine().add(stream,
                  {"copy from the host",
                   [=] {
                     std::memcpy(pointer(to), from, bytes);
                     return true;
                   }},
                  {writes(to, bytes)});
  });
  return state();
}
int cuMemcpyDtoHAsync_v2(void *to, unsigned long long from, size_t bytes,
                         FakeStream *stream) {
  machine().countHostCopy(to, bytes);
  machine().put(stream, [=] {
    machine().add(stream,
                  {"copy to the host",
                   [=] {
                     std::memcpy(to, pointer(from), bytes);
                     return true;
                   }},
                  {reads(from, bytes)});
  });
  return state();
}
int cuMemcpyDtoDAsync_v2(unsigned long long to, unsigned long long from,
                         size_t bytes, FakeStream *stream) {
  machine().put(stream, [=] {
    machine().add(stream,
                  {"copy",
                   [=] {
                     std::memcpy(pointer(to), pointer(from), bytes);
                     return true;
                   }},
                  {reads(from, bytes), writes(to, bytes)});
  });
  return state();
}

/// CUDA_MEMCPY2D of cuda.h.
struct FakeMemcpy2D {
  size_t srcX, srcY;
  int srcType;
  const void *srcHost;
  unsigned long long srcDevice;
  void *srcArray;
  size_t srcPitch, dstX, dstY;
  int dstType;
  void *dstHost;
  unsigned long long dstDevice;
  void *dstArray;
  size_t dstPitch, width, height;
};

int cuMemcpy2DAsync_v2(const FakeMemcpy2D *copy, FakeStream *stream) {
  constexpr int device = 2;
  if (copy->srcType != device || copy->dstType != device ||
      copy->srcPitch < copy->width || copy->dstPitch < copy->width)
    return invalidValue;
  std::vector<Touch> touches;
  for (size_t row = 0; row < copy->height; ++row) {
    touches.push_back(
        reads(copy->srcDevice + row * copy->srcPitch, copy->width));
    touches.push_back(
        writes(copy->dstDevice + row * copy->dstPitch, copy->width));
  }
  machine().put(stream, [=, rows = *copy] {
    machine().add(stream,
                  {"copy of rows",
                   [rows] {
                     for (size_t row = 0; row < rows.height; ++row)
                       std::memcpy(
                           pointer(rows.dstDevice + row * rows.dstPitch),
                           pointer(rows.srcDevice + row * rows.srcPitch),
                           rows.width);
                     return true;
                   }},
                  touches);
  });
  return state();
}
int cuMemsetD32Async(unsigned long long to, unsigned word, size_t words,
                     FakeStream *stream) {
  if (to % sizeof word != 0)
    return invalidValue;
  machine().put(stream, [=] {
    machine().add(stream,
                  {"fill",
                   [=] {
                     for (size_t i = 0; i < words; ++i)
                       std::memcpy(pointer(to) + i * sizeof word, &word,
                                   sizeof word);
                     return true;
                   }},
                  {writes(to, words * sizeof word)});
  });
  return state();
}

int cuStreamCreate(FakeStream **stream, unsigned flags) {
  constexpr unsigned nonBlocking = 1;
  if (flags != nonBlocking)
    machine().accuse("a stream waits for the default stream");
  *stream = machine().makeStream();
  return state();
}
int cuStreamDestroy_v2(FakeStream *) {
  machine().count("streams", -1);
  return success;
}
int cuStreamQuery(FakeStream *stream) {
  if (machine().isCapturing())
    machine().accuse("the host waits while a graph is captured");
  machine().goOn();
  if (machine().isBroken())
    return illegalAddress;
  if (!stream->work.empty())
    return notReady;
  machine().hostHasWaited(stream);
  return success;
}
int cuStreamWaitEvent(FakeStream *stream, FakeEvent *event, unsigned) {
  machine().wait(stream, event);
  return state();
}
int cuEventCreate(FakeEvent **event, unsigned flags) {
  *event = machine().makeEvent();
  constexpr unsigned withoutTime = 2;
  (*event)->isTimed = (flags & withoutTime) == 0;
  return success;
}
int cuEventDestroy_v2(FakeEvent *) {
  machine().count("events", -1);
  return success;
}
int cuEventRecord(FakeEvent *event, FakeStream *stream) {
  machine().record(stream, event);
  return state();
}
int cuEventElapsedTime(float *milliseconds, FakeEvent *from, FakeEvent *to) {
  if (!from->isTimed || !to->isTimed || !from->hasHappened() ||
      !to->hasHappened())
    return invalidValue;
  *milliseconds =
      std::chrono::duration<float, std::milli>(to->time - from->time).count();
  return success;
}

int cuStreamBeginCapture_v2(FakeStream *stream, int mode) {
  constexpr int ofThread = 1;
  machine().beginCapture(stream);
  return mode == ofThread ? state() : invalidValue;
}
int cuStreamEndCapture(FakeStream *stream, FakeGraph **graph) {
  *graph = machine().endCapture(stream).release();
  machine().count("graphs");
  return *graph ? success : captureUnjoined;
}
int cuGraphInstantiateWithFlags(FakeGraph **program, FakeGraph *graph,
                                unsigned long long flags) {
  *program = new FakeGraph(*graph);
  machine().count("graph programs");
  return flags == 0 ? success : invalidValue;
}
int cuGraphDestroy(FakeGraph *graph) {
  delete graph;
  machine().count("graphs", -1);
  return success;
}
int cuGraphExecDestroy(FakeGraph *program) {
  delete program;
  machine().count("graph programs", -1);
  return success;
}
/// Puts everything into the streams that it was captured from, which is what a
/// graph in the first of them does where the others have nothing else.
int cuGraphLaunch(FakeGraph *program, FakeStream *stream) {
  if (stream != program->origin)
    machine().accuse("a graph is launched in another stream than it has");
  machine().count("graph launches");
  for (const std::function<void()> &call : program->calls)
    call();
  return state();
}

int cuModuleLoadDataEx(FakeKernels **module, const void *image,
                       unsigned optionCount, int *options, void **values) {
  auto made = std::make_unique<FakeKernels>(
      static_cast<const char *>(image), capability(true), capability(false));
  if (made->problem.empty()) {
    *module = made.release();
    machine().count("modules");
    return state();
  }
  constexpr int errorLog = 5;
  for (unsigned i = 0; i + 1 < optionCount; ++i)
    if (options[i] == errorLog)
      std::strncpy(static_cast<char *>(values[i]), made->problem.c_str(),
                   reinterpret_cast<size_t>(values[i + 1]) - 1);
  return made->isOfOtherChip ? noBinaryForGpu : invalidPtx;
}
int cuModuleUnload(FakeKernels *module) {
  delete module;
  machine().count("modules", -1);
  return success;
}
int cuModuleGetFunction(const MachineFunction **function, FakeKernels *module,
                        const char *name) {
  *function = module->find(name);
  return *function ? success : notFound;
}

int cuLaunchKernel(const MachineFunction *function, unsigned gridX,
                   unsigned gridY, unsigned gridZ, unsigned blockX,
                   unsigned blockY, unsigned blockZ, unsigned sharedBytes,
                   FakeStream *stream, void **arguments, void **extra) {
  const DeviceProgram &program = function->program;
  if (gridX != program.blocks || blockX != program.threads || gridY != 1 ||
      gridZ != 1 || blockY != 1 || blockZ != 1 || sharedBytes != 0 || extra) {
    machine().accuse(fmt::format("'{}' is launched as {} x {}, not {} x {}",
                                 program.name, gridX, blockX, program.blocks,
                                 program.threads));
    return invalidValue;
  }
  static const std::string dies = environmentOr("FAKE_CUDA_DIES", "");
  static int64_t launches = 0;
  if (dies == fmt::format("{}:{}", fakeRank(), launches++))
    raise(SIGKILL);
  std::vector<uint64_t> places;
  std::vector<Touch> touches;
  for (size_t i = 0; i < program.memories.size(); ++i) {
    const MemoryShape &shape = program.memories[i];
    if (shape.isShared)
      continue;
    uint64_t place = *static_cast<unsigned long long *>(arguments[i]);
    auto bytes = static_cast<uint64_t>(shape.elements * shape.elementBytes);
    if (place % 256 != 0)
      machine().accuse(
          fmt::format("'{}': argument {} is not aligned", program.name, i));
    if (function->reads[i])
      touches.push_back(reads(place, bytes));
    if (function->writes[i])
      touches.push_back(writes(place, bytes));
    places.push_back(place);
  }
  machine().put(stream, [=] {
    machine().count("launches");
    machine().add(stream,
                  {function->program.name,
                   [&program = function->program, places] {
                     std::vector<DeviceBuffer> buffers;
                     std::vector<DeviceBuffer *> pointers;
                     buffers.reserve(places.size());
                     for (size_t i = 0; i < places.size(); ++i) {
                       const MemoryShape &shape = program.memories[i];
                       buffers.emplace_back(pointer(places[i]), shape.elements,
                                            shape.elementBytes);
                       pointers.push_back(&buffers.back());
                     }
                     std::string problem =
                         run(program, pointers, machine().random);
                     if (!problem.empty())
                       machine().accuse(problem);
                     return true;
                   }},
                  touches);
  });
  return state();
}

} // extern "C"

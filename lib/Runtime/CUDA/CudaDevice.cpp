// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Runtime/CUDA/CudaDevice.h"

#include "ActionTimer.h"
#include "Communicators.h"
#include "Graphs.h"
#include "Modules.h"
#include "Products.h"

#include "shardsmith/Runtime/Failure.h"

#include <cstdlib>
#include <thread>

namespace shardsmith::runtime::cuda {
namespace {

size_t unsignedSize(int64_t bytes) { return static_cast<size_t>(bytes); }

/// NCCL refuses two ranks of one machine on one GPU. As ranks of machines of
/// their own it connects them by sockets.
void claimOwnMachine(int rank) {
  constexpr int replace = 1;
  setenv("NCCL_HOSTID", fmt::format("shardsmith-rank-{}", rank).c_str(),
         replace);
}

} // namespace

struct CudaDevice::Implementation {
  Implementation(const CudaOptions &options,
                 const std::vector<KernelImage> &images, Rendezvous &rendezvous)
      : rendezvous(rendezvous), usesGraphs(options.usesGraphs),
        gpu(options.localRank, options.sharesGpus), streams(gpu),
        modules(gpu, images),
        products(gpu, options.usesTf32, options.multiplies),
        communicators(gpu, streams, rendezvous), timer(streams),
        graphs(gpu, streams) {}

  Rendezvous &rendezvous;
  bool usesGraphs;
  GpuContext gpu;
  Streams streams;
  Modules modules;
  Products products;
  Communicators communicators;
  ActionTimer timer;
  Graphs graphs;
};

CudaDevice::CudaDevice(const CudaOptions &options,
                       const std::vector<KernelImage> &images,
                       Rendezvous &rendezvous) {
  if (options.sharesGpus)
    claimOwnMachine(rendezvous.rank());
  implementation =
      std::make_unique<Implementation>(options, images, rendezvous);
}

CudaDevice::~CudaDevice() = default;

std::string CudaDevice::describe() const { return implementation->gpu.name(); }

void CudaDevice::requireFree(std::vector<MemoryNeed> needs) const {
  needs.push_back({"workspace of products", Products::workspaceBytes});
  implementation->gpu.requireFree(needs);
}

std::string CudaDevice::abort() noexcept {
  std::string exchanges;
  try {
    exchanges = implementation->communicators.flight().describe();
  } catch (const std::exception &error) {
    exchanges = error.what();
  }
  implementation->communicators.abort();
  return exchanges;
}

device::Address CudaDevice::allocate(int64_t bytes) {
  return implementation->gpu.allocate(bytes);
}

std::byte *CudaDevice::allocateOnHost(int64_t bytes) {
  return implementation->gpu.allocateOnHost(bytes);
}

device::Stream CudaDevice::makeStream(const std::string &) {
  return {implementation->streams.makeStream()};
}

device::Event CudaDevice::makeEvent() {
  return {implementation->streams.makeEvent()};
}

device::Function CudaDevice::findFunction(const std::string &name) {
  return {implementation->modules.findFunction(name)};
}

device::Communicator
CudaDevice::makeCommunicator(const std::vector<std::vector<int>> &lists) {
  return {implementation->communicators.make(lists)};
}

void CudaDevice::timeActions() { implementation->timer.restart(); }

std::vector<ActionTime> CudaDevice::actionTimes() const {
  return implementation->timer.times();
}

void CudaDevice::beginAction(device::Stream stream, size_t number,
                             const std::string &name) {
  implementation->communicators.flight().announce(name);
  implementation->timer.begin(stream.number, number, name);
}

void CudaDevice::endAction(device::Stream stream) {
  implementation->timer.end(stream.number);
}

void CudaDevice::record(device::Stream stream, device::Event event) {
  implementation->streams.record(stream.number, event.number);
}

void CudaDevice::wait(device::Stream stream, device::Event event) {
  implementation->streams.wait(stream.number, event.number);
}

void CudaDevice::copyToDevice(device::Stream stream, device::Address to,
                              const void *from, int64_t bytes) {
  const GpuContext &gpu = implementation->gpu;
  gpu.check(
      gpu.driver().copyToDevice(to, from, unsignedSize(bytes),
                                implementation->streams.stream(stream.number)),
      "cuMemcpyHtoDAsync");
}

void CudaDevice::copyToHost(device::Stream stream, void *to,
                            device::Address from, int64_t bytes) {
  const GpuContext &gpu = implementation->gpu;
  gpu.check(
      gpu.driver().copyToHost(to, from, unsignedSize(bytes),
                              implementation->streams.stream(stream.number)),
      "cuMemcpyDtoHAsync");
}

void CudaDevice::copy(device::Stream stream, const device::StridedCopy &copy) {
  const GpuContext &gpu = implementation->gpu;
  DriverStream into = implementation->streams.stream(stream.number);
  bool isOneRow = copy.rows == 1 || (copy.fromPitch == copy.rowBytes &&
                                     copy.toPitch == copy.rowBytes);
  if (isOneRow)
    return gpu.check(gpu.driver().copy(copy.to, copy.from,
                                       unsignedSize(copy.rows * copy.rowBytes),
                                       into),
                     "cuMemcpyDtoDAsync");
  Memcpy2D rows;
  rows.fromDevice = copy.from;
  rows.fromPitch = unsignedSize(copy.fromPitch);
  rows.toDevice = copy.to;
  rows.toPitch = unsignedSize(copy.toPitch);
  rows.rowBytes = unsignedSize(copy.rowBytes);
  rows.rows = unsignedSize(copy.rows);
  gpu.check(gpu.driver().copyRows(&rows, into), "cuMemcpy2DAsync");
}

void CudaDevice::fill(device::Stream stream, device::Address to, uint32_t word,
                      int64_t words) {
  const GpuContext &gpu = implementation->gpu;
  gpu.check(gpu.driver().fill(to, word, unsignedSize(words),
                              implementation->streams.stream(stream.number)),
            "cuMemsetD32Async");
}

void CudaDevice::launch(device::Stream stream, device::Function function,
                        int64_t grid, int64_t block,
                        std::span<const device::Address> arguments) {
  implementation->modules.launch(implementation->streams.stream(stream.number),
                                 function.number, grid, block, arguments);
}

bool CudaDevice::multiply(device::Stream stream, const smith_gemm &gemm,
                          const device::ProductAddresses &at) {
  return implementation->products.multiply(
      implementation->streams.stream(stream.number), gemm, at);
}

bool CudaDevice::beginGraph(device::Stream stream) {
  // The actions of a graph have no times of their own.
  if (!implementation->usesGraphs || implementation->timer.isOn())
    return false;
  implementation->communicators.flight().beginGraph();
  implementation->graphs.begin(stream.number);
  return true;
}

device::Graph CudaDevice::endGraph(device::Stream stream) {
  implementation->communicators.flight().endGraph();
  return {implementation->graphs.end(stream.number)};
}

void CudaDevice::launch(device::Stream stream, device::Graph graph) {
  implementation->communicators.flight().addGraph();
  implementation->graphs.launch(stream.number, graph.number);
}

void CudaDevice::beginGroup() { implementation->communicators.beginGroup(); }

void CudaDevice::endGroup() { implementation->communicators.endGroup(); }

void CudaDevice::allReduce(device::Stream stream,
                           device::Communicator communicator, ElementType type,
                           Reduction reduction, device::Address in,
                           device::Address out, int64_t count) {
  implementation->communicators.allReduce(stream.number, communicator.number,
                                          type, reduction, in, out, count);
}

void CudaDevice::allGather(device::Stream stream,
                           device::Communicator communicator,
                           device::Address in, device::Address out,
                           int64_t bytes) {
  implementation->communicators.allGather(stream.number, communicator.number,
                                          in, out, bytes);
}

void CudaDevice::reduceScatter(device::Stream stream,
                               device::Communicator communicator,
                               ElementType type, Reduction reduction,
                               device::Address in, device::Address out,
                               int64_t count) {
  implementation->communicators.reduceScatter(
      stream.number, communicator.number, type, reduction, in, out, count);
}

void CudaDevice::send(device::Stream stream, device::Communicator communicator,
                      int peer, device::Address from, int64_t bytes) {
  implementation->communicators.send(stream.number, communicator.number, peer,
                                     from, bytes);
}

void CudaDevice::receive(device::Stream stream,
                         device::Communicator communicator, int peer,
                         device::Address to, int64_t bytes) {
  implementation->communicators.receive(stream.number, communicator.number,
                                        peer, to, bytes);
}

void CudaDevice::synchronize(device::Stream stream) {
  using Clock = std::chrono::steady_clock;
  // A step is polled without a pause at first, so that its end is seen at once.
  constexpr int eagerPolls = 1000;
  constexpr auto pause = std::chrono::microseconds(50);
  Communicators &communicators = implementation->communicators;
  Rendezvous &rendezvous = implementation->rendezvous;
  int64_t ended = communicators.flight().endedCount();
  Clock::time_point since = Clock::now();
  for (int64_t poll = 0; !implementation->streams.isIdle(stream.number);
       ++poll) {
    if (poll < eagerPolls)
      continue;
    communicators.checkErrors();
    rendezvous.checkPeers();
    if (int64_t now = communicators.flight().endedCount(); now != ended) {
      ended = now;
      since = Clock::now();
      rendezvous.noteProgress();
    } else if (Clock::now() - since > rendezvous.deadline()) {
      // What exchanges nothing may take as long as it wants.
      if (std::optional<std::string> what = communicators.flight().unfinished())
        fail(ExitCode::Environment,
             "no exchange has ended for {} s; the GPU waits for {}",
             static_cast<double>(rendezvous.deadline().count()) / 1000, *what);
    }
    std::this_thread::sleep_for(pause);
  }
  communicators.flight().endStep();
}

} // namespace shardsmith::runtime::cuda

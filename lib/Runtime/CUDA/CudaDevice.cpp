// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Runtime/CUDA/CudaDevice.h"

#include "ActionTimer.h"
#include "Graphs.h"
#include "HostExchanges.h"
#include "Modules.h"
#include "NcclExchanges.h"
#include "Products.h"

#include "shardsmith/Runtime/Failure.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <thread>
#include <utility>

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
      : options(options), rendezvous(rendezvous),
        gpu(options.localRank, options.sharesGpus), streams(gpu),
        modules(gpu, images),
        products(gpu, options.usesTf32, options.multiplies), log(gpu, streams),
        timer(streams), graphs(gpu, streams) {
    if (options.exchangesOnHost)
      exchangeOnHost();
    else
      exchanges = std::make_unique<NcclExchanges>(streams, rendezvous, log);
  }

  void connect();
  void exchangeOnHost() {
    exchanges = std::make_unique<HostExchanges>(gpu, streams, rendezvous, log);
  }

  CudaOptions options;
  Rendezvous &rendezvous;
  GpuContext gpu;
  Streams streams;
  Modules modules;
  Products products;
  FlightLog log;
  std::unique_ptr<Exchanges> exchanges;
  bool isConnected = false;
  ActionTimer timer;
  Graphs graphs;
};

/// NCCL may refuse ranks that share a GPU, or find no way between them. If it
/// does for one rank, the hosts exchange for all.
void CudaDevice::Implementation::connect() {
  if (std::exchange(isConnected, true) || rendezvous.ranks() == 1)
    return;
  if (!options.sharesGpus)
    return exchanges->connect();
  std::string refusal;
  try {
    exchanges->connect();
  } catch (const Failure &failure) {
    refusal = failure.what();
    // Another rank that has ended says why.
    if (refusal.empty())
      throw;
  }
  std::vector<int64_t> refused = rendezvous.gather(refusal.empty() ? 0 : 1);
  auto first = std::ranges::find(refused, 1);
  if (first == refused.end())
    return;
  if (rendezvous.rank() == first - refused.begin())
    fmt::print(stderr,
               "shardsmith: ranks that share GPUs exchange through the memory "
               "of the host, as with --exchange-on-host: {}\n",
               refusal);
  exchanges->abort();
  exchangeOnHost();
}

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
    exchanges = implementation->log.describe();
  } catch (const std::exception &error) {
    exchanges = error.what();
  }
  implementation->exchanges->abort();
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
  implementation->connect();
  return {implementation->exchanges->makeCommunicator(lists)};
}

void CudaDevice::timeActions() { implementation->timer.restart(); }

std::vector<ActionTime> CudaDevice::actionTimes() const {
  return implementation->timer.times();
}

void CudaDevice::beginAction(device::Stream stream, size_t number,
                             const std::string &name) {
  implementation->log.announce(name);
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
  // The actions of a graph have no times of their own, nor a host.
  if (!implementation->options.usesGraphs || implementation->timer.isOn() ||
      !implementation->exchanges->areOnGpu())
    return false;
  implementation->log.beginGraph();
  implementation->graphs.begin(stream.number);
  return true;
}

device::Graph CudaDevice::endGraph(device::Stream stream) {
  implementation->log.endGraph();
  return {implementation->graphs.end(stream.number)};
}

void CudaDevice::launch(device::Stream stream, device::Graph graph) {
  implementation->log.addGraph();
  implementation->graphs.launch(stream.number, graph.number);
}

void CudaDevice::allReduce(device::Stream stream,
                           device::Communicator communicator, ElementType type,
                           Reduction reduction, device::Address in,
                           device::Address out, int64_t count) {
  implementation->exchanges->allReduce(stream.number, communicator.number, type,
                                       reduction, in, out, count);
}

void CudaDevice::allGather(device::Stream stream,
                           device::Communicator communicator,
                           device::Address in, device::Address out,
                           int64_t bytes) {
  implementation->exchanges->allGather(stream.number, communicator.number, in,
                                       out, bytes);
}

void CudaDevice::reduceScatter(device::Stream stream,
                               device::Communicator communicator,
                               ElementType type, Reduction reduction,
                               device::Address in, device::Address out,
                               int64_t count) {
  implementation->exchanges->reduceScatter(stream.number, communicator.number,
                                           type, reduction, in, out, count);
}

void CudaDevice::exchange(device::Stream stream,
                          device::Communicator communicator, int64_t bytes,
                          std::span<const device::Message> messages) {
  implementation->exchanges->exchange(stream.number, communicator.number, bytes,
                                      messages);
}

void CudaDevice::synchronize(device::Stream stream) {
  using Clock = std::chrono::steady_clock;
  // A step is polled without a pause at first, so that its end is seen at once.
  constexpr int eagerPolls = 1000;
  constexpr auto pause = std::chrono::microseconds(50);
  Exchanges &exchanges = *implementation->exchanges;
  FlightLog &log = implementation->log;
  Rendezvous &rendezvous = implementation->rendezvous;
  int64_t ended = log.endedCount();
  Clock::time_point since = Clock::now();
  for (int64_t poll = 0; !implementation->streams.isIdle(stream.number);
       ++poll) {
    if (poll < eagerPolls)
      continue;
    exchanges.checkErrors();
    rendezvous.checkPeers();
    if (!exchanges.areOnGpu()) {
      // What waits for no other rank ends.
      rendezvous.noteProgress();
      std::this_thread::sleep_for(pause);
      continue;
    }
    if (int64_t now = log.endedCount(); now != ended) {
      ended = now;
      since = Clock::now();
      rendezvous.noteProgress();
    } else if (Clock::now() - since > rendezvous.deadline()) {
      // What exchanges nothing may take as long as it wants.
      if (std::optional<std::string> what = log.unfinished())
        fail(ExitCode::Environment,
             "no exchange has ended for {} s; the GPU waits for {}",
             static_cast<double>(rendezvous.deadline().count()) / 1000, *what);
    }
    std::this_thread::sleep_for(pause);
  }
  log.endStep();
}

} // namespace shardsmith::runtime::cuda

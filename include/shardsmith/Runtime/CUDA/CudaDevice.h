// SPDX-License-Identifier: Apache-2.0
//
// A GPU as the device of one rank: the driver for memory, streams and kernels,
// cuBLASLt for products, NCCL for exchanges.

#ifndef SHARDSMITH_RUNTIME_CUDA_CUDADEVICE_H
#define SHARDSMITH_RUNTIME_CUDA_CUDADEVICE_H

#include "shardsmith/Runtime/CUDA/KernelImages.h"
#include "shardsmith/Runtime/CUDA/MemoryNeed.h"
#include "shardsmith/Runtime/CUDA/Rendezvous.h"
#include "shardsmith/Runtime/Device/Device.h"
#include "shardsmith/Runtime/Device/PassTimes.h"

#include <memory>

namespace shardsmith::runtime::cuda {

struct CudaOptions {
  /// Of the ranks of this machine: the number of the GPU.
  int localRank = 0;
  /// Several ranks may have one GPU, for tests.
  bool sharesGpus = false;
  /// Through the memory of hosts, without NCCL, for tests.
  bool exchangesOnHost = false;
  /// Whether there will be products.
  bool multiplies = true;
  /// Products of f32 round their operands to TF32.
  bool usesTf32 = false;
  /// Whether steps may be kept in CUDA graphs.
  bool usesGraphs = true;
};

/// Nanoseconds since `timeActions`.
struct ActionTime {
  std::string name;
  int stream = 0;
  device::TimedAction when;
};

class CudaDevice final : public device::Device {
public:
  /// Opens the libraries and takes a GPU; talks to no other rank. `images` and
  /// `rendezvous` must live as long.
  CudaDevice(const CudaOptions &options, const std::vector<KernelImage> &images,
             Rendezvous &rendezvous);
  ~CudaDevice() override;

  /// Throws a Failure that lists the needs if less memory is free than these
  /// and the device's own.
  void requireFree(std::vector<MemoryNeed> needs) const;
  /// Actions are timed from now on. Nothing may be in the streams; what was
  /// timed before is forgotten.
  void timeActions();
  /// When the actions ran since then, in the order in which they were put. All
  /// of them must have ended.
  std::vector<ActionTime> actionTimes() const;
  /// After a failure: ends what waits for other ranks on the GPU, and returns
  /// the last exchanges, one line each.
  std::string abort() noexcept;

  std::string describe() const override;
  device::Address allocate(int64_t bytes) override;
  std::byte *allocateOnHost(int64_t bytes) override;
  device::Stream makeStream(const std::string &name) override;
  device::Event makeEvent() override;
  device::Function findFunction(const std::string &name) override;
  device::Communicator
  makeCommunicator(const std::vector<std::vector<int>> &lists) override;
  void beginAction(device::Stream stream, size_t number,
                   const std::string &name) override;
  void endAction(device::Stream stream) override;
  void record(device::Stream stream, device::Event event) override;
  void wait(device::Stream stream, device::Event event) override;
  void copyToDevice(device::Stream stream, device::Address to, const void *from,
                    int64_t bytes) override;
  void copyToHost(device::Stream stream, void *to, device::Address from,
                  int64_t bytes) override;
  void copy(device::Stream stream, const device::StridedCopy &copy) override;
  void fill(device::Stream stream, device::Address to, uint32_t word,
            int64_t words) override;
  void launch(device::Stream stream, device::Function function, int64_t grid,
              int64_t block,
              std::span<const device::Address> arguments) override;
  bool multiply(device::Stream stream, const smith_gemm &gemm,
                const device::ProductAddresses &at) override;
  bool beginGraph(device::Stream stream) override;
  device::Graph endGraph(device::Stream stream) override;
  void launch(device::Stream stream, device::Graph graph) override;
  void allReduce(device::Stream stream, device::Communicator communicator,
                 ElementType type, Reduction reduction, device::Address in,
                 device::Address out, int64_t count) override;
  void allGather(device::Stream stream, device::Communicator communicator,
                 device::Address in, device::Address out,
                 int64_t bytes) override;
  void reduceScatter(device::Stream stream, device::Communicator communicator,
                     ElementType type, Reduction reduction, device::Address in,
                     device::Address out, int64_t count) override;
  void exchange(device::Stream stream, device::Communicator communicator,
                int64_t bytes,
                std::span<const device::Message> messages) override;
  void synchronize(device::Stream stream) override;

private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation;
};

} // namespace shardsmith::runtime::cuda

#endif // SHARDSMITH_RUNTIME_CUDA_CUDADEVICE_H

// SPDX-License-Identifier: Apache-2.0
//
// How the GPUs of ranks exchange tensors: the calls of Device.h, with streams
// and communicators by number.

#ifndef SHARDSMITH_LIB_RUNTIME_CUDA_EXCHANGES_H
#define SHARDSMITH_LIB_RUNTIME_CUDA_EXCHANGES_H

#include "DriverApi.h"

#include "shardsmith/Runtime/Device/Device.h"

#include <span>
#include <vector>

namespace shardsmith::runtime::cuda {

class Exchanges {
public:
  virtual ~Exchanges() = default;

  /// Meets all other ranks, before the first communicator is made.
  virtual void connect() = 0;
  /// Whether the work that it puts into streams waits there for other ranks. If
  /// not, the host does all of an exchange within the call.
  virtual bool areOnGpu() const = 0;

  virtual int makeCommunicator(const std::vector<std::vector<int>> &lists) = 0;
  virtual void allReduce(int stream, int communicator, ElementType type,
                         Reduction reduction, DevicePointer in,
                         DevicePointer out, int64_t count) = 0;
  virtual void allGather(int stream, int communicator, DevicePointer in,
                         DevicePointer out, int64_t bytes) = 0;
  virtual void reduceScatter(int stream, int communicator, ElementType type,
                             Reduction reduction, DevicePointer in,
                             DevicePointer out, int64_t count) = 0;
  virtual void exchange(int stream, int communicator, int64_t bytes,
                        std::span<const device::Message> messages) = 0;

  /// Throws a Failure that names the exchange if one has failed on the GPU.
  virtual void checkErrors() {}
  /// Ends what waits for other ranks on the GPU. Nothing else may be called
  /// after it.
  virtual void abort() noexcept {}
};

} // namespace shardsmith::runtime::cuda

#endif // SHARDSMITH_LIB_RUNTIME_CUDA_EXCHANGES_H

// SPDX-License-Identifier: Apache-2.0
//
// The kernels of a program on one GPU.

#ifndef SHARDSMITH_LIB_RUNTIME_CUDA_MODULES_H
#define SHARDSMITH_LIB_RUNTIME_CUDA_MODULES_H

#include "GpuContext.h"

#include "shardsmith/Runtime/CUDA/KernelImages.h"

#include <span>

namespace shardsmith::runtime::cuda {

class Modules {
public:
  /// The images must outlive this. Nothing is loaded before the first kernel
  /// is asked for.
  Modules(const GpuContext &gpu, const std::vector<KernelImage> &images)
      : gpu(gpu), images(images) {}
  ~Modules();
  Modules(const Modules &) = delete;
  Modules &operator=(const Modules &) = delete;

  /// Throws a Failure (Environment) if no image is for this GPU.
  int findFunction(const std::string &name);
  void launch(DriverStream stream, int function, int64_t grid, int64_t block,
              std::span<const uint64_t> arguments) const;

private:
  void load();

  const GpuContext &gpu;
  const std::vector<KernelImage> &images;
  DriverModule module = nullptr;
  std::vector<DriverFunction> functions;
};

} // namespace shardsmith::runtime::cuda

#endif // SHARDSMITH_LIB_RUNTIME_CUDA_MODULES_H

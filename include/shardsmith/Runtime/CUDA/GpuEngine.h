// SPDX-License-Identifier: Apache-2.0
//
// Runs the steps of a rank on its GPU.

#ifndef SHARDSMITH_RUNTIME_CUDA_GPUENGINE_H
#define SHARDSMITH_RUNTIME_CUDA_GPUENGINE_H

#include "shardsmith/Runtime/CUDA/CudaDevice.h"
#include "shardsmith/Runtime/Device/StepRunner.h"
#include "shardsmith/Runtime/Launch/StepEngine.h"

#include <optional>

namespace shardsmith::runtime::cuda {

/// The program of a device as it was compiled.
struct GpuProgram {
  std::string_view steps; ///< device-program.json
  std::string_view constants;
  std::vector<KernelImage> images;
};

class GpuEngine final : public StepEngine {
public:
  /// Takes a GPU with enough memory; `program` must live as long. Throws a
  /// Failure, and talks to no other rank.
  GpuEngine(smith_context &context, const Options &options,
            const GpuProgram &program);
  ~GpuEngine() override;

  void start(uint8_t *arena) override;
  void run(uint8_t *arena) override;
  void fetch(uint8_t *arena) override;

private:
  template <typename Call> void guarded(Call call);
  std::vector<MemoryNeed> memoryNeeds() const;
  void upload(const Tensor &tensor, const uint8_t *arena);
  void download(const Tensor &tensor, uint8_t *arena);
  void countTraffic();
  void addToProfile(Profile::Clock::time_point begin);

  smith_context &context;
  const Manifest &manifest;
  const GpuProgram &program;
  std::unique_ptr<device::ActionList> list;
  std::unique_ptr<Rendezvous> rendezvous;
  std::unique_ptr<CudaDevice> gpu;
  std::optional<device::StepRunner> runner;
  std::vector<int32_t> counted; ///< by counter, in the last step
};

} // namespace shardsmith::runtime::cuda

#endif // SHARDSMITH_RUNTIME_CUDA_GPUENGINE_H

// SPDX-License-Identifier: Apache-2.0

#include "Modules.h"

#include "shardsmith/Runtime/Failure.h"

#include <limits>

namespace shardsmith::runtime::cuda {

Modules::~Modules() {
  if (module)
    gpu.driver().unloadModule(module);
}

void Modules::load() {
  const KernelImage *image = chooseImage(images, gpu.major(), gpu.minor());
  if (!image) {
    std::vector<std::string> chips;
    for (const KernelImage &each : images)
      chips.push_back(each.chip + (each.isPtx ? " (PTX)" : ""));
    fail(ExitCode::Environment,
         "{} is of architecture sm_{}{}, but the program has kernels for {}; "
         "compile it with --target cuda:CHIP for this GPU",
         gpu.name(), gpu.major(), gpu.minor(), fmt::join(chips, ", "));
  }
  std::string log(4096, '\0');
  JitOption options[] = {jitErrorLogBuffer, jitErrorLogBufferBytes};
  void *values[] = {log.data(), reinterpret_cast<void *>(log.size())};
  DriverResult result =
      gpu.driver().loadModule(&module, image->bytes.data(), 2, options, values);
  if (result == driverSuccess)
    return;
  log.resize(log.find('\0') == std::string::npos ? log.size() : log.find('\0'));
  if (result == driverUnsupportedPtxVersion)
    log += " (its version of PTX is newer than the driver)";
  try {
    gpu.check(result, "cuModuleLoadDataEx");
  } catch (const Failure &failure) {
    fail(ExitCode::Environment, "kernels for {} as {}: {} {}", image->chip,
         image->isPtx ? "PTX" : "code", failure.what(), log);
  }
}

int Modules::findFunction(const std::string &name) {
  if (!module)
    load();
  DriverFunction found = nullptr;
  DriverResult result = gpu.driver().getFunction(&found, module, name.c_str());
  if (result == driverNotFound)
    fail(ExitCode::BadInput, "the program has no kernel '{}'", name);
  gpu.check(result, "cuModuleGetFunction");
  functions.push_back(found);
  return static_cast<int>(functions.size()) - 1;
}

void Modules::launch(DriverStream stream, int function, int64_t grid,
                     int64_t block, std::span<const uint64_t> arguments) const {
  // What the driver's interface and devices of all kinds take.
  constexpr int64_t mostBlocks = std::numeric_limits<int32_t>::max();
  constexpr int64_t mostThreads = 1024;
  if (grid < 1 || grid > mostBlocks || block < 1 || block > mostThreads)
    fail(ExitCode::Unsupported,
         "a kernel has {} blocks of {} threads; GPUs take {} of {}", grid,
         block, mostBlocks, mostThreads);
  std::vector<DevicePointer> values(arguments.begin(), arguments.end());
  std::vector<void *> pointers;
  for (DevicePointer &value : values)
    pointers.push_back(&value);
  gpu.check(gpu.driver().launchKernel(
                functions.at(static_cast<size_t>(function)),
                static_cast<unsigned>(grid), 1, 1, static_cast<unsigned>(block),
                1, 1, 0, stream, pointers.data(), nullptr),
            "cuLaunchKernel");
}

} // namespace shardsmith::runtime::cuda

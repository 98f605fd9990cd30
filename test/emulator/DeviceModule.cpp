// SPDX-License-Identifier: Apache-2.0

#include "DeviceModule.h"

#include "shardsmith/InitAll.h"
#include "shardsmith/Lower/CUDA/DeviceFunctions.h"
#include "shardsmith/Lower/CUDA/Passes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Transforms/Passes.h"

#include <fmt/format.h>

using namespace mlir;

namespace shardsmith::emulator {
namespace {

DialectRegistry deviceDialects() {
  DialectRegistry registry;
  registerAllDialects(registry);
  registerDeviceDialects(registry);
  return registry;
}

} // namespace

DeviceModule::DeviceModule(const std::string &path)
    : context(deviceDialects()) {
  std::string error;
  std::unique_ptr<llvm::MemoryBuffer> file = openInputFile(path, &error);
  if (!file) {
    fmt::print(stderr, "error: {}\n", error);
    return;
  }
  sources.AddNewSourceBuffer(std::move(file), llvm::SMLoc());
  handler.emplace(sources, &context);
  module = parseSourceFile<ModuleOp>(sources, &context);
}

LogicalResult prepareDeviceFunctions(ModuleOp module) {
  PassManager passes(module.getContext());
  passes.nest<gpu::GPUModuleOp>().addPass(createExpandDeviceMath());
  passes.nest<gpu::GPUModuleOp>().addPass(createCSEPass());
  return passes.run(module);
}

} // namespace shardsmith::emulator

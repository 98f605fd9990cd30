// SPDX-License-Identifier: Apache-2.0

#include "FakeKernels.h"

#include "FakeMachine.h"

#include "shardsmith/Lower/CUDA/DeviceFunctions.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

#include <fmt/format.h>
#include <regex>

using namespace mlir;

namespace shardsmith::emulator {

FakeKernels::FakeKernels(const char *image, int major, int minor) {
  std::string text(image);
  std::smatch match;
  if (!std::regex_search(text, match, std::regex(R"(\.target sm_(\d+)(a?))"))) {
    problem = "the image is no PTX";
    return;
  }
  int chip = std::stoi(match[1]), device = major * 10 + minor;
  isOfOtherChip = match[2].length() > 0 ? chip != device : chip > device;
  if (isOfOtherChip) {
    problem = fmt::format("the image is for sm_{}{}", chip, match[2].str());
    return;
  }
  std::regex entry(R"(\.entry (\w+)\(([^)]*)\))"), parameter(R"(\.param)");
  for (std::sregex_iterator i(text.begin(), text.end(), entry), end; i != end;
       ++i) {
    std::string parameters = (*i)[2];
    entries[(*i)[1]] = static_cast<size_t>(std::distance(
        std::sregex_iterator(parameters.begin(), parameters.end(), parameter),
        std::sregex_iterator()));
  }
  functions =
      std::make_unique<DeviceModule>(environmentOr("FAKE_CUDA_FUNCTIONS", ""));
  if (!functions->get() || failed(prepareDeviceFunctions(functions->get())))
    problem = "FAKE_CUDA_FUNCTIONS has no device functions";
}

const MachineFunction *FakeKernels::find(const std::string &name) {
  if (auto known = translated.find(name); known != translated.end())
    return &known->second;
  auto kernels =
      functions->get().lookupSymbol<gpu::GPUModuleOp>(lower::deviceModuleName);
  auto found = entries.find(name);
  if (found == entries.end())
    return nullptr;
  auto function =
      kernels ? kernels.lookupSymbol<gpu::GPUFuncOp>(name) : nullptr;
  FailureOr<DeviceProgram> program = failure();
  if (function && function.getNumArguments() == found->second)
    program = translate(function);
  if (failed(program)) {
    FakeMachine::get().accuse("the IR has no such function as the image: " +
                              name);
    return nullptr;
  }
  return &translated.try_emplace(name, MachineFunction(std::move(*program)))
              .first->second;
}

} // namespace shardsmith::emulator

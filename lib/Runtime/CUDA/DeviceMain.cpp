// SPDX-License-Identifier: Apache-2.0
//
// The main function of programs for GPUs.

#include "shardsmith/Runtime/CUDA/GpuEngine.h"
#include "shardsmith/Runtime/CUDA/ProgramFiles.h"
#include "shardsmith/Runtime/Launch/Program.h"

int main(int argumentCount, char **arguments) {
  using namespace shardsmith::runtime;
  cuda::GpuProgram program;
  std::string_view manifest;
  for (const smith_program_file *file = smith_program_files; file->name;
       ++file) {
    std::string_view name = file->name;
    std::string_view bytes(file->data, file->bytes);
    if (name == "manifest.json")
      manifest = bytes;
    else if (name == "device-program.json")
      program.steps = bytes;
    else if (name == "device-constants.bin")
      program.constants = bytes;
    else if (std::optional<cuda::KernelImage> image =
                 cuda::kernelImage(name, bytes))
      program.images.push_back(*image);
  }
  return runDeviceProgram(
      argumentCount, arguments,
      [&](smith_context &context, const Options &options) {
        return std::make_unique<cuda::GpuEngine>(context, options, program);
      },
      manifest);
}

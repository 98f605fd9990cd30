// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Runtime/CUDA/ProgramCheck.h"

#include "shardsmith/Runtime/CUDA/ProductForm.h"
#include "shardsmith/Runtime/CUDA/ReductionForm.h"

#include <fmt/format.h>

namespace shardsmith::runtime::cuda {
namespace {

constexpr int64_t mostThreads = 1024, mostBlocks = (int64_t(1) << 31) - 1;

template <typename Other> std::string whyNot(const Other &) { return ""; }

std::string whyNot(const device::LaunchStep &step) {
  if (step.grid <= mostBlocks && step.block <= mostThreads)
    return "";
  return fmt::format("kernel '{}' has {} blocks of {} threads; there are at "
                     "most {} of {}",
                     step.function, step.grid, step.block, mostBlocks,
                     mostThreads);
}

std::string whyNot(const device::GemmStep &step) {
  ProductForm form;
  std::string problem = findProductForm(step.gemm, step.bias.has_value(), form);
  if (problem.empty())
    return "";
  return fmt::format("of a product of {} x {} x {}: {}", step.gemm.m,
                     step.gemm.n, step.gemm.k, problem);
}

std::string whyNotReduced(ElementType type, Reduction reduction) {
  if (findReductionForm(type, reduction))
    return "";
  return fmt::format("NCCL does not reduce {} in the way that a collective "
                     "asks for",
                     name(type));
}

std::string whyNot(const device::AllReduceStep &step) {
  return whyNotReduced(step.type, step.reduction);
}

std::string whyNot(const device::ReduceScatterStep &step) {
  return whyNotReduced(step.type, step.reduction);
}

} // namespace

std::string whyGpusCannotRun(const device::StepProgram &program) {
  for (const auto &[name, function] : program.functions)
    for (const device::Step &step : function.steps) {
      std::string problem =
          std::visit([](const auto &each) { return whyNot(each); }, step);
      if (!problem.empty())
        return problem;
    }
  return "";
}

} // namespace shardsmith::runtime::cuda

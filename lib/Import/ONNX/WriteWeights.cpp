// SPDX-License-Identifier: Apache-2.0
//
// Initial values of parameters for programs, which read safetensors.

#include "shardsmith/Import/ONNX/ReadOnnx.h"

#include "Failure.h"
#include "Weights.h"

#include "shardsmith/Interpreter/TensorMemory.h"
#include "shardsmith/Runtime/Failure.h"
#include "shardsmith/Runtime/Files/SafeTensors.h"

#include "llvm/Support/Path.h"

namespace shardsmith {
namespace {

runtime::ElementType storedType(ElementType type) {
  switch (type) {
  case ElementType::BF16:
    return SMITH_BF16;
  case ElementType::F16:
    return SMITH_F16;
  case ElementType::F64:
    return SMITH_F64;
  default:
    return SMITH_F32;
  }
}

} // namespace

llvm::Error writeOnnxWeights(const std::string &path,
                             const std::string &safetensors) {
  try {
    onnx::format::Model model = onnx::readModelFile(path);
    std::string folder = llvm::sys::path::parent_path(path).str();
    std::vector<Tensor> tensors;
    std::vector<runtime::TensorPart> parts;
    for (const onnx::format::Tensor &tensor : model.graph().initializer()) {
      onnx::TensorHeader header = onnx::headerOf(tensor);
      if (!isFloat(header.type) || header.shape.empty())
        continue;
      tensors.push_back(onnx::readTensor(tensor, folder));
      parts.push_back({.name = tensor.name(),
                       .type = storedType(header.type),
                       .shard = runtime::wholeTensor(std::vector<int64_t>(
                           header.shape.begin(), header.shape.end())),
                       .local = tensors.back().bytes()});
    }
    runtime::writeSafeTensors(safetensors, parts, {});
  } catch (const onnx::Failure &failure) {
    return makeError(failure.code, path + ": " + failure.message);
  } catch (const OutOfMemory &problem) {
    return makeError(ExitCode::Environment, path + ": " + problem.what());
  } catch (const runtime::Failure &failure) {
    return makeError(failure.code(), failure.what());
  }
  return llvm::Error::success();
}

} // namespace shardsmith

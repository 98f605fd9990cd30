// SPDX-License-Identifier: Apache-2.0

#include "LoadLibraries.h"

#include "shardsmith/Runtime/Device/OpenedLibrary.h"
#include "shardsmith/Runtime/Failure.h"

namespace shardsmith::runtime::cuda {
namespace {

/// A library without which the program cannot go on.
class Library {
public:
  /// `origin` says what installs it.
  Library(std::initializer_list<const char *> names, const char *origin)
      : library(names), origin(origin) {
    failIfMissing();
  }

  template <typename Signature>
  void bind(const char *function, Signature *&pointer) {
    pointer = library.find<Signature>(function);
    failIfMissing();
  }

private:
  void failIfMissing() const {
    if (!library.problem().empty())
      fail(ExitCode::Environment, "{}; {}", library.problem(), origin);
  }

  device::OpenedLibrary library;
  const char *origin;
};

} // namespace

DriverApi loadDriver() {
  Library library({"libcuda.so.1"}, "this program needs a GPU of NVIDIA and "
                                    "its driver, for CUDA 12.0 or later");
  DriverApi api;
  library.bind("cuInit", api.init);
  library.bind("cuDriverGetVersion", api.getVersion);
  library.bind("cuGetErrorString", api.getErrorString);
  library.bind("cuDeviceGetCount", api.getDeviceCount);
  library.bind("cuDeviceGet", api.getDevice);
  library.bind("cuDeviceGetName", api.getDeviceName);
  library.bind("cuDeviceGetAttribute", api.getDeviceAttribute);
  library.bind("cuDevicePrimaryCtxRetain", api.retainPrimaryContext);
  library.bind("cuDevicePrimaryCtxRelease_v2", api.releasePrimaryContext);
  library.bind("cuCtxSetCurrent", api.setCurrentContext);
  library.bind("cuMemGetInfo_v2", api.getMemoryInfo);
  library.bind("cuMemAlloc_v2", api.allocate);
  library.bind("cuMemFree_v2", api.release);
  library.bind("cuMemHostAlloc", api.allocateOnHost);
  library.bind("cuMemFreeHost", api.releaseOnHost);
  library.bind("cuMemcpyHtoD_v2", api.copyToDeviceNow);
  library.bind("cuMemcpyHtoDAsync_v2", api.copyToDevice);
  library.bind("cuMemcpyDtoHAsync_v2", api.copyToHost);
  library.bind("cuMemcpyDtoDAsync_v2", api.copy);
  library.bind("cuMemcpy2DAsync_v2", api.copyRows);
  library.bind("cuMemsetD32Async", api.fill);
  library.bind("cuStreamCreate", api.createStream);
  library.bind("cuStreamDestroy_v2", api.destroyStream);
  library.bind("cuStreamQuery", api.queryStream);
  library.bind("cuStreamWaitEvent", api.waitForEvent);
  library.bind("cuEventCreate", api.createEvent);
  library.bind("cuEventDestroy_v2", api.destroyEvent);
  library.bind("cuEventRecord", api.recordEvent);
  library.bind("cuEventElapsedTime", api.elapsedTime);
  library.bind("cuStreamBeginCapture_v2", api.beginCapture);
  library.bind("cuStreamEndCapture", api.endCapture);
  library.bind("cuGraphInstantiateWithFlags", api.makeProgram);
  library.bind("cuGraphLaunch", api.launchProgram);
  library.bind("cuGraphExecDestroy", api.destroyProgram);
  library.bind("cuGraphDestroy", api.destroyGraph);
  library.bind("cuModuleLoadDataEx", api.loadModule);
  library.bind("cuModuleUnload", api.unloadModule);
  library.bind("cuModuleGetFunction", api.getFunction);
  library.bind("cuLaunchKernel", api.launchKernel);
  return api;
}

CublasLtApi loadCublasLt() {
  Library library({"libcublasLt.so.13", "libcublasLt.so.12"},
                  "install cuBLAS 13 or 12, which the CUDA toolkit and the "
                  "package nvidia-cublas have");
  CublasLtApi api;
  library.bind("cublasLtCreate", api.create);
  library.bind("cublasLtDestroy", api.destroy);
  library.bind("cublasLtMatmulDescCreate", api.createProduct);
  library.bind("cublasLtMatmulDescDestroy", api.destroyProduct);
  library.bind("cublasLtMatmulDescSetAttribute", api.setProduct);
  library.bind("cublasLtMatrixLayoutCreate", api.createLayout);
  library.bind("cublasLtMatrixLayoutDestroy", api.destroyLayout);
  library.bind("cublasLtMatrixLayoutSetAttribute", api.setLayout);
  library.bind("cublasLtMatmulPreferenceCreate", api.createPreference);
  library.bind("cublasLtMatmulPreferenceDestroy", api.destroyPreference);
  library.bind("cublasLtMatmulPreferenceSetAttribute", api.setPreference);
  library.bind("cublasLtMatmulAlgoGetHeuristic", api.choose);
  library.bind("cublasLtMatmul", api.multiply);
  return api;
}

NcclApi loadNccl() {
  Library library({"libnccl.so.2"},
                  "programs of several ranks need NCCL 2.18 or later, which "
                  "the package nvidia-nccl-cu13 has");
  NcclApi api;
  library.bind("ncclGetVersion", api.getVersion);
  library.bind("ncclGetUniqueId", api.makeId);
  library.bind("ncclGetErrorString", api.getErrorString);
  library.bind("ncclGetLastError", api.getLastError);
  library.bind("ncclCommInitRankConfig", api.init);
  library.bind("ncclCommSplit", api.split);
  library.bind("ncclCommGetAsyncError", api.getAsyncError);
  library.bind("ncclCommFinalize", api.finalize);
  library.bind("ncclCommDestroy", api.destroy);
  library.bind("ncclCommAbort", api.abort);
  library.bind("ncclGroupStart", api.groupStart);
  library.bind("ncclGroupEnd", api.groupEnd);
  library.bind("ncclAllReduce", api.allReduce);
  library.bind("ncclAllGather", api.allGather);
  library.bind("ncclReduceScatter", api.reduceScatter);
  library.bind("ncclSend", api.send);
  library.bind("ncclRecv", api.receive);
  return api;
}

} // namespace shardsmith::runtime::cuda

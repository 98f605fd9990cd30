// SPDX-License-Identifier: Apache-2.0
//
// Our declarations of NVIDIA's interfaces beside NVIDIA's own. Compiled, not
// run, by test_gpu_programs.py.

#include "Runtime/CUDA/CublasLtApi.h"
#include "Runtime/CUDA/DriverApi.h"
#include "Runtime/CUDA/NcclApi.h"

#include <cublasLt.h>
#include <cuda.h>
#include <nccl.h>

#include <type_traits>

namespace ours = shardsmith::runtime::cuda;

// Pointers to objects, enumerations and integers of one size are passed alike.
template <typename Mine, typename Theirs> constexpr bool isPassedAlike() {
  if constexpr (std::is_pointer_v<Mine> || std::is_pointer_v<Theirs>)
    return std::is_pointer_v<Mine> && std::is_pointer_v<Theirs>;
  else
    return sizeof(Mine) == sizeof(Theirs) &&
           std::is_class_v<Mine> == std::is_class_v<Theirs>;
}

template <typename Mine, typename Theirs> struct Compare;
template <typename R1, typename... A1, typename R2, typename... A2>
struct Compare<R1 (*)(A1...), R2(A2...)> {
  static constexpr bool holds() {
    if constexpr (sizeof...(A1) != sizeof...(A2))
      return false;
    else
      return isPassedAlike<R1, R2>() && (isPassedAlike<A1, A2>() && ...);
  }
};

#define SAME_FUNCTION(api, member, function)                                   \
  static_assert(Compare<decltype(ours::api::member),                           \
                        std::remove_cvref_t<decltype(function)>>::holds())
#define SAME_NUMBER(mine, theirs) static_assert(int(ours::mine) == int(theirs))

SAME_FUNCTION(DriverApi, init, cuInit);
SAME_FUNCTION(DriverApi, getVersion, cuDriverGetVersion);
SAME_FUNCTION(DriverApi, getErrorString, cuGetErrorString);
SAME_FUNCTION(DriverApi, getDeviceCount, cuDeviceGetCount);
SAME_FUNCTION(DriverApi, getDevice, cuDeviceGet);
SAME_FUNCTION(DriverApi, getDeviceName, cuDeviceGetName);
SAME_FUNCTION(DriverApi, getDeviceAttribute, cuDeviceGetAttribute);
SAME_FUNCTION(DriverApi, retainPrimaryContext, cuDevicePrimaryCtxRetain);
SAME_FUNCTION(DriverApi, releasePrimaryContext, cuDevicePrimaryCtxRelease_v2);
SAME_FUNCTION(DriverApi, setCurrentContext, cuCtxSetCurrent);
SAME_FUNCTION(DriverApi, getMemoryInfo, cuMemGetInfo_v2);
SAME_FUNCTION(DriverApi, allocate, cuMemAlloc_v2);
SAME_FUNCTION(DriverApi, release, cuMemFree_v2);
SAME_FUNCTION(DriverApi, allocateOnHost, cuMemHostAlloc);
SAME_FUNCTION(DriverApi, releaseOnHost, cuMemFreeHost);
SAME_FUNCTION(DriverApi, copyToDeviceNow, cuMemcpyHtoD_v2);
SAME_FUNCTION(DriverApi, copyToDevice, cuMemcpyHtoDAsync_v2);
SAME_FUNCTION(DriverApi, copyToHost, cuMemcpyDtoHAsync_v2);
SAME_FUNCTION(DriverApi, copy, cuMemcpyDtoDAsync_v2);
SAME_FUNCTION(DriverApi, copyRows, cuMemcpy2DAsync_v2);
SAME_FUNCTION(DriverApi, fill, cuMemsetD32Async);
SAME_FUNCTION(DriverApi, createStream, cuStreamCreate);
SAME_FUNCTION(DriverApi, destroyStream, cuStreamDestroy_v2);
SAME_FUNCTION(DriverApi, queryStream, cuStreamQuery);
SAME_FUNCTION(DriverApi, waitForEvent, cuStreamWaitEvent);
SAME_FUNCTION(DriverApi, createEvent, cuEventCreate);
SAME_FUNCTION(DriverApi, destroyEvent, cuEventDestroy_v2);
SAME_FUNCTION(DriverApi, recordEvent, cuEventRecord);
SAME_FUNCTION(DriverApi, elapsedTime, cuEventElapsedTime);
SAME_FUNCTION(DriverApi, beginCapture, cuStreamBeginCapture_v2);
SAME_FUNCTION(DriverApi, endCapture, cuStreamEndCapture);
SAME_FUNCTION(DriverApi, makeProgram, cuGraphInstantiateWithFlags);
SAME_FUNCTION(DriverApi, launchProgram, cuGraphLaunch);
SAME_FUNCTION(DriverApi, destroyProgram, cuGraphExecDestroy);
SAME_FUNCTION(DriverApi, destroyGraph, cuGraphDestroy);
SAME_FUNCTION(DriverApi, loadModule, cuModuleLoadDataEx);
SAME_FUNCTION(DriverApi, unloadModule, cuModuleUnload);
SAME_FUNCTION(DriverApi, getFunction, cuModuleGetFunction);
SAME_FUNCTION(DriverApi, launchKernel, cuLaunchKernel);

SAME_NUMBER(driverOutOfMemory, CUDA_ERROR_OUT_OF_MEMORY);
SAME_NUMBER(driverNoBinaryForGpu, CUDA_ERROR_NO_BINARY_FOR_GPU);
SAME_NUMBER(driverInvalidPtx, CUDA_ERROR_INVALID_PTX);
SAME_NUMBER(driverUnsupportedPtxVersion, CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
SAME_NUMBER(driverNotFound, CUDA_ERROR_NOT_FOUND);
SAME_NUMBER(driverNotReady, CUDA_ERROR_NOT_READY);
SAME_NUMBER(computeCapabilityMajor,
            CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
SAME_NUMBER(computeCapabilityMinor,
            CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
SAME_NUMBER(captureOfThread, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
SAME_NUMBER(streamNonBlocking, CU_STREAM_NON_BLOCKING);
SAME_NUMBER(eventDisableTiming, CU_EVENT_DISABLE_TIMING);
SAME_NUMBER(jitErrorLogBuffer, CU_JIT_ERROR_LOG_BUFFER);
SAME_NUMBER(jitErrorLogBufferBytes, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
SAME_NUMBER(memoryOfHost, CU_MEMORYTYPE_HOST);
SAME_NUMBER(memoryOfDevice, CU_MEMORYTYPE_DEVICE);
static_assert(sizeof(ours::Memcpy2D) == sizeof(CUDA_MEMCPY2D));
static_assert(offsetof(ours::Memcpy2D, fromDevice) ==
              offsetof(CUDA_MEMCPY2D, srcDevice));
static_assert(offsetof(ours::Memcpy2D, toDevice) ==
              offsetof(CUDA_MEMCPY2D, dstDevice));
static_assert(offsetof(ours::Memcpy2D, rows) ==
              offsetof(CUDA_MEMCPY2D, Height));

SAME_FUNCTION(CublasLtApi, create, cublasLtCreate);
SAME_FUNCTION(CublasLtApi, destroy, cublasLtDestroy);
SAME_FUNCTION(CublasLtApi, createProduct, cublasLtMatmulDescCreate);
SAME_FUNCTION(CublasLtApi, destroyProduct, cublasLtMatmulDescDestroy);
SAME_FUNCTION(CublasLtApi, setProduct, cublasLtMatmulDescSetAttribute);
SAME_FUNCTION(CublasLtApi, createLayout, cublasLtMatrixLayoutCreate);
SAME_FUNCTION(CublasLtApi, destroyLayout, cublasLtMatrixLayoutDestroy);
SAME_FUNCTION(CublasLtApi, setLayout, cublasLtMatrixLayoutSetAttribute);
SAME_FUNCTION(CublasLtApi, createPreference, cublasLtMatmulPreferenceCreate);
SAME_FUNCTION(CublasLtApi, destroyPreference, cublasLtMatmulPreferenceDestroy);
SAME_FUNCTION(CublasLtApi, setPreference, cublasLtMatmulPreferenceSetAttribute);
SAME_FUNCTION(CublasLtApi, choose, cublasLtMatmulAlgoGetHeuristic);
SAME_FUNCTION(CublasLtApi, multiply, cublasLtMatmul);

SAME_NUMBER(blasF32, CUDA_R_32F);
SAME_NUMBER(blasF64, CUDA_R_64F);
SAME_NUMBER(blasF16, CUDA_R_16F);
SAME_NUMBER(blasBf16, CUDA_R_16BF);
SAME_NUMBER(blasComputeF32, CUBLAS_COMPUTE_32F);
SAME_NUMBER(blasComputeF64, CUBLAS_COMPUTE_64F);
SAME_NUMBER(blasComputeTf32, CUBLAS_COMPUTE_32F_FAST_TF32);
SAME_NUMBER(blasAsStored, CUBLAS_OP_N);
SAME_NUMBER(blasTransposed, CUBLAS_OP_T);
SAME_NUMBER(blasTransposeA, CUBLASLT_MATMUL_DESC_TRANSA);
SAME_NUMBER(blasTransposeB, CUBLASLT_MATMUL_DESC_TRANSB);
SAME_NUMBER(blasEpilogue, CUBLASLT_MATMUL_DESC_EPILOGUE);
SAME_NUMBER(blasBiasPointer, CUBLASLT_MATMUL_DESC_BIAS_POINTER);
SAME_NUMBER(blasAuxiliaryPointer, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER);
SAME_NUMBER(blasAuxiliaryLeadingDimension,
            CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD);
SAME_NUMBER(blasAuxiliaryBatchStride,
            CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_BATCH_STRIDE);
SAME_NUMBER(blasScalePointerA, CUBLASLT_MATMUL_DESC_A_SCALE_POINTER);
SAME_NUMBER(blasF8E4M3, CUDA_R_8F_E4M3);
SAME_NUMBER(blasF8E5M2, CUDA_R_8F_E5M2);
SAME_NUMBER(blasPlain, CUBLASLT_EPILOGUE_DEFAULT);
SAME_NUMBER(blasAddBias, CUBLASLT_EPILOGUE_BIAS);
SAME_NUMBER(blasGelu, CUBLASLT_EPILOGUE_GELU);
SAME_NUMBER(blasGeluBias, CUBLASLT_EPILOGUE_GELU_BIAS);
SAME_NUMBER(blasGeluAuxiliary, CUBLASLT_EPILOGUE_GELU_AUX);
SAME_NUMBER(blasGeluAuxiliaryBias, CUBLASLT_EPILOGUE_GELU_AUX_BIAS);
SAME_NUMBER(blasBatchCount, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT);
SAME_NUMBER(blasBatchStride, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET);
SAME_NUMBER(blasMaxWorkspaceBytes, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES);
SAME_NUMBER(blasMinAlignmentA, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES);
SAME_NUMBER(blasMinAlignmentB, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES);
SAME_NUMBER(blasMinAlignmentC, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES);
SAME_NUMBER(blasMinAlignmentD, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES);
static_assert(sizeof(ours::BlasChoice) ==
              sizeof(cublasLtMatmulHeuristicResult_t));
static_assert(offsetof(ours::BlasChoice, state) ==
              offsetof(cublasLtMatmulHeuristicResult_t, state));

SAME_FUNCTION(NcclApi, getVersion, ncclGetVersion);
SAME_FUNCTION(NcclApi, makeId, ncclGetUniqueId);
SAME_FUNCTION(NcclApi, getErrorString, ncclGetErrorString);
SAME_FUNCTION(NcclApi, getLastError, ncclGetLastError);
SAME_FUNCTION(NcclApi, init, ncclCommInitRankConfig);
SAME_FUNCTION(NcclApi, split, ncclCommSplit);
SAME_FUNCTION(NcclApi, getAsyncError, ncclCommGetAsyncError);
SAME_FUNCTION(NcclApi, finalize, ncclCommFinalize);
SAME_FUNCTION(NcclApi, destroy, ncclCommDestroy);
SAME_FUNCTION(NcclApi, abort, ncclCommAbort);
SAME_FUNCTION(NcclApi, groupStart, ncclGroupStart);
SAME_FUNCTION(NcclApi, groupEnd, ncclGroupEnd);
SAME_FUNCTION(NcclApi, allReduce, ncclAllReduce);
SAME_FUNCTION(NcclApi, allGather, ncclAllGather);
SAME_FUNCTION(NcclApi, reduceScatter, ncclReduceScatter);
SAME_FUNCTION(NcclApi, send, ncclSend);
SAME_FUNCTION(NcclApi, receive, ncclRecv);

SAME_NUMBER(ncclFromRemote, ncclRemoteError);
SAME_NUMBER(ncclStillRunning, ncclInProgress);
SAME_NUMBER(ncclI8, ncclInt8);
SAME_NUMBER(ncclU8, ncclUint8);
SAME_NUMBER(ncclI32, ncclInt32);
SAME_NUMBER(ncclU32, ncclUint32);
SAME_NUMBER(ncclI64, ncclInt64);
SAME_NUMBER(ncclU64, ncclUint64);
SAME_NUMBER(ncclF16, ncclFloat16);
SAME_NUMBER(ncclF32, ncclFloat32);
SAME_NUMBER(ncclF64, ncclFloat64);
SAME_NUMBER(ncclBf16, ncclBfloat16);
SAME_NUMBER(ncclAdd, ncclSum);
SAME_NUMBER(ncclMultiply, ncclProd);
SAME_NUMBER(ncclLargest, ncclMax);
SAME_NUMBER(ncclSmallest, ncclMin);
SAME_NUMBER(ncclNoColor, NCCL_SPLIT_NOCOLOR);
static_assert(sizeof(ours::NcclId) == sizeof(ncclUniqueId));
static_assert(ours::NcclConfig().magic ==
              ncclConfig_t(NCCL_CONFIG_INITIALIZER).magic);
static_assert(offsetof(ours::NcclConfig, blocking) ==
              offsetof(ncclConfig_t, blocking));
static_assert(offsetof(ours::NcclConfig, network) ==
              offsetof(ncclConfig_t, netName));
static_assert(offsetof(ours::NcclConfig, splitShare) ==
              offsetof(ncclConfig_t, splitShare));

// SPDX-License-Identifier: Apache-2.0
//
// The part of the CUDA driver's C interface that we call, declared here so that
// nothing has to be installed to build. Checked against CUDA 13.0; the
// functions and numbers are those of every driver since CUDA 12.0.

#ifndef SHARDSMITH_LIB_RUNTIME_CUDA_DRIVERAPI_H
#define SHARDSMITH_LIB_RUNTIME_CUDA_DRIVERAPI_H

#include <cstddef>
#include <cstdint>

namespace shardsmith::runtime::cuda {

using DevicePointer = unsigned long long;
using DriverContext = struct DriverContextObject *;
using DriverModule = struct DriverModuleObject *;
using DriverFunction = struct DriverFunctionObject *;
using DriverStream = struct DriverStreamObject *;
using DriverEvent = struct DriverEventObject *;
using DriverGraph = struct DriverGraphObject *;
using DriverGraphProgram = struct DriverGraphProgramObject *;

/// Codes that functions of the driver return.
enum DriverResult : int {
  driverSuccess = 0,
  driverOutOfMemory = 2,
  driverNoBinaryForGpu = 209,
  driverInvalidPtx = 218,
  driverUnsupportedPtxVersion = 222,
  driverNotFound = 500,
  driverNotReady = 600,
};

enum DeviceAttribute : int {
  computeCapabilityMajor = 75,
  computeCapabilityMinor = 76,
};

constexpr unsigned streamNonBlocking = 1;
constexpr unsigned eventDisableTiming = 2;

/// Options of the driver's compiler of PTX.
enum JitOption : int { jitErrorLogBuffer = 5, jitErrorLogBufferBytes = 6 };

/// Which calls are refused while a stream is captured: unsafe ones of the
/// thread that captures it.
enum CaptureMode : int { captureOfThread = 1 };

enum MemoryType : int { memoryOfHost = 1, memoryOfDevice = 2 };

/// A copy of rows; pitches in bytes.
struct Memcpy2D {
  size_t fromX = 0, fromY = 0;
  MemoryType fromType = memoryOfDevice;
  const void *fromHost = nullptr;
  DevicePointer fromDevice = 0;
  void *fromArray = nullptr;
  size_t fromPitch = 0;
  size_t toX = 0, toY = 0;
  MemoryType toType = memoryOfDevice;
  void *toHost = nullptr;
  DevicePointer toDevice = 0;
  void *toArray = nullptr;
  size_t toPitch = 0;
  size_t rowBytes = 0, rows = 0;
};

/// Functions of libcuda.so.1; LoadLibraries.cpp has their names.
struct DriverApi {
  DriverResult (*init)(unsigned flags);
  DriverResult (*getVersion)(int *);
  DriverResult (*getErrorString)(DriverResult, const char **);
  DriverResult (*getDeviceCount)(int *);
  DriverResult (*getDevice)(int *device, int number);
  DriverResult (*getDeviceName)(char *, int size, int device);
  DriverResult (*getDeviceAttribute)(int *, DeviceAttribute, int device);
  DriverResult (*retainPrimaryContext)(DriverContext *, int device);
  DriverResult (*releasePrimaryContext)(int device);
  DriverResult (*setCurrentContext)(DriverContext);

  DriverResult (*getMemoryInfo)(size_t *freeBytes, size_t *totalBytes);
  DriverResult (*allocate)(DevicePointer *, size_t bytes);
  DriverResult (*release)(DevicePointer);
  DriverResult (*allocateOnHost)(void **, size_t bytes, unsigned flags);
  DriverResult (*releaseOnHost)(void *);
  /// The host waits for the copy.
  DriverResult (*copyToDeviceNow)(DevicePointer, const void *, size_t bytes);
  DriverResult (*copyToDevice)(DevicePointer, const void *, size_t bytes,
                               DriverStream);
  DriverResult (*copyToHost)(void *, DevicePointer, size_t bytes, DriverStream);
  DriverResult (*copy)(DevicePointer to, DevicePointer from, size_t bytes,
                       DriverStream);
  DriverResult (*copyRows)(const Memcpy2D *, DriverStream);
  DriverResult (*fill)(DevicePointer, unsigned word, size_t words,
                       DriverStream);

  DriverResult (*createStream)(DriverStream *, unsigned flags);
  DriverResult (*destroyStream)(DriverStream);
  DriverResult (*queryStream)(DriverStream);
  DriverResult (*waitForEvent)(DriverStream, DriverEvent, unsigned flags);
  DriverResult (*createEvent)(DriverEvent *, unsigned flags);
  DriverResult (*destroyEvent)(DriverEvent);
  DriverResult (*recordEvent)(DriverEvent, DriverStream);
  DriverResult (*elapsedTime)(float *milliseconds, DriverEvent from,
                              DriverEvent to);

  DriverResult (*beginCapture)(DriverStream, CaptureMode);
  DriverResult (*endCapture)(DriverStream, DriverGraph *);
  DriverResult (*makeProgram)(DriverGraphProgram *, DriverGraph,
                              unsigned long long flags);
  DriverResult (*launchProgram)(DriverGraphProgram, DriverStream);
  DriverResult (*destroyProgram)(DriverGraphProgram);
  DriverResult (*destroyGraph)(DriverGraph);

  DriverResult (*loadModule)(DriverModule *, const void *image,
                             unsigned optionCount, JitOption *, void **values);
  DriverResult (*unloadModule)(DriverModule);
  DriverResult (*getFunction)(DriverFunction *, DriverModule, const char *name);
  DriverResult (*launchKernel)(DriverFunction, unsigned gridX, unsigned gridY,
                               unsigned gridZ, unsigned blockX, unsigned blockY,
                               unsigned blockZ, unsigned sharedBytes,
                               DriverStream, void **arguments, void **extra);
};

} // namespace shardsmith::runtime::cuda

#endif // SHARDSMITH_LIB_RUNTIME_CUDA_DRIVERAPI_H

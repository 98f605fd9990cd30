// SPDX-License-Identifier: Apache-2.0
//
// Products by cuBLASLt. The algorithm of each is chosen once and kept.

#ifndef SHARDSMITH_LIB_RUNTIME_CUDA_PRODUCTS_H
#define SHARDSMITH_LIB_RUNTIME_CUDA_PRODUCTS_H

#include "CublasLtApi.h"
#include "GpuContext.h"

#include "shardsmith/Runtime/CUDA/ProductForm.h"
#include "shardsmith/Runtime/Device/Device.h"

#include <map>
#include <memory>

namespace shardsmith::runtime::cuda {

class Products {
public:
  /// Memory that products need beside their operands.
  static constexpr int64_t workspaceBytes = int64_t(32) << 20;

  /// Products of f32 round their operands to TF32 if `usesTf32`. Opens the
  /// library unless there will be no products.
  Products(GpuContext &gpu, bool usesTf32, bool isNeeded);
  ~Products();
  Products(const Products &) = delete;
  Products &operator=(const Products &) = delete;

  /// All calls are for one stream, as they share the workspace. False if the
  /// GELU was wanted, and the library has no algorithm that computes it too.
  bool multiply(DriverStream stream, const smith_gemm &gemm,
                const device::ProductAddresses &at);

private:
  struct Prepared;

  void set(const Prepared &product, BlasProductAttribute attribute,
           const auto &value) const;
  void check(BlasResult result, const char *function) const;
  const Prepared *find(const smith_gemm &gemm,
                       const device::ProductAddresses &at);
  std::unique_ptr<Prepared> prepare(const smith_gemm &gemm,
                                    const device::ProductAddresses &at,
                                    const std::vector<int64_t> &alignments);

  GpuContext &gpu;
  bool usesTf32;
  CublasLtApi api = {};
  BlasHandle handle = nullptr;
  DevicePointer workspace = 0;
  /// By the numbers of the product, the epilogue, and the alignments of the
  /// operands, the bias among them. Null: with GELU there is no algorithm.
  std::map<std::vector<int64_t>, std::unique_ptr<Prepared>> prepared;
};

} // namespace shardsmith::runtime::cuda

#endif // SHARDSMITH_LIB_RUNTIME_CUDA_PRODUCTS_H

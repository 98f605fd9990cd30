// SPDX-License-Identifier: Apache-2.0
//
// The kernels of a program as it carries them: code of chips, and PTX, of which
// the driver makes code.

#ifndef SHARDSMITH_RUNTIME_CUDA_KERNELIMAGES_H
#define SHARDSMITH_RUNTIME_CUDA_KERNELIMAGES_H

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardsmith::runtime::cuda {

struct KernelImage {
  std::string chip; ///< "sm_90a"
  bool isPtx = true;
  std::string_view bytes; ///< PTX is followed by a zero
};

/// Reads `kernels.CHIP.ptx` and `kernels.CHIP.cubin`; nothing for other names.
std::optional<KernelImage> kernelImage(std::string_view fileName,
                                       std::string_view bytes);

/// The image for a GPU of compute capability major.minor. Code of the chip
/// comes before PTX, and of PTX that of the newest chip:
///
///     sm_80 as code     8.0 to 8.9
///     sm_80 as PTX      8.0 and all later ones
///     sm_90a, either    9.0 alone
///
/// Null if there is none.
const KernelImage *chooseImage(const std::vector<KernelImage> &images,
                               int major, int minor);

} // namespace shardsmith::runtime::cuda

#endif // SHARDSMITH_RUNTIME_CUDA_KERNELIMAGES_H

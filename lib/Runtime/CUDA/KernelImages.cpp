// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Runtime/CUDA/KernelImages.h"

#include <charconv>

namespace shardsmith::runtime::cuda {
namespace {

/// `sm_100a` is {10, 0, true}.
struct Chip {
  int major = 0, minor = 0;
  bool isExact = false; ///< no other chip runs its code

  explicit Chip(std::string_view name) {
    constexpr std::string_view prefix = "sm_";
    if (!name.starts_with(prefix))
      return;
    const char *end = name.data() + name.size();
    int number = 0;
    const char *rest =
        std::from_chars(name.data() + prefix.size(), end, number).ptr;
    major = number / 10;
    minor = number % 10;
    isExact = rest != end;
  }

  bool runsOn(bool isPtx, int gpuMajor, int gpuMinor) const {
    if (isExact || !isPtx)
      return major == gpuMajor &&
             (isExact ? minor == gpuMinor : minor <= gpuMinor);
    return major < gpuMajor || (major == gpuMajor && minor <= gpuMinor);
  }
};

} // namespace

std::optional<KernelImage> kernelImage(std::string_view fileName,
                                       std::string_view bytes) {
  constexpr std::string_view prefix = "kernels.";
  if (!fileName.starts_with(prefix))
    return std::nullopt;
  fileName.remove_prefix(prefix.size());
  size_t dot = fileName.find('.');
  if (dot == std::string_view::npos)
    return std::nullopt;
  std::string_view kind = fileName.substr(dot + 1);
  if (kind != "ptx" && kind != "cubin")
    return std::nullopt;
  return KernelImage{std::string(fileName.substr(0, dot)), kind == "ptx",
                     bytes};
}

const KernelImage *chooseImage(const std::vector<KernelImage> &images,
                               int major, int minor) {
  const KernelImage *best = nullptr;
  auto rank = [](const KernelImage &image) {
    Chip chip(image.chip);
    return std::pair(!image.isPtx, chip.major * 100 + chip.minor * 10 +
                                       (chip.isExact ? 1 : 0));
  };
  for (const KernelImage &image : images)
    if (Chip(image.chip).runsOn(image.isPtx, major, minor) &&
        (!best || rank(*best) < rank(image)))
      best = &image;
  return best;
}

} // namespace shardsmith::runtime::cuda

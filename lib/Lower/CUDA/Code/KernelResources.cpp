// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Lower/CUDA/KernelResources.h"

#include "RunPtxas.h"
#include "shardsmith/Support/TemporaryPath.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <regex>

namespace shardsmith::lower {
namespace {

constexpr int64_t lanesOfWarp = 32;
/// Registers are given to warps in pieces, and each of the four parts of a
/// multiprocessor has its own.
constexpr int64_t registerPiece = 256;
constexpr int64_t partsOfProcessor = 4;
/// What the system takes of the shared memory of each block, and the pieces in
/// which it is given.
constexpr int64_t reservedShared = 1024;
constexpr int64_t sharedPiece = 128;

/// ptxas -v: "Compiling entry function 'NAME'", "N bytes spill stores", "Used N
/// registers", "N bytes smem".
std::map<std::string, KernelResources> readReport(const std::string &report) {
  static const std::regex entry("Compiling entry function '([^']+)'");
  static const std::regex spill("([0-9]+) bytes spill");
  static const std::regex registers("Used ([0-9]+) registers");
  static const std::regex shared("([0-9]+) bytes smem");
  std::map<std::string, KernelResources> found;
  KernelResources *current = nullptr;
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(report).split(lines, '\n');
  for (llvm::StringRef each : lines) {
    std::string line = each.str();
    std::smatch match;
    if (std::regex_search(line, match, entry))
      current = &found[match[1]];
    if (!current)
      continue;
    if (std::regex_search(line, match, registers))
      current->registersPerThread = std::stoll(match[1]);
    if (std::regex_search(line, match, shared))
      current->shared = Bytes(std::stoll(match[1]));
    for (std::sregex_iterator it(line.begin(), line.end(), spill), end;
         it != end; ++it)
      current->spilled += Bytes(std::stoll((*it)[1]));
  }
  return found;
}

} // namespace

std::optional<std::map<std::string, KernelResources>>
findKernelResources(const std::string &ptxas, const DeviceChip &chip,
                    llvm::StringRef ptx, std::string &problem) {
  llvm::SmallString<128> folder;
  if (std::error_code error =
          llvm::sys::fs::createUniqueDirectory("shardsmith-ptx", folder)) {
    problem = "no temporary folder: " + error.message();
    return std::nullopt;
  }
  TemporaryPath kept(folder.str().str());
  std::string file = kept.path() + "/kernels.ptx";
  std::error_code error;
  llvm::raw_fd_ostream out(file, error);
  out << ptx;
  out.close();
  if (error || out.has_error()) {
    problem = "cannot write " + file;
    return std::nullopt;
  }
  PtxasRun run =
      runPtxas(ptxas, chip, file, "/dev/null", kept.path() + "/log", {"-v"});
  if (!run.succeeded) {
    problem = fmt::format("{} fails: {}", ptxas, run.report);
    return std::nullopt;
  }
  return readReport(run.report);
}

double occupancyOf(const DeviceChip &chip, const KernelResources &resources,
                   int64_t threadsPerBlock) {
  int64_t warps = llvm::divideCeil(threadsPerBlock, lanesOfWarp);
  if (warps == 0)
    return 0;
  int64_t blocks =
      std::min(chip.blocksPerProcessor, chip.warpsPerProcessor / warps);
  if (int64_t ofWarp = llvm::alignTo(resources.registersPerThread * lanesOfWarp,
                                     registerPiece))
    blocks = std::min(blocks, chip.registersPerProcessor / partsOfProcessor /
                                  ofWarp * partsOfProcessor / warps);
  int64_t shared =
      llvm::alignTo(resources.shared.count() + reservedShared, sharedPiece);
  blocks = std::min(blocks, chip.sharedPerProcessor.count() / shared);
  return double(blocks * warps) / double(chip.warpsPerProcessor);
}

} // namespace shardsmith::lower

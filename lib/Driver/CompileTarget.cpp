// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Driver/CompileTarget.h"

#include "shardsmith/Driver/Session.h"
#include "shardsmith/Lower/CUDA/DeviceFunctions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

#include <fmt/format.h>

namespace shardsmith {

static std::string knownTargets() {
  std::string text = "cpu, cuda";
  for (const lower::DeviceChip &chip : lower::deviceChips())
    text += ", cuda:" + chip.name.str();
  return text;
}

CompileTarget parseCompileTarget(const std::string &text) {
  if (text == "cpu")
    return {};
  CompileTarget target;
  if (text == "cuda") {
    for (const lower::DeviceChip &chip : lower::deviceChips())
      target.chips.push_back(chip.name.str());
    return target;
  }
  llvm::StringRef rest(text);
  if (!rest.consume_front("cuda:"))
    fail(ExitCode::Usage, fmt::format("--target: there is no target '{}'; "
                                      "known: {}",
                                      text, knownTargets()));
  llvm::SmallVector<llvm::StringRef> names;
  rest.split(names, ',');
  for (llvm::StringRef name : names) {
    if (!lower::findDeviceChip(name))
      fail(ExitCode::Usage,
           fmt::format("--target: there is no chip '{}'; known: {}", name.str(),
                       knownTargets()));
    if (!llvm::is_contained(target.chips, name.str()))
      target.chips.push_back(name.str());
  }
  return target;
}

} // namespace shardsmith

// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Driver/CompileTarget.h"

#include "shardsmith/Driver/Session.h"
#include "shardsmith/Lower/CPU/Target.h"
#include "shardsmith/Lower/CUDA/DeviceFunctions.h"
#include "shardsmith/Lower/CUDA/Target.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

#include <fmt/format.h>

namespace shardsmith {

const lower::TargetTraits &CompileTarget::traits() const {
  return isCuda() ? cudaTarget(llvm::all_of(
                        chips,
                        [](const std::string &chip) {
                          return lower::findDeviceChip(chip)->multipliesFloat8;
                        }))
                  : cpuTarget();
}

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

/// `sm_90` of `sm_90a`, and the generation, 9.
static llvm::StringRef withoutSuffix(llvm::StringRef chip) {
  return chip.rtrim("a");
}

static llvm::StringRef generationOf(llvm::StringRef chip) {
  return withoutSuffix(chip).drop_back(1);
}

/// Code of a chip runs on later ones of its generation, unless it uses what the
/// chip alone has (the suffix).
static const lower::DeviceChip *chipFor(llvm::StringRef arch) {
  for (const lower::DeviceChip &chip : lower::deviceChips()) {
    if (withoutSuffix(chip.name) == withoutSuffix(arch))
      return &chip;
    bool isPortable = !chip.name.ends_with("a");
    if (isPortable && generationOf(arch) == generationOf(chip.name) &&
        arch > chip.name)
      return &chip;
  }
  return nullptr;
}

CompileTarget impliedTarget(const Cluster &cluster) {
  CompileTarget target;
  std::string processors;
  for (const Group &group : cluster.groups)
    for (const DeviceSlot &slot : group.node.devices) {
      const DeviceType &type = cluster.deviceTypes.at(slot.type);
      if (type.kind == "cpu") {
        processors = slot.type;
        continue;
      }
      const lower::DeviceChip *chip = chipFor(type.arch);
      if (!chip)
        fail(ExitCode::Unsupported,
             fmt::format("no programs for '{}' of {}, whose architecture is "
                         "{}; known: {}. --target cpu builds one for "
                         "processors",
                         slot.type, cluster.name,
                         type.arch.empty() ? "not given" : type.arch,
                         knownTargets()));
      if (!llvm::is_contained(target.chips, chip->name.str()))
        target.chips.push_back(chip->name.str());
    }
  if (target.isCuda() && !processors.empty())
    fail(ExitCode::Unsupported,
         fmt::format("no programs for '{}' together with GPUs in {}; --target "
                     "cpu builds one for processors",
                     processors, cluster.name));
  return target;
}

ExpertExchange exchangeFor(ExpertExchange asked, const Cluster &cluster) {
  if (asked != ExpertExchange::Cheaper)
    return asked;
  for (const Group &group : cluster.groups)
    for (const DeviceSlot &slot : group.node.devices)
      if (cluster.deviceTypes.at(slot.type).kind != "cpu")
        return ExpertExchange::Fixed;
  return asked;
}

} // namespace shardsmith

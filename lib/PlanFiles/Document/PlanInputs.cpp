// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/PlanFiles/PlanDocument.h"

#include <fmt/format.h>

namespace shardsmith {

std::string differentInputs(const PlanDocument &document,
                            std::string_view modelHash,
                            std::string_view clusterHash,
                            std::string_view profileHash) {
  std::string text;
  auto compare = [&](const char *what, const PlanInput &planned,
                     std::string_view hash) {
    if (hash.empty() || planned.hash == hash)
      return;
    text += fmt::format("{}the plan was made for {} \"{}\" with hash {}, but "
                        "it now has hash {}",
                        text.empty() ? "" : "; ", what, planned.name,
                        planned.hash, hash);
  };
  compare("model", document.model.identity, modelHash);
  compare("cluster", document.cluster, clusterHash);
  compare("profile", document.profile, profileHash);
  return text;
}

} // namespace shardsmith

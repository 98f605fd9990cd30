// SPDX-License-Identifier: Apache-2.0
//
// Stack profiles: reader and writer.

#include "FuzzInput.h"
#include "shardsmith/Cost/Profiles/StackProfile.h"

using namespace shardsmith;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string error;
  std::optional<StackProfile> profile =
      profileFromJson(fuzz::asText(data, size), error);
  fuzz::require(profile.has_value() || !error.empty(), "a refusal says why");
  if (!profile)
    return 0;
  std::optional<StackProfile> again = profileFromJson(toJson(*profile), error);
  fuzz::require(again.has_value(), "what is written can be read");
  fuzz::require(hashOf(*again) == hashOf(*profile),
                "reading what was written gives the same profile");
  return 0;
}

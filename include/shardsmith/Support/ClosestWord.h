// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_SUPPORT_CLOSESTWORD_H
#define SHARDSMITH_SUPPORT_CLOSESTWORD_H

#include <string>
#include <string_view>
#include <vector>

namespace shardsmith {

/// The candidate closest to `word`, for "did you mean": one that begins with
/// the word, or else the one with the fewest edits; empty if none is close.
/// Upper and lower case are the same; the first of equally close ones is taken.
std::string closestWord(std::string_view word,
                        const std::vector<std::string> &candidates);

} // namespace shardsmith

#endif // SHARDSMITH_SUPPORT_CLOSESTWORD_H

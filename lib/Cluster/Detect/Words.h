// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_CLUSTER_DETECT_WORDS_H
#define SHARDSMITH_LIB_CLUSTER_DETECT_WORDS_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardsmith::detect {

/// More memory than any machine has.
inline constexpr int64_t mostMebibytes = int64_t(1) << 40;

/// The lines of a text, without their ends and without the sequences that
/// colour them on a terminal.
std::vector<std::string> plainLines(std::string_view text);

/// The parts between separators, of which several in a row count as one.
std::vector<std::string> words(std::string_view line,
                               std::string_view separators = " \t");

/// Without white space at both ends.
std::string_view trimmed(std::string_view text);

std::string lowerCase(std::string_view text);

/// A whole number of at most `most` that is all of the text.
std::optional<int64_t> wholeNumber(std::string_view text, int64_t most);

/// Numbers of devices in a node, and of nodes, beyond which a text is wrong.
inline constexpr int64_t mostDevices = 1024;
inline constexpr int64_t mostNodes = int64_t(1) << 20;

} // namespace shardsmith::detect

#endif // SHARDSMITH_LIB_CLUSTER_DETECT_WORDS_H

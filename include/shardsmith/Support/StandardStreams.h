// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_SUPPORT_STANDARDSTREAMS_H
#define SHARDSMITH_SUPPORT_STANDARDSTREAMS_H

#include <string>
#include <string_view>

namespace shardsmith {

/// Makes standard streams and write errors what the rest of the code takes them
/// for; called first in `main`:
///
///   * Numbers 0 to 2 are taken, so that no file that is opened later gets
///     messages written into it. Writing to a closed standard output is an
///     error, writing to a closed standard error is not.
///   * Standard error swallows what cannot be written: nobody can be told, and
///     no work is lost because a message was.
///   * A full file or a closed pipe is an error of the write, not a signal.
void prepareStandardStreams();

/// Writes to standard output and waits until it is out. Returns an empty
/// string, or a sentence that says what failed.
std::string writeStandardOutput(std::string_view text);

} // namespace shardsmith

#endif // SHARDSMITH_SUPPORT_STANDARDSTREAMS_H

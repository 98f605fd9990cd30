// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_SUPPORT_ATOMICFILE_H
#define SHARDSMITH_SUPPORT_ATOMICFILE_H

#include <string>
#include <string_view>

namespace shardsmith {

/// Whether a file is on the disk when it is said to be written. Whoever flushes
/// several files together leaves each of them to the system first.
enum class Flush { AtOnce, Later };

/// Replaces the file at `path` by `contents`, whole or not at all: the text
/// goes to a temporary file beside it, which is flushed to disk and renamed.
/// Missing parent folders are made. Devices and pipes are written to instead,
/// and links to files are refused: OutputTarget.h lists what a path may be.
/// Returns an empty string, or a sentence that says what failed, after which
/// the old file is untouched and the temporary one gone.
std::string writeFileAtomically(const std::string &path,
                                std::string_view contents,
                                Flush flush = Flush::AtOnce);

/// Why `writeFileAtomically` would fail at `path`, for asking before long work;
/// empty if nothing is in the way. Makes no folders and leaves no files.
std::string whyNotWritable(const std::string &path);

/// Writes all of `contents`, however often the kernel takes only a part. False
/// with errno set on failure.
bool writeAll(int file, std::string_view contents);

} // namespace shardsmith

#endif // SHARDSMITH_SUPPORT_ATOMICFILE_H

// SPDX-License-Identifier: Apache-2.0
//
// What fuzz targets share: input as text or as a file, and a way to say that
// a property does not hold.

#ifndef SHARDSMITH_TEST_FUZZ_FUZZINPUT_H
#define SHARDSMITH_TEST_FUZZ_FUZZINPUT_H

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include <sys/mman.h>
#include <unistd.h>

namespace shardsmith::fuzz {

inline std::string_view asText(const uint8_t *data, size_t size) {
  return {reinterpret_cast<const char *>(data), size};
}

/// Ends the program unless `holds`, so that the input is kept as a finding.
inline void require(bool holds, const char *property) {
  if (holds)
    return;
  std::fprintf(stderr, "property broken: %s\n", property);
  std::abort();
}

/// The first line of `text`, which is taken off.
inline std::string_view takeLine(std::string_view &text) {
  size_t end = text.find('\n');
  std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

/// The input as a file in memory, for readers that take a path.
class InputFile {
public:
  InputFile(const uint8_t *data, size_t size)
      : descriptor(memfd_create("input", MFD_CLOEXEC)) {
    require(descriptor >= 0 &&
                write(descriptor, data, size) == static_cast<ssize_t>(size),
            "the input fits into a file in memory");
  }
  ~InputFile() { close(descriptor); }
  InputFile(const InputFile &) = delete;
  InputFile &operator=(const InputFile &) = delete;

  std::string path() const {
    return "/proc/self/fd/" + std::to_string(descriptor);
  }

private:
  int descriptor;
};

} // namespace shardsmith::fuzz

#endif // SHARDSMITH_TEST_FUZZ_FUZZINPUT_H

// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Support/StandardStreams.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace shardsmith {
namespace {

/// Says that all is written, whatever became of it.
ssize_t writeIfPossible(void *, const char *text, size_t size) {
  for (size_t written = 0; written < size;) {
    ssize_t count = write(STDERR_FILENO, text + written, size - written);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      break;
    written += static_cast<size_t>(count);
  }
  return static_cast<ssize_t>(size);
}

bool isOpen(int descriptor) { return fcntl(descriptor, F_GETFD) >= 0; }

/// Standard output gets a descriptor that refuses to be written to.
void takeStandardNumbers() {
  for (int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (isOpen(descriptor))
      continue;
    int mode = descriptor == STDERR_FILENO ? O_WRONLY : O_RDONLY;
    int file = open("/dev/null", mode);
    if (file >= 0 && file != descriptor) {
      dup2(file, descriptor);
      close(file);
    }
  }
}

} // namespace

void prepareStandardStreams() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  takeStandardNumbers();
  // Everything that writes messages goes through this stream, libraries too.
  cookie_io_functions_t functions = {};
  functions.write = writeIfPossible;
  if (std::FILE *stream = fopencookie(nullptr, "w", functions)) {
    std::setvbuf(stream, nullptr, _IONBF, 0);
    stderr = stream;
  }
}

std::string writeStandardOutput(std::string_view text) {
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() &&
      std::fflush(stdout) == 0 && std::ferror(stdout) == 0)
    return "";
  return std::string("cannot write to standard output") +
         (errno != 0 ? std::string(": ") + std::strerror(errno) : "");
}

} // namespace shardsmith

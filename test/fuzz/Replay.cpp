// SPDX-License-Identifier: Apache-2.0
//
//   XFuzz [--mutations N] [--seed S] FILE-OR-FOLDER…
//
// Gives files to a fuzz target where there is no libFuzzer, and N changed
// copies of each. An input that ends the program is written to crash-input in
// the working folder before it ends.

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t maxSize, unsigned int seed);

namespace {

using Input = std::vector<uint8_t>;

const Input *current = nullptr;

void keepInput(int signal) {
  int file = open("crash-input", O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (file >= 0 && current)
    (void)!write(file, current->data(), current->size());
  std::signal(signal, SIG_DFL);
  raise(signal);
}

void keepInputOnSignals() {
  static std::array<uint8_t, 1 << 16> stack; // that of the program may be full
  stack_t other{};
  other.ss_sp = stack.data();
  other.ss_size = stack.size();
  sigaltstack(&other, nullptr);
  struct sigaction action{};
  action.sa_handler = keepInput;
  action.sa_flags = SA_ONSTACK;
  for (int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGALRM})
    sigaction(signal, &action, nullptr);
}

void runOne(const Input &input) {
  constexpr unsigned longestSeconds = 60;
  current = &input;
  alarm(longestSeconds);
  LLVMFuzzerTestOneInput(input.data(), input.size());
  alarm(0);
  current = nullptr;
}

std::vector<std::string> filesAt(const std::string &path) {
  std::vector<std::string> files;
  if (!std::filesystem::is_directory(path))
    return {path};
  for (const auto &entry : std::filesystem::recursive_directory_iterator(path))
    if (entry.is_regular_file())
      files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  return files;
}

} // namespace

int main(int count, char **arguments) {
  unsigned mutations = 0, seed = 1;
  std::vector<std::string> files;
  for (int i = 1; i < count; ++i) {
    std::string argument = arguments[i];
    if (argument == "--mutations" && i + 1 < count)
      mutations = static_cast<unsigned>(std::stoul(arguments[++i]));
    else if (argument == "--seed" && i + 1 < count)
      seed = static_cast<unsigned>(std::stoul(arguments[++i]));
    else
      std::ranges::move(filesAt(argument), std::back_inserter(files));
  }
  keepInputOnSignals();
  size_t executed = 0;
  for (const std::string &path : files) {
    std::ifstream stream(path, std::ios::binary);
    if (!stream) {
      std::fprintf(stderr, "cannot read %s\n", path.c_str());
      return 3;
    }
    Input input(std::istreambuf_iterator<char>(stream), {});
    runOne(input);
    ++executed;
    for (unsigned i = 0; i < mutations; ++i, ++executed) {
      Input changed = input;
      changed.resize(input.size() * 2 + 4096);
      changed.resize(LLVMFuzzerCustomMutator(changed.data(), input.size(),
                                             changed.size(), seed + i));
      changed.shrink_to_fit();
      runOne(changed);
    }
  }
  std::printf("%zu files, %zu executions\n", files.size(), executed);
  return files.empty() ? 3 : 0;
}

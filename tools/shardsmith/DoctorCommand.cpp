// SPDX-License-Identifier: Apache-2.0
//
// `shardsmith doctor`: what this machine has of what the other commands need.

#include "Command.h"

#include "shardsmith/Support/Json.h"
#include "shardsmith/Support/RuntimeFiles.h"

#include <CLI/CLI.hpp>
#include <dlfcn.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sys/statvfs.h>
#include <thread>
#include <unistd.h>

namespace shardsmith {
namespace {

namespace fs = std::filesystem;

/// One line of the report.
struct Finding {
  std::string subject;
  enum class Verdict { Good, Optional, Missing } verdict;
  std::string text;
};

std::optional<fs::path> findProgram(const std::string &name) {
  const char *path = std::getenv("PATH");
  std::stringstream folders(path ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');) {
    fs::path candidate = fs::path(folder) / name;
    if (access(candidate.c_str(), X_OK) == 0)
      return candidate;
  }
  return std::nullopt;
}

bool canLoad(const char *library) {
  void *handle = dlopen(library, RTLD_LAZY | RTLD_LOCAL);
  if (handle)
    dlclose(handle);
  return handle != nullptr;
}

/// A field of /proc/meminfo in GiB.
double memoryGiB(const std::string &field) {
  std::ifstream file("/proc/meminfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(field + ":"))
      return std::stod(line.substr(field.size() + 1)) / (1 << 20);
  return 0;
}

Finding examineProcessor() {
  std::ifstream file("/proc/cpuinfo");
  std::string flags;
  for (std::string line; std::getline(file, line) && flags.empty();)
    if (line.starts_with("flags"))
      flags = line + " ";
  const char *widest = flags.find(" avx512f ") != std::string::npos ? "AVX-512"
                       : flags.find(" avx2 ") != std::string::npos  ? "AVX2"
                                                                    : "SSE";
  return {
      "processor", Finding::Verdict::Good,
      fmt::format("{} cores, {}", std::thread::hardware_concurrency(), widest)};
}

Finding examineMemory() {
  return {"memory", Finding::Verdict::Good,
          fmt::format("{:.1f} GiB, {:.1f} GiB available", memoryGiB("MemTotal"),
                      memoryGiB("MemAvailable"))};
}

Finding examineSharedMemory() {
  struct statvfs status;
  if (statvfs("/dev/shm", &status) != 0)
    return {"shared memory", Finding::Verdict::Missing,
            "/dev/shm is not there; ranks on one machine need it"};
  double free = double(status.f_bavail) * status.f_frsize / (1 << 30);
  if (free < 0.25)
    return {"shared memory", Finding::Verdict::Missing,
            fmt::format("/dev/shm has {:.2f} GiB free; make it 1 GiB or more",
                        free)};
  return {"shared memory", Finding::Verdict::Good,
          fmt::format("/dev/shm has {:.1f} GiB free", free)};
}

Finding examineCompilerDriver() {
  for (const char *name : {"c++", "clang++-22", "g++"})
    if (std::optional<fs::path> path = findProgram(name))
      return {"linker driver", Finding::Verdict::Good, path->string()};
  return {"linker driver", Finding::Verdict::Missing,
          "none of c++, clang++-22, g++ on PATH; install build-essential"};
}

Finding examineRuntime() {
  std::string archive = findRuntimeFile("libshardsmith_runtime.a");
  if (archive.empty())
    return {"runtime library", Finding::Verdict::Missing,
            "libshardsmith_runtime.a is not beside this program; build "
            "the project or set SHARDSMITH_RUNTIME_DIR"};
  return {"runtime library", Finding::Verdict::Good, archive};
}

Finding examineLibrary(const char *subject, const char *library,
                       Finding::Verdict verdict, const char *advice) {
  if (canLoad(library))
    return {subject, Finding::Verdict::Good, library};
  return {subject, verdict,
          fmt::format("{} is not there; {}", library, advice)};
}

Finding examineMpi() {
  if (std::optional<fs::path> path = findProgram("mpirun"))
    return {"MPI", Finding::Verdict::Good, path->string()};
  return {"MPI", Finding::Verdict::Optional,
          "no mpirun on PATH; install openmpi-bin to span machines"};
}

std::vector<Finding> examine() {
  return {examineProcessor(),
          examineMemory(),
          examineSharedMemory(),
          examineCompilerDriver(),
          examineRuntime(),
          examineLibrary("oneDNN", "libdnnl.so.2", Finding::Verdict::Missing,
                         "install libdnnl2"),
          examineMpi(),
          examineLibrary("GPU driver", "libcuda.so.1",
                         Finding::Verdict::Optional,
                         "programs for CPUs do not need it")};
}

const char *word(Finding::Verdict verdict) {
  switch (verdict) {
  case Finding::Verdict::Good:
    return "ok";
  case Finding::Verdict::Optional:
    return "optional";
  case Finding::Verdict::Missing:
    return "missing";
  }
  return "";
}

ExitCode runDoctor(bool json) {
  std::vector<Finding> findings = examine();
  bool healthy = true;
  nlohmann::ordered_json report = nlohmann::ordered_json::array();
  for (const Finding &finding : findings) {
    healthy &= finding.verdict != Finding::Verdict::Missing;
    report.push_back({{"subject", finding.subject},
                      {"verdict", word(finding.verdict)},
                      {"text", finding.text}});
    if (!json)
      fmt::print("{:<16} {:<9} {}\n", finding.subject, word(finding.verdict),
                 finding.text);
  }
  if (json)
    fmt::print("{}\n", jsonText(report, 2));
  return healthy ? ExitCode::Success : ExitCode::Environment;
}

} // namespace

void addDoctorCommand(CLI::App &application, Action &action) {
  CLI::App *command = application.add_subcommand(
      "doctor", "Say what this machine has of what Shardsmith needs");
  auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "Print the report as JSON");
  command->footer("Exit code 6 if something needed is missing.");
  command->callback(
      [json, &action] { action = [json] { return runDoctor(*json); }; });
}

} // namespace shardsmith

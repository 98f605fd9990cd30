// SPDX-License-Identifier: Apache-2.0
//
// `shardsmith doctor`: what this machine has of what the other commands need.

#include "Command.h"
#include "MachineMeasurement.h"

#include "shardsmith/Driver/Session.h"
#include "shardsmith/Runtime/Device/CudaLibraries.h"
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

/// Whether `cpu:N` is measured or estimated.
Finding examineRates() {
  std::string folder = measuredFolder();
  ClusterResult found = findMeasured(folder, 1);
  if (found.cluster)
    return {"rates of cpu:N", Finding::Verdict::Good, "measured, " + folder};
  return {"rates of cpu:N", Finding::Verdict::Optional,
          found.errors.empty() ? "estimated; 'shardsmith doctor --measure' "
                                 "measures them in a few seconds"
                               : found.errorText()};
}

/// Programs for processors need nothing of NVIDIA's.
Finding examineCuda(const char *subject,
                    const runtime::device::FoundLibrary &found,
                    const char *before = "") {
  if (found.version.empty())
    return {subject, Finding::Verdict::Optional,
            found.problem + "; programs for CPUs do not need it"};
  return {subject, Finding::Verdict::Good, before + found.version};
}

std::vector<Finding> examineGpus() {
  std::vector<runtime::device::FoundGpu> gpus;
  std::vector<Finding> findings{examineCuda(
      "GPU driver", runtime::device::findDriver(gpus), "for CUDA ")};
  if (findings.front().verdict == Finding::Verdict::Good && gpus.empty())
    findings.push_back(
        {"GPU", Finding::Verdict::Optional, "the driver has no device"});
  for (size_t i = 0; i < gpus.size(); ++i)
    findings.push_back(
        {fmt::format("GPU {}", i), Finding::Verdict::Good,
         fmt::format("{}, {}, {:.1f} GiB", gpus[i].name, gpus[i].chip,
                     double(gpus[i].bytes) / (1 << 30))});
  findings.push_back(examineCuda("cuBLASLt", runtime::device::findCublasLt()));
  findings.push_back(examineCuda("NCCL", runtime::device::findNccl()));
  return findings;
}

std::vector<Finding> examine() {
  std::vector<Finding> findings{examineProcessor(),
                                examineMemory(),
                                examineSharedMemory(),
                                examineCompilerDriver(),
                                examineRuntime(),
                                examineLibrary("oneDNN", "libdnnl.so.2",
                                               Finding::Verdict::Missing,
                                               "install libdnnl2"),
                                examineMpi()};
  std::ranges::move(examineGpus(), std::back_inserter(findings));
  findings.push_back(examineRates());
  return findings;
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

struct DoctorArguments {
  bool json = false;
  bool measure = false;
  std::vector<int64_t> ranks;
  std::string folder;
  std::string rankFile;
};

/// 1, 2, 4, … ranks: as many as there are cores, four at least.
std::vector<int64_t> countsToMeasure() {
  int64_t cores = std::max(4u, std::thread::hardware_concurrency());
  std::vector<int64_t> counts;
  for (int64_t ranks = 1; ranks <= cores; ranks *= 2)
    counts.push_back(ranks);
  return counts;
}

/// Measures ranks of this machine, and keeps what it finds for `cpu:N`.
std::vector<Finding> measureMachine(const DoctorArguments &arguments) {
  std::string folder =
      arguments.folder.empty() ? measuredFolder() : arguments.folder;
  if (folder.empty())
    fail(ExitCode::Usage, "no folder to keep the rates in: none of "
                          "SHARDSMITH_MACHINE, XDG_CACHE_HOME and HOME is "
                          "set; give --output");
  std::vector<Finding> findings;
  for (int64_t ranks :
       arguments.ranks.empty() ? countsToMeasure() : arguments.ranks) {
    std::string path = measuredFile(folder, ranks);
    requireWritable(path);
    RankRates rates = measureRanks(ranks, {"doctor", "--measure-as-rank"});
    writeOutput(path, clusterOf(rates).toJson());
    std::string text = fmt::format(
        "{:.0f} GFLOP/s f32, {:.1f} GB/s through memory",
        rates.flopsPerSecond["f32"] * 1e-9, rates.bytesPerSecond * 1e-9);
    if (ranks > 1)
      text += fmt::format(", all-reduce {:.1f} GB/s",
                          rates.collectives.front().bytesPerSecond * 1e-9);
    findings.push_back({fmt::format("cpu:{}", ranks), Finding::Verdict::Good,
                        fmt::format("a rank has {}; {}", text, path)});
  }
  return findings;
}

ExitCode runDoctor(const DoctorArguments &arguments) {
  if (!arguments.rankFile.empty())
    return measureAsRank(arguments.rankFile);
  bool json = arguments.json;
  std::vector<Finding> findings =
      arguments.measure ? measureMachine(arguments) : examine();
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
  auto arguments = std::make_shared<DoctorArguments>();
  command->add_flag("--json", arguments->json, "Print the report as JSON");
  auto *measure = command->add_flag(
      "--measure", arguments->measure,
      "Measure what ranks on this machine can do, for --cluster cpu:N; run it "
      "while nothing else does");
  command
      ->add_option("--ranks", arguments->ranks,
                   "Numbers of ranks to measure (default: 1, 2, 4, … cores)")
      ->check(CLI::Range(1, 256))
      ->delimiter(',')
      ->needs(measure);
  command
      ->add_option("-o,--output", arguments->folder,
                   "Folder for the descriptions, cpu-N.json (default: "
                   "$SHARDSMITH_MACHINE, else $XDG_CACHE_HOME or ~/.cache, "
                   "shardsmith/machine)")
      ->needs(measure);
  command->add_option("--measure-as-rank", arguments->rankFile)->group("");
  command->footer("Exit code 6 if something needed is missing.");
  command->callback([arguments, &action] {
    action = [arguments] { return runDoctor(*arguments); };
  });
}

} // namespace shardsmith

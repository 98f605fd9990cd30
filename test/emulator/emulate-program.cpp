// SPDX-License-Identifier: Apache-2.0
//
// Trains with a program for devices on emulated ones:
//
//   shardsmith compile model.mlir --target cuda:sm_80 --dump-dir ir …
//   emulate-program ir/07-device-functions.mlir --steps 3 --orders 5
//
// Initial values and batches are those of a program for processors with the
// same seed, so that both can be compared. Every order of streams, hosts,
// blocks and threads has to give the same bits.

#include "DeviceModule.h"
#include "EmulatedDevice.h"
#include "Machine.h"

#include "shardsmith/Lower/CUDA/DeviceFunctions.h"
#include "shardsmith/Lower/CUDA/DeviceProgram.h"
#include "shardsmith/Runtime/Device/StepRunner.h"
#include "shardsmith/Runtime/Failure.h"
#include "shardsmith/Runtime/Files/BatchSource.h"
#include "shardsmith/Runtime/Files/SafeTensors.h"
#include "shardsmith/Runtime/Initialize.h"
#include "shardsmith/Runtime/Placement.h"

#include "../unit/FirstSeed.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <list>
#include <map>
#include <numeric>

using namespace mlir;

namespace shardsmith::emulator {
namespace {

struct Options {
  std::string path;
  int64_t steps = 1;
  int64_t orders = 1;
  runtime::DataOptions data;
  std::string inputs;
  std::string dumpOutputs;
  std::string fault;
  bool checksOrder = true;
  bool hasEpilogues = true;
  bool everyWait = false;
};

/// What is the same in every order.
struct Program {
  runtime::Manifest manifest;
  std::string constants;
  std::vector<device::ActionList> lists; ///< by rank
  std::vector<MachineFunction> functions;
};

/// What a rank's program leaves behind.
struct RankRun {
  std::vector<uint8_t> arena; ///< as large as the device's
  std::vector<double> losses;
  std::vector<int64_t> dropped; ///< rows of experts, by step
};

/// The function of a step: its exchanges that `--fault` counts, in order.
std::vector<device::Action *> collectivesOf(device::ActionList &list) {
  std::vector<device::Action *> all;
  for (device::Action &action : list.actions)
    if (std::holds_alternative<device::AllReduceAction>(action.work) ||
        std::holds_alternative<device::AllGatherAction>(action.work) ||
        std::holds_alternative<device::ReduceScatterAction>(action.work))
      all.push_back(&action);
  return all;
}

/// How many elements or bytes a collective is of.
int64_t &countOf(device::Action &action) {
  if (auto *reduce = std::get_if<device::AllReduceAction>(&action.work))
    return reduce->count;
  if (auto *gather = std::get_if<device::AllGatherAction>(&action.work))
    return gather->bytes;
  return std::get<device::ReduceScatterAction>(action.work).count;
}

size_t communicatorOf(const device::Action &action) {
  if (const auto *reduce = std::get_if<device::AllReduceAction>(&action.work))
    return reduce->communicator;
  if (const auto *gather = std::get_if<device::AllGatherAction>(&action.work))
    return gather->communicator;
  return std::get<device::ReduceScatterAction>(action.work).communicator;
}

/// Two collectives that others can tell from one another.
bool differ(device::Action &a, device::Action &b) {
  return a.work.index() != b.work.index() ||
         communicatorOf(a) != communicatorOf(b) || countOf(a) != countOf(b);
}

/// Breaks the first rank's program as `--fault` says; false if it has no such
/// place.
bool breakProgram(device::ActionList &list, const std::string &fault) {
  size_t colon = fault.find(':');
  std::string what = fault.substr(0, colon);
  size_t number = std::stoull(fault.substr(colon + 1));
  if (what == "wait") {
    for (device::Action &action : list.actions) {
      if (number < action.waits.size()) {
        action.waits.erase(action.waits.begin() + static_cast<int64_t>(number));
        return true;
      }
      number -= action.waits.size();
    }
    return false;
  }
  std::vector<device::Action *> all = collectivesOf(list);
  if (what == "count") {
    if (number >= all.size())
      return false;
    --countOf(*all[number]);
    return true;
  }
  for (size_t i = 0; i + 1 < all.size(); ++i)
    if (differ(*all[i], *all[i + 1]) && number-- == 0) {
      std::swap(all[i]->work, all[i + 1]->work);
      return true;
    }
  return false;
}

class ProgramRun {
public:
  ProgramRun(const Options &options, const Program &program)
      : options(options), program(program), manifest(program.manifest),
        batches(manifest, options.data, team), ranks(manifest.ranks) {
    if (!options.inputs.empty())
      inputs = std::make_unique<runtime::SafeTensorsFile>(options.inputs);
  }

  /// Returns what went wrong, or nothing.
  std::string run(uint64_t seed) {
    Machine machine(
        {manifest.ranks, seed, options.checksOrder, options.hasEpilogues},
        program.functions);
    return machine.run([&](int rank, device::Device &device) {
      runRank(rank, device, ranks[rank]);
    });
  }

  const std::vector<double> &losses() const { return ranks.front().losses; }

  /// Rows that all ranks dropped, by step.
  std::vector<int64_t> droppedRows() const {
    std::vector<int64_t> all(static_cast<size_t>(options.steps));
    for (const RankRun &run : ranks)
      for (size_t step = 0; step < all.size(); ++step)
        all[step] += run.dropped[step];
    return all;
  }

  /// All results, whole; in the order of the manifest. Of several that are rows
  /// of one tensor, the first is the whole of it and others are empty.
  std::vector<std::vector<uint8_t>> gatherResults() const {
    std::vector<std::vector<uint8_t>> all(manifest.results.size());
    std::map<std::string_view, size_t> places;
    for (const runtime::Result &result : manifest.results) {
      size_t number = size_t(&result - manifest.results.data());
      size_t place = places.try_emplace(result.name, number).first->second;
      std::vector<uint8_t> &whole = all[place];
      whole.resize(size_t(result.globalBytes()));
      int64_t size = runtime::byteSize(result.type);
      for (int rank = 0; rank < manifest.ranks; ++rank) {
        runtime::Shard shard = runtime::shardOf(manifest, result, rank);
        if (!shard.isHeld || !shard.isFirstCopy)
          continue;
        const uint8_t *local =
            runtime::placeOf(manifest, result, rank, ranks[rank].arena.data());
        for (const runtime::Run &run : runtime::contiguousRuns(shard))
          std::copy_n(local + run.local * size, run.length * size,
                      whole.data() + run.global * size);
      }
    }
    return all;
  }

private:
  void fillArgument(size_t number, int64_t step, int rank, uint8_t *local) {
    const runtime::Argument &argument = manifest.arguments[number];
    runtime::Shard shard = runtime::shardOf(manifest, argument, rank);
    if (!shard.isHeld)
      return;
    if (inputs)
      inputs->read(argument, shard, local);
    else if (argument.role == runtime::Role::Batch)
      batches.fill(number, step, shard, local);
    else
      runtime::initialize(argument, shard, options.data.seed, local, team);
  }

  void runRank(int rank, device::Device &device, RankRun &run) {
    const device::ActionList &list = program.lists[rank];
    device::StepRunner runner(device, list,
                              std::as_bytes(std::span(program.constants)));
    run.arena.assign(list.arenaBytes, 0);
    run.losses.clear();
    run.dropped.clear();
    std::vector<int32_t> counted(static_cast<size_t>(list.counters));
    auto upload = [&](bool isBatch, int64_t step) {
      for (size_t i = 0; i < manifest.arguments.size(); ++i) {
        const runtime::Argument &argument = manifest.arguments[i];
        auto place = runtime::offsetOf(manifest, argument, rank);
        if ((argument.role == runtime::Role::Batch) != isBatch || !place)
          continue;
        fillArgument(i, step, rank, run.arena.data() + *place);
        auto copy = isBatch ? &device::StepRunner::uploadOfStep
                            : &device::StepRunner::upload;
        (runner.*copy)(*place, run.arena.data() + *place,
                       argument.localBytes());
      }
    };
    auto download = [&](const runtime::Result &result) {
      if (auto place = runtime::offsetOf(manifest, result, rank))
        runner.download(run.arena.data() + *place, *place, result.localBytes());
    };
    upload(false, 0);
    for (int64_t step = 0; step < options.steps; ++step) {
      upload(true, step);
      runner.enqueue();
      for (const runtime::Result &result : manifest.results)
        if (auto place = runtime::offsetOf(manifest, result, rank);
            place && result.role == runtime::Role::Loss)
          runner.downloadOfStep(run.arena.data() + *place, *place,
                                result.localBytes());
      runner.downloadOfStep(counted.data(), list.countersPlace,
                            list.counters * 4);
      runner.finish();
      run.dropped.push_back(
          std::accumulate(counted.begin(), counted.end(), int64_t(0)));
      for (const runtime::Result &result : manifest.results)
        if (result.role == runtime::Role::Loss)
          run.losses.push_back(runtime::loadAsDouble(
              result.type,
              runtime::placeOf(manifest, result, rank, run.arena.data()), 0));
    }
    for (const runtime::Result &result : manifest.results)
      download(result);
    runner.finish();
  }

  const Options &options;
  const Program &program;
  const runtime::Manifest &manifest;
  runtime::ThreadTeam team{1};
  runtime::BatchSource batches;
  std::unique_ptr<runtime::SafeTensorsFile> inputs;
  std::vector<RankRun> ranks;
};

LogicalResult readProgram(ModuleOp module, Program &program) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  if (!main)
    return module.emitError("needs a function @main");
  lower::ProgramDescription description;
  program.manifest =
      runtime::readManifest(lower::makeManifest(main, description));
  lower::DeviceProgramText text =
      lower::describeDeviceProgram(main, description);
  program.constants = std::move(text.constants);
  auto bytes = static_cast<int64_t>(program.constants.size());
  device::StepProgram steps =
      device::readStepProgram(text.json, program.manifest, bytes);
  for (int rank = 0; rank < program.manifest.ranks; ++rank)
    program.lists.emplace_back(steps, program.manifest, rank, bytes);

  auto kernels = module.lookupSymbol<gpu::GPUModuleOp>(lower::deviceModuleName);
  if (!kernels)
    return success();
  if (failed(prepareDeviceFunctions(module)))
    return failure();
  for (auto function : kernels.getOps<gpu::GPUFuncOp>()) {
    FailureOr<DeviceProgram> translated = translate(function);
    if (failed(translated))
      return failure();
    program.functions.emplace_back(std::move(*translated));
  }
  return success();
}

void writeResults(const std::string &path, const runtime::Manifest &manifest,
                  const std::vector<std::vector<uint8_t>> &results) {
  std::vector<runtime::TensorPart> parts;
  for (size_t i = 0; i < results.size(); ++i) {
    const runtime::Result &result = manifest.results[i];
    if (result.globalBytes() > 0 && results[i].empty())
      continue;
    parts.push_back({result.name, result.type,
                     runtime::wholeTensor(result.globalShape),
                     results[i].data()});
  }
  runtime::writeSafeTensors(path, parts, {{"device", "emulated"}});
}

int train(const Options &options, Program &program, uint64_t seed) {
  if (!options.fault.empty() &&
      !breakProgram(program.lists.front(), options.fault)) {
    fmt::print("emulated: rank 0 has no {}\n", options.fault);
    return 3;
  }
  std::vector<std::vector<uint8_t>> first;
  std::vector<double> losses;
  std::vector<int64_t> dropped;
  for (int64_t number = 0; number < options.orders; ++number) {
    ProgramRun run(options, program);
    std::string problem = run.run(seed + static_cast<uint64_t>(number));
    if (!problem.empty()) {
      fmt::print("emulated, order {}: {}\n", number, problem);
      return 7;
    }
    std::vector<std::vector<uint8_t>> results = run.gatherResults();
    if (number > 0 && (results != first || run.losses() != losses ||
                       run.droppedRows() != dropped)) {
      fmt::print("emulated, order {}: results depend on the order\n", number);
      return 7;
    }
    first = std::move(results);
    losses = run.losses();
    dropped = run.droppedRows();
  }
  if (!options.dumpOutputs.empty())
    writeResults(options.dumpOutputs, program.manifest, first);
  size_t actions = 0, waits = 0;
  for (const device::ActionList &list : program.lists) {
    actions += list.actions.size();
    waits += list.waitCount();
  }
  nlohmann::ordered_json json = {
      {"device", "emulated"},
      {"ranks", program.manifest.ranks},
      {"orders", options.orders},
      {"actions", actions},
      {"waits", waits},
      {"waits_of_first_rank", program.lists.front().waitCount()},
      {"losses", losses}};
  if (program.manifest.dropsRows)
    json["dropped_rows"] = dropped;
  fmt::print("{}\n", json.dump());
  return 0;
}

/// Leaves out every wait of the first rank in turn. Each has to be missed.
int tryEveryWait(const Options &options, Program &program, uint64_t seed) {
  device::ActionList whole = program.lists.front();
  std::vector<size_t> unnoticed;
  for (size_t number = 0; number < whole.waitCount(); ++number) {
    program.lists.front() = whole;
    breakProgram(program.lists.front(), fmt::format("wait:{}", number));
    if (ProgramRun(options, program).run(seed + number).empty())
      unnoticed.push_back(number);
  }
  nlohmann::ordered_json json = {{"device", "emulated"},
                                 {"waits_of_first_rank", whole.waitCount()},
                                 {"unnoticed", unnoticed}};
  fmt::print("{}\n", json.dump());
  return unnoticed.empty() ? 0 : 7;
}

int main(int argc, char **argv) {
  Options options;
  CLI::App application(
      "Train with a program for devices on emulated devices, for tests");
  application
      .add_option("file", options.path,
                  "07-device-functions.mlir of 'compile --dump-dir'")
      ->required();
  application.add_option("--steps", options.steps, "Steps to train")
      ->check(CLI::PositiveNumber);
  application
      .add_option("--orders", options.orders,
                  "Orders of streams, hosts, blocks and threads to try")
      ->check(CLI::PositiveNumber);
  application.add_option("--seed", options.data.seed,
                         "Of initial values and batches");
  application.add_option("--inputs", options.inputs,
                         "Safetensors file with all arguments");
  application.add_option("--dump-outputs", options.dumpOutputs,
                         "Safetensors file for all results of the last step");
  application.add_flag("!--no-epilogues", options.hasEpilogues,
                       "Products without GELU, as of a library that has no "
                       "algorithm for both");
  application.add_flag("!--unordered", options.checksOrder,
                       "Do not check that events order the streams");
  application.add_flag("--every-wait", options.everyWait,
                       "Leave out every wait of rank 0 for an event in turn, "
                       "and print which ones nobody misses");
  application
      .add_option("--fault", options.fault,
                  "Break the program of rank 0, counted from 0: wait:N leaves "
                  "out a wait for an event, swap:N swaps a collective with the "
                  "next one where they differ, count:N makes one shorter")
      ->check([](const std::string &text) {
        bool isKnown = text.starts_with("wait:") || text.starts_with("swap:") ||
                       text.starts_with("count:");
        return isKnown ? "" : "expected wait:N, swap:N or count:N";
      });
  CLI11_PARSE(application, argc, argv);

  DeviceModule file(options.path);
  Program program;
  if (!file.get() || failed(readProgram(file.get(), program)))
    return 3;
  uint64_t seed = test::firstSeed();
  int code = options.everyWait ? tryEveryWait(options, program, seed)
                               : train(options, program, seed);
  if (code != 0)
    fmt::print(stderr, "SHARDSMITH_TEST_SEED={}\n", seed);
  return code;
}

} // namespace
} // namespace shardsmith::emulator

int main(int argc, char **argv) {
  try {
    return shardsmith::emulator::main(argc, argv);
  } catch (const shardsmith::runtime::Failure &failure) {
    fmt::print(stderr, "error: {}\n", failure.what());
    return static_cast<int>(failure.code());
  }
}

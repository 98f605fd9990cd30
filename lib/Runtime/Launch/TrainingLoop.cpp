// SPDX-License-Identifier: Apache-2.0

#include "TrainingLoop.h"

#include "../Files/FolderLock.h"
#include "../Rank/Together.h"
#include "Report.h"
#include "shardsmith/Runtime/Files/Checkpoint.h"
#include "shardsmith/Runtime/Files/PretrainedWeights.h"
#include "shardsmith/Runtime/Initialize.h"
#include "shardsmith/Support/AtomicFile.h"

#include <chrono>
#include <filesystem>
#include <list>
#include <numeric>
#include <optional>
#include <utility>

namespace shardsmith::runtime {
namespace {

/// Before anything is computed: what could not be written at the end is
/// refused, and a folder that another run writes to.
void takeOutputs(const Options &options, std::optional<FolderLock> &lock) {
  for (const std::string &path :
       {options.dumpOutputs, options.saveInitial, options.saveBatches,
        options.metricsFile, options.profile}) {
    std::string problem = path.empty() ? "" : whyNotWritable(path);
    if (!problem.empty())
      fail(ExitCode::Environment, "{}", problem);
  }
  if (!options.savedWeights.empty())
    takeWeightsFolder(options.savedWeights,
                      {options.initialWeights, options.likeWeights});
  const std::string &folder = options.checkpointFolder;
  std::error_code error;
  // Who wants to resume from nothing is told so, and no folder is made.
  bool isMissing = !std::filesystem::exists(folder, error);
  if (folder.empty() || (options.resume && isMissing))
    return;
  std::filesystem::create_directories(folder, error);
  if (error)
    fail(ExitCode::Environment, "cannot make folder '{}': {}", folder,
         error.message());
  lock.emplace(folder);
  removePartialCheckpoints(folder);
}

class Training {
public:
  Training(smith_context &context, const Options &options,
           const EngineFactory &makeEngine, uint8_t *arena)
      : context(context), manifest(context.manifest), options(options),
        engine(makeEngine(context, options)), arena(arena),
        batches(manifest, options.data, context.team),
        report(context, options) {
    for (const Argument &argument : manifest.arguments)
      shards.push_back(context.shardOf(argument));
    start = prepareState();
    // Wrong values of the first batch are found here.
    if (start < options.steps)
      loadBatch(start);
  }

  void run() {
    if (!options.saveInitial.empty())
      writeState(context, options.saveInitial, {}, arena);
    if (!options.saveBatches.empty())
      saveBatches();
    engine->start(arena);
    context.barrier(); // so that no step waits for another rank's start
    if (!options.profile.empty())
      context.profile.start();

    for (int64_t step = start; step < options.steps; ++step) {
      context.step = step;
      context.pass.isOfStepBefore = true;
      context.transport->noteStep(step);
      loadBatch(step);
      report.addStep(timeStep(step));
      bool isLast = step + 1 == options.steps;
      bool isDue = options.checkpointEvery > 0 &&
                   (step + 1) % options.checkpointEvery == 0;
      if (isLast || isDue)
        engine->fetch(arena);
      if (!options.checkpointFolder.empty() && (isDue || isLast))
        writeCheckpoint(context, options.checkpointFolder, step + 1, arena);
    }

    if (!options.profile.empty())
      writeProfile(context, options.profile);
    if (!options.savedWeights.empty())
      writeWeights();
    if (!options.dumpOutputs.empty())
      dumpOutputs();
    std::vector<Traffic> traffic;
    for (const std::vector<int64_t> &numbers :
         context.gatherLists(context.traffic.numbers()))
      traffic.push_back(context.traffic.ofNumbers(numbers));
    std::vector<int64_t> resident =
        context.gather(context.transport->residentArenaBytes());
    runTogether(context, [&] { report.finish(start, traffic, resident); });
  }

private:
  /// Fills everything but the batches; returns the first step to run.
  int64_t prepareState() {
    for (size_t i = 0; i < manifest.arguments.size(); ++i) {
      const Argument &argument = manifest.arguments[i];
      if (argument.role == Role::Batch)
        continue;
      checkInit(argument);
      if (!options.resume)
        initialize(argument, shards[i], options.data.seed,
                   context.placeOf(argument, arena), context.team);
      context.noteProgress();
    }
    if (!options.initialWeights.empty() || !options.likeWeights.empty())
      readWeights();
    if (!options.inputs.empty())
      loadInputs();
    if (!options.resume)
      return 0;
    return resumeCheckpoint(context, options.checkpointFolder, arena);
  }

  void readWeights() {
    if (!options.likeWeights.empty())
      published.emplace(manifest, options.likeWeights);
    if (options.initialWeights.empty())
      return;
    std::optional<PretrainedWeights> other;
    std::optional<PretrainedWeights> &initial = published ? other : published;
    initial.emplace(manifest, options.initialWeights);
    initial->load(context, arena);
  }

  void writeWeights() {
    if (published)
      published->save(context, options.savedWeights, arena);
    else
      saveWeights(context, options.savedWeights, arena);
  }

  void loadInputs() {
    inputs = std::make_unique<SafeTensorsFile>(options.inputs);
    for (size_t i = 0; i < manifest.arguments.size(); ++i)
      inputs->read(manifest.arguments[i], shards[i],
                   context.placeOf(manifest.arguments[i], arena));
  }

  void loadBatch(int64_t step) {
    for (size_t i = 0; i < manifest.arguments.size(); ++i) {
      const Argument &argument = manifest.arguments[i];
      if (argument.role != Role::Batch)
        continue;
      if (inputs)
        inputs->read(argument, shards[i], context.placeOf(argument, arena));
      else
        batches.fill(i, step, shards[i], context.placeOf(argument, arena));
    }
  }

  StepRecord timeStep(int64_t step) {
    using Clock = std::chrono::steady_clock;
    int64_t bytesBefore = context.traffic.totalBytes();
    Clock::time_point begin = Clock::now();
    context.profile.beginStep(step);
    engine->run(arena);
    context.profile.endStep();
    std::chrono::duration<double> elapsed = Clock::now() - begin;
    return {step,
            loss(),
            metrics(),
            elapsed.count(),
            context.traffic.totalBytes() - bytesBefore,
            droppedRows()};
  }

  /// Those of all ranks since the step before.
  std::optional<int64_t> droppedRows() {
    if (!manifest.dropsRows)
      return std::nullopt;
    std::vector<int64_t> all =
        context.gather(std::exchange(context.droppedRows, 0));
    return std::accumulate(all.begin(), all.end(), int64_t(0));
  }

  std::optional<double> loss() const {
    for (const Result &result : manifest.results)
      if (result.role == Role::Loss && result.localBytes() > 0)
        return scalar(result);
    return std::nullopt;
  }

  /// The loss and scalar outputs are whole on every rank.
  double scalar(const Result &result) const {
    return loadAsDouble(result.type, context.placeOf(result, arena), 0);
  }

  std::vector<std::pair<std::string, double>> metrics() const {
    std::vector<std::pair<std::string, double>> values;
    for (const Result &result : manifest.results)
      if (result.role == Role::Output && result.globalShape.empty())
        values.emplace_back(result.name, scalar(result));
    return values;
  }

  void dumpOutputs() {
    std::vector<TensorPart> parts;
    for (const Result &result : manifest.results)
      parts.push_back({result.name, result.type, context.shardOf(result),
                       context.placeOf(result, arena)});
    writeSafeTensors(context, options.dumpOutputs, parts, {});
  }

  /// Rank 0 makes and writes whole batches; the others only take part.
  void saveBatches() {
    std::vector<TensorPart> parts;
    std::list<std::vector<uint8_t>> storage;
    for (int64_t step = start; step < options.steps; ++step) {
      for (size_t i = 0; i < manifest.arguments.size(); ++i) {
        const Argument &argument = manifest.arguments[i];
        if (argument.role != Role::Batch)
          continue;
        Shard whole = wholeTensor(argument.globalShape);
        whole.isFirstCopy = context.rank() == 0;
        const void *local = nullptr;
        if (whole.isFirstCopy) {
          storage.emplace_back(argument.globalBytes());
          batches.fill(i, step, whole, storage.back().data());
          local = storage.back().data();
          context.noteProgress();
        }
        parts.push_back({fmt::format("step{}/{}", step, argument.name),
                         argument.type, whole, local});
      }
    }
    writeSafeTensors(context, options.saveBatches, parts, {});
  }

  smith_context &context;
  const Manifest &manifest;
  const Options &options;
  std::unique_ptr<StepEngine> engine;
  uint8_t *arena;
  BatchSource batches;
  Report report;
  std::vector<Shard> shards; // of the arguments
  int64_t start = 0;         // first step to run
  std::unique_ptr<SafeTensorsFile> inputs;
  /// What the weights at the end are to look like.
  std::optional<PretrainedWeights> published;
};

} // namespace

void train(smith_context &context, const Options &options,
           const EngineFactory &makeEngine, uint8_t *arena) {
  std::optional<FolderLock> lock; // held by rank 0
  std::optional<Training> training;
  runTogether(context, [&] {
    if (context.rank() == 0)
      takeOutputs(options, lock);
    training.emplace(context, options, makeEngine, arena);
  });
  training->run();
}

} // namespace shardsmith::runtime

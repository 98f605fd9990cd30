// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Runtime/CUDA/GpuEngine.h"

#include "shardsmith/Runtime/Placement.h"

#include <algorithm>
#include <numeric>

namespace shardsmith::runtime::cuda {
namespace {

/// Other ranks over the transport of the host.
class HostRendezvous final : public Rendezvous {
public:
  HostRendezvous(smith_context &context, std::chrono::milliseconds deadline)
      : context(context), patience(deadline) {}

  int rank() const override { return context.rank(); }
  int ranks() const override { return context.manifest.ranks; }
  std::chrono::milliseconds deadline() const override { return patience; }

  std::vector<int64_t> gather(int64_t value) override {
    return context.gather(value);
  }
  void broadcast(std::byte *bytes, int64_t count) override {
    std::vector<std::byte> all(static_cast<size_t>(count * ranks()));
    context.transport->allGather(context.groups.world(), bytes, all.data(), 1,
                                 count);
    std::copy_n(all.data(), count, bytes);
  }
  Transport &transport() override { return *context.transport; }
  const GroupTable &groups() const override { return context.groups; }
  void checkPeers() override { context.transport->checkPeers(); }
  void noteProgress() override { context.noteProgress(); }

private:
  smith_context &context;
  std::chrono::milliseconds patience;
};

bool isScalarOutput(const Result &result) {
  return result.role == Role::Loss ||
         (result.role == Role::Output && result.globalShape.empty());
}

} // namespace

GpuEngine::GpuEngine(smith_context &context, const Options &options,
                     const GpuProgram &program)
    : context(context), manifest(context.manifest), program(program) {
  auto constantBytes = static_cast<int64_t>(program.constants.size());
  device::StepProgram steps =
      device::readStepProgram(program.steps, manifest, constantBytes);
  list = std::make_unique<device::ActionList>(steps, manifest, context.rank(),
                                              constantBytes);
  rendezvous = std::make_unique<HostRendezvous>(context, options.deadline);
  CudaOptions cuda;
  cuda.localRank = context.environment.localRank;
  cuda.sharesGpus = options.sharesGpus;
  cuda.exchangesOnHost = options.exchangesOnHost;
  cuda.usesTf32 = options.usesTf32;
  cuda.usesGraphs = options.usesGraphs;
  cuda.multiplies =
      std::ranges::any_of(list->actions, [](const device::Action &action) {
        return std::holds_alternative<device::MultiplyAction>(action.work);
      });
  if ((cuda.sharesGpus || cuda.exchangesOnHost) && context.rank() == 0)
    fmt::print(stderr, "shardsmith: ranks {}: this is for tests, and slow\n",
               cuda.exchangesOnHost
                   ? "exchange through the memory of their hosts"
                   : "share GPUs where there are too few, over sockets");
  gpu = std::make_unique<CudaDevice>(cuda, program.images, *rendezvous);
  gpu->requireFree(memoryNeeds());
  for (const std::string &name : list->functions)
    gpu->findFunction(name);
  context.device = gpu->describe();
}

GpuEngine::~GpuEngine() = default;

std::vector<MemoryNeed> GpuEngine::memoryNeeds() const {
  int64_t parameters = 0, state = 0, batches = 0;
  for (const Argument &argument : manifest.arguments) {
    if (!offsetOf(manifest, argument, context.rank()))
      continue;
    int64_t &sum = argument.role == Role::Batch   ? batches
                   : argument.role == Role::State ? state
                                                  : parameters;
    sum += argument.localBytes();
  }
  auto constants = static_cast<int64_t>(program.constants.size());
  return {{"parameters", parameters},
          {"optimizer state", state},
          {"batches", batches},
          {"gradients and activations",
           list->arenaBytes - parameters - state - batches},
          {"constants", constants},
          {"exchanges", list->memoryBytes - list->arenaBytes - constants}};
}

/// Whatever fails once the GPU works ends its exchanges, so that no other rank
/// waits for this one there, and says what was under way.
template <typename Call> void GpuEngine::guarded(Call call) {
  try {
    call();
  } catch (const Failure &failure) {
    std::string exchanges = gpu->abort();
    if (exchanges.empty())
      throw;
    exchanges.pop_back(); // its last newline
    throw Failure(failure.code(),
                  fmt::format("{}\nshardsmith: rank {}: last exchanges on the "
                              "GPU:\n{}",
                              failure.what(), context.rank(), exchanges));
  }
}

void GpuEngine::upload(const Tensor &tensor, const uint8_t *arena) {
  if (auto place = offsetOf(manifest, tensor, context.rank()))
    runner->upload(*place, arena + *place, tensor.localBytes());
}

void GpuEngine::download(const Tensor &tensor, uint8_t *arena) {
  if (auto place = offsetOf(manifest, tensor, context.rank()))
    runner->download(arena + *place, *place, tensor.localBytes());
}

void GpuEngine::start(uint8_t *arena) {
  guarded([&] {
    runner.emplace(*gpu, *list, std::as_bytes(std::span(program.constants)));
    runner->warmUp();
    for (const Argument &argument : manifest.arguments)
      if (argument.role != Role::Batch)
        upload(argument, arena);
    runner->finish();
  });
}

void GpuEngine::run(uint8_t *arena) {
  guarded([&] {
    Profile::Clock::time_point begin = context.profile.now();
    if (context.profile.isOn())
      gpu->timeActions();
    for (const Argument &argument : manifest.arguments)
      if (auto place = offsetOf(manifest, argument, context.rank());
          place && argument.role == Role::Batch)
        runner->uploadOfStep(*place, arena + *place, argument.localBytes());
    runner->enqueue();
    // A copy to other memory would hold the host until the step has ended, and
    // nobody would look for ranks that fail.
    for (const Result &result : manifest.results)
      if (auto place = offsetOf(manifest, result, context.rank());
          place && isScalarOutput(result))
        runner->downloadOfStep(arena + *place, *place, result.localBytes());
    counted.resize(static_cast<size_t>(list->counters));
    runner->downloadOfStep(counted.data(), list->countersPlace,
                           list->counters * 4);
    runner->finish();
    context.droppedRows +=
        std::accumulate(counted.begin(), counted.end(), int64_t(0));
    countTraffic();
    if (context.profile.isOn())
      addToProfile(begin);
  });
}

/// What streams did, and by it what a processor's profile has: passes, and the
/// time that kernels waited for messages.
void GpuEngine::addToProfile(Profile::Clock::time_point begin) {
  Profile &profile = context.profile;
  auto at = [&](int64_t time) {
    return begin + std::chrono::nanoseconds(time);
  };
  std::vector<device::TimedAction> times;
  for (ActionTime &time : gpu->actionTimes()) {
    times.push_back(time.when);
    profile.addDeviceWork(list->streams.at(static_cast<size_t>(time.stream)),
                          std::move(time.name), at(time.when.begin),
                          at(time.when.end));
  }
  device::StepTimes step = device::timesOfPasses(*list, times);
  for (size_t i = 0; i < step.passes.size(); ++i)
    profile.addPass(list->passes[i].name.c_str(), list->passes[i].microBatch,
                    at(step.passes[i].begin), at(step.passes[i].end));
  for (const device::MessageWait &wait : step.waits) {
    const auto &exchange =
        std::get<device::ExchangeAction>(list->actions[wait.action].work);
    size_t number = exchange.communicator - manifest.groups.size() - 1;
    profile.addMessageWait(manifest.channels[number].from, exchange.bytes,
                           at(wait.begin), at(wait.end));
  }
}

void GpuEngine::fetch(uint8_t *arena) {
  guarded([&] {
    for (const Result &result : manifest.results)
      download(result, arena);
    runner->finish();
  });
}

/// What one step sends, by the groups and channels of the manifest.
void GpuEngine::countTraffic() {
  size_t groups = manifest.groups.size();
  auto add = [&](size_t communicator, CollectiveKind kind, int64_t bytes) {
    auto index = static_cast<int>(communicator);
    int size = context.groups.groups[communicator].size();
    context.traffic.add(index, kind, communicationBytes(kind, bytes, size));
  };
  for (const device::Action &action : list->actions) {
    const auto *work = &action.work;
    if (const auto *reduce = std::get_if<device::AllReduceAction>(work)) {
      add(reduce->communicator, CollectiveKind::AllReduce,
          reduce->count * byteSize(reduce->type));
    } else if (const auto *gather =
                   std::get_if<device::AllGatherAction>(work)) {
      add(gather->communicator, CollectiveKind::AllGather, gather->bytes);
    } else if (const auto *scatter =
                   std::get_if<device::ReduceScatterAction>(work)) {
      int size = context.groups.groups[scatter->communicator].size();
      add(scatter->communicator, CollectiveKind::ReduceScatter,
          scatter->count * byteSize(scatter->type) * size);
    } else if (const auto *exchange =
                   std::get_if<device::ExchangeAction>(work)) {
      int64_t sent = 0;
      for (const device::ExchangeAction::Message &message : exchange->messages)
        sent += message.isSend ? exchange->bytes : 0;
      if (exchange->kind) {
        context.traffic.add(static_cast<int>(exchange->communicator),
                            *exchange->kind, sent);
        continue;
      }
      const Channel &channel =
          manifest.channels[exchange->communicator - groups - 1];
      if (sent > 0)
        context.traffic.addSend(axisBetween(manifest, channel.from, channel.to)
                                    .value_or(manifest.mesh.size()),
                                sent);
    }
  }
}

} // namespace shardsmith::runtime::cuda

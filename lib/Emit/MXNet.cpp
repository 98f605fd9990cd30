// SPDX-License-Identifier: Apache-2.0
//
// A script that starts apache/mxnet for a plan of data ranks alone, and the
// key-value store over which they stay equal: servers that keep the parameters
// (dist_device_sync, started by MXNet's tools/launch.py), or an all-reduce by
// Horovod, whichever takes less time on the plan's cluster; on one machine an
// all-reduce by NCCL, in one process.

#include "DataParallel.h"
#include "Heading.h"
#include "Targets.h"
#include "shardsmith/Cost/Collectives/GradientExchange.h"
#include "shardsmith/PlanFiles/PlanReport.h"

#include <fmt/format.h>

namespace shardsmith::emit {
namespace {

constexpr std::string_view mxnetFile = "mxnet.sh";

struct Launch {
  /// What a training script gives to `mxnet.kv.create`.
  std::string_view store;
  /// How people start the script.
  std::string start;
  /// Its last line.
  std::string command;
};

Launch launchOf(const EmitInput &input, bool hasServers) {
  int64_t local = localRanks(input);
  int64_t machines = ceilDivide(input.strategy().data, local);
  if (machines == 1)
    return {"nccl", fmt::format("sh {} python TRAIN.py …", mxnetFile),
            "exec \"$@\"\n"};
  if (!hasServers)
    return {"horovod",
            fmt::format("HOSTS=host1:{0},host2:{0} sh {1} python TRAIN.py …",
                        local, mxnetFile),
            horovodrunLine(input)};
  return {"dist_device_sync",
          fmt::format("LAUNCH=mxnet/tools/launch.py sh {} python TRAIN.py …, "
                      "with a host name per line in the file hosts",
                      mxnetFile),
          fmt::format("exec python \"${{LAUNCH:-launch.py}}\" -n {0} -s {0} "
                      "-H \"${{HOSTFILE:-hosts}}\" --launcher ssh \"$@\"\n",
                      machines)};
}

/// Why this store: what either style takes.
std::string reasonFor(const GradientExchange &exchange, Bytes gradients) {
  return fmt::format("# {} of gradients: all-reduce {}, parameter servers {}\n",
                     describeBytes(gradients), describeTime(exchange.allReduce),
                     describeTime(exchange.parameterServers));
}

} // namespace

void emitMXNet(const EmitInput &input, Emission &emission) {
  Refusals refusals(emission.obstacles);
  requireDataRanksAlone(input, refusals);
  const Strategy &strategy = input.strategy();
  int64_t local = localRanks(input);
  if (strategy.data % local != 0)
    refusals.add(
        fmt::format("{} data ranks on machines of {}", strategy.data, local),
        fmt::format("dp={}", strategy.data / local * local));
  if (strategy.data > input.topology.deviceCount())
    refusals.add(fmt::format("{} ranks on {} devices", strategy.data,
                             input.topology.deviceCount()));
  // Prices are of ranks that are there.
  if (!emission.obstacles.empty())
    return;
  // Gradients are summed in f32 over all micro-batches, then exchanged.
  Bytes gradients = Bytes(4) * input.document.model.parameters;
  CollectiveTimes times(input.topology.cluster(), input.profile);
  GradientExchange exchange = priceGradientExchange(
      input.topology, times, strategy.data, local, gradients);
  Launch launch = launchOf(input, exchange.prefersServers());
  std::string text =
      "#!/bin/sh\n" +
      commentsOf(headingOf(
          input, fmt::format("{}; batches of {} per device, {} of them per "
                             "Trainer.step with grad_req=\"add\"",
                             launch.start, strategy.microBatch,
                             microBatchesOf(input)))) +
      reasonFor(exchange, gradients);
  text += fmt::format("export SHARDSMITH_KVSTORE={}\n"
                      "export SHARDSMITH_DEVICES_PER_MACHINE={}\n"
                      "export SHARDSMITH_BATCH_SIZE={}\n"
                      "export SHARDSMITH_BACKWARD_PASSES_PER_STEP={}\n",
                      launch.store, local, strategy.microBatch,
                      microBatchesOf(input)) +
          launch.command;
  emission.files.push_back({std::string(mxnetFile), std::move(text), true});
}

} // namespace shardsmith::emit

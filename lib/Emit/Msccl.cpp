// SPDX-License-Identifier: Apache-2.0
//
// Algorithms for microsoft/msccl, of the collectives that the plan was priced
// with level by level (docs/cost-model.md). All others are NCCL's own, which
// its library goes on to choose by itself.

#include "Decisions.h"
#include "Heading.h"
#include "Msccl/Hierarchical.h"
#include "Targets.h"
#include "shardsmith/Cost/Paths/GroupMembers.h"
#include "shardsmith/Cost/Step/StepEstimate.h"
#include "shardsmith/Cost/Step/StepModel.h"
#include "shardsmith/PlanFiles/PlanReport.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <set>

namespace shardsmith::emit {
namespace {

constexpr std::string_view mscclScript = "msccl.sh";
/// What microsoft/msccl keeps at once.
constexpr size_t mostAlgorithms = 4;

/// A collective of groups that lie in the cluster in one way.
struct GroupCollective {
  CollectiveOp op = CollectiveOp::AllReduce;
  std::vector<int64_t> fanouts;

  auto operator<=>(const GroupCollective &) const = default;
};
struct Sizes {
  Bytes least = Bytes::saturated(), most;
};

class CollectiveList {
public:
  /// `levels`: of the network, from the inside out.
  CollectiveList(const EmitInput &input, const std::vector<PathLevel> &levels,
                 Refusals &refusals)
      : input(input), refusals(refusals),
        times(input.topology.cluster(), input.profile),
        paths(input.topology, input.strategy()), members(input.strategy()) {
    int64_t ranks = 1;
    for (const PathLevel &level : levels)
      domainOf[level.name] = ranks *= level.fanout;
  }

  std::map<GroupCollective, Sizes> find() {
    CostContext context{input.workload, input.topology, input.profile};
    const Strategy &strategy = input.strategy();
    unsigned pool = strategy.stages.front().pool;
    unitPaths = paths.ofUnit(pool);
    for (const UnitExchanges &unit : unitExchanges(context, strategy, pool))
      for (const std::vector<UnitExchange> *pass :
           {&unit.forward, &unit.backward})
        for (const UnitExchange &exchange : *pass)
          addUnit(exchange.axis, exchange.op, exchange.bytes);

    std::vector<UnitCosts> units = unitPrices(context, strategy, pool);
    StepModel model(context, strategy);
    for (const Stage &stage : strategy.stages)
      for (const StepExchange &exchange :
           model.exchanges(pool, workOf(context.workload, stage, units)))
        addStep(exchange, pool);
    return found;
  }

private:
  using Members = std::function<std::vector<int64_t>(int64_t rank)>;

  void addUnit(UnitAxis axis, CollectiveOp op, Bytes bytes) {
    add(op, unitPaths[axis], bytes,
        [&](int64_t rank) { return members.ofUnit(rank, axis); });
  }

  void addStep(const StepExchange &exchange, unsigned pool) {
    if (!exchange.group)
      return addUnit(UnitAxis::Tensor, exchange.op, exchange.bytes);
    auto [inner, size] = *exchange.group;
    add(exchange.op, paths.replicas(inner, size, pool), exchange.bytes,
        [&, inner = inner, size = size](int64_t rank) {
          return members.replicas(rank, inner, size);
        });
  }

  void add(CollectiveOp op, const GroupPath &path, Bytes bytes,
           const Members &membersOf) {
    if (times.time(op, path, bytes).algorithm != "hierarchical")
      return;
    if (!followsDomains(path, membersOf))
      return refuseOnce(fmt::format("groups of {} ranks that do not fill their "
                                    "nodes evenly",
                                    path.members),
                        "as many ranks as whole nodes have");
    GroupCollective collective{op, {}};
    for (const PathLevel &level : path.levels)
      if (level.fanout > 1)
        collective.fanouts.push_back(level.fanout);
    Sizes &sizes = found[collective];
    sizes.least = std::min(sizes.least, bytes);
    sizes.most = std::max(sizes.most, bytes);
  }

  /// Whether the members that the levels of a path join up to some level are in
  /// one domain of it, in all groups.
  bool followsDomains(const GroupPath &path, const Members &membersOf) const {
    for (int64_t rank = 0; rank < input.strategy().rankCount(); ++rank) {
      std::vector<int64_t> group = membersOf(rank);
      int64_t joined = 1;
      for (const PathLevel &level : path.levels) {
        joined *= level.fanout;
        auto domain = domainOf.find(level.name);
        if (domain == domainOf.end())
          return false;
        for (int64_t i = 0; i < path.members; ++i)
          if (group[size_t(i)] / domain->second !=
              group[size_t(i - i % joined)] / domain->second)
            return false;
      }
      if (joined != path.members)
        return false;
    }
    return true;
  }

  void refuseOnce(const std::string &decision, const std::string &nearest) {
    if (refused.insert(decision).second)
      refusals.add(decision, nearest);
  }

  const EmitInput &input;
  Refusals &refusals;
  CollectiveTimes times;
  AxisPaths paths;
  GroupMembers members;
  PerUnitAxis<GroupPath> unitPaths;
  /// Ranks of a domain, by the name of the level.
  std::map<std::string, int64_t> domainOf;
  std::map<GroupCollective, Sizes> found;
  std::set<std::string> refused;
};

/// `all_gather-8x2-in-place.xml`
std::string fileNameOf(const GroupCollective &collective, bool isInPlace) {
  return fmt::format("{}-{}{}.xml", nameOf(collective.op),
                     fmt::join(collective.fanouts, "x"),
                     isInPlace ? "-in-place" : "");
}

/// Of what people call these collectives with: sums of gradients stay where
/// they are, the others are called either way.
std::vector<bool> waysToCall(CollectiveOp op) {
  return op == CollectiveOp::AllReduce ? std::vector{true}
                                       : std::vector{true, false};
}

std::string scriptOf(const EmitInput &input,
                     const std::vector<StreamedFile> &files) {
  std::string text =
      "#!/bin/sh\n" +
      commentsOf(headingOf(
          input, fmt::format("sh {} COMMAND …, with the library of "
                             "microsoft/msccl, or of one that takes its files "
                             "from a folder (MSCCL_ALGO_DIR)",
                             mscclScript)));
  text += "here=$(CDPATH= cd -- \"$(dirname -- \"$0\")\" && pwd) || exit 1\n"
          "export MSCCL_ALGO_DIR=\"$here\"\n";
  std::string list;
  for (const StreamedFile &file : files)
    list += fmt::format("{}$here/{}", list.empty() ? "" : ":", file.name);
  text += files.size() <= mostAlgorithms
              ? fmt::format("export MSCCL_XML_FILES=\"{}\"\n", list)
              : fmt::format("# {} files; by MSCCL_XML_FILES microsoft/msccl "
                            "takes {}.\n",
                            files.size(), mostAlgorithms);
  return text + "export NCCL_ALGO=MSCCL,RING,TREE\nexec \"$@\"\n";
}

} // namespace

void emitMsccl(const EmitInput &input, Emission &emission) {
  Refusals refusals(emission.obstacles);
  refusals.requireOneKind(input);
  // Prices are of ranks that are there.
  if (!emission.obstacles.empty())
    return;
  auto levels = refusals.requireEvenLevels(input);
  if (!levels)
    return;
  auto collectives = CollectiveList(input, *levels, refusals).find();
  if (collectives.empty() && emission.obstacles.empty())
    refusals.add("algorithms where none is needed: no collective takes less "
                 "time level by level than in NCCL's own ring or tree");
  Bytes all;
  for (const auto &[collective, sizes] : collectives)
    for (bool isInPlace : waysToCall(collective.op)) {
      msccl::Algorithm algorithm =
          msccl::hierarchical(collective.op, collective.fanouts, isInPlace);
      if (std::string problem = algorithm.problem(); !problem.empty()) {
        refusals.add(fmt::format("{}: {}", algorithm.name, problem),
                     "fewer ranks in a group");
        break;
      }
      all += algorithm.mostBytes();
      emission.streamed.push_back({fileNameOf(collective, isInPlace),
                                   [algorithm, sizes](const TextSink &sink) {
                                     algorithm.writeXml(sizes.least, sizes.most,
                                                        sink);
                                   }});
    }
  if (all > input.mostStreamed)
    refusals.add(
        fmt::format("algorithms of up to {}, more than the limit of {}",
                    describeBytes(all), describeBytes(input.mostStreamed)),
        "fewer ranks in a group");
  if (emission.obstacles.empty())
    emission.files.push_back(
        {std::string(mscclScript), scriptOf(input, emission.streamed), true});
}

} // namespace shardsmith::emit

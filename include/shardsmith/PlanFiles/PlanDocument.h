// SPDX-License-Identifier: Apache-2.0
//
// plan.json: what was asked, what was decided and what that is predicted to
// cost. The decisions are the plan; predictions and the search's summary are
// there for readers, and are computed anew when model, cluster or profile are
// not those the plan was made with. docs/plan-file.md explains the file,
// docs/plan-schema.json is its schema, and `shardsmith schema plan` prints it.
//
//              strategy   layouts of a train step
//   a chain       x                 x              for processors, and compiled
//   a chain       x                                for everything else
//   another graph, a train step     x

#ifndef SHARDSMITH_PLANFILES_PLANDOCUMENT_H
#define SHARDSMITH_PLANFILES_PLANDOCUMENT_H

#include "shardsmith/Cost/Step/Checkpoints.h"
#include "shardsmith/Cost/Step/StepEstimate.h"
#include "shardsmith/PlanFiles/StepPlan.h"

#include <nlohmann/json_fwd.hpp>

#include <string_view>

namespace shardsmith {

/// `format` of the files that are written and read.
inline constexpr std::string_view kPlanFormat = "shardsmith-plan/3";

/// Said of plans without a program where one is needed.
inline constexpr const char *kNoProgram =
    "this plan has a strategy alone; 'shardsmith compile' lays the values of "
    "its train step out";

/// Devices of one type that follow each other; stages and data shares give the
/// pool that they are on by its place.
struct PlannedPool {
  std::string type;
  int64_t devices = 1;

  bool operator==(const PlannedPool &) const = default;
};

/// The figures of a workload that a reader of the plan needs. Without a
/// strategy only the identity is known.
struct PlannedModel {
  PlanInput identity;
  int64_t parameters = 0;
  int64_t globalBatch = 1;
  int64_t sequenceLength = 1;
  /// The operations of the forward pass of one sequence.
  Flops forwardFlops;
  workload::ElementType computeType = workload::ElementType::F32;

  bool operator==(const PlannedModel &) const = default;
};

/// One option in force, as it would be written on the command line.
struct PlanOption {
  std::string name;
  std::string value;
  /// Whether the user has given the option; else the value is the default.
  bool given = false;

  bool operator==(const PlanOption &) const = default;
};

/// The layout of one block by names. `ops` and `tensors` follow the block's
/// lists; parameters carry their name patterns, because a block stands for
/// many layers.
struct NamedLayout {
  struct OpEntry {
    std::string op;
    /// The name of the factor that the tensor axis splits; empty if every rank
    /// does the whole op.
    std::string split;

    bool operator==(const OpEntry &) const = default;
  };
  struct TensorEntry {
    std::string tensor;
    TensorLayout layout;

    bool operator==(const TensorEntry &) const = default;
  };
  struct ParameterEntry {
    /// `model.layers.*.mlp.up_proj.weight`, or every name where they differ in
    /// more than one number.
    std::vector<std::string> names;
    std::vector<int64_t> shape;
    /// For each dimension the axes that split it: `tensor`, `expert`.
    std::vector<std::vector<std::string>> axes;

    bool operator==(const ParameterEntry &) const = default;
  };

  std::string block;
  std::vector<OpEntry> ops;
  std::vector<TensorEntry> tensors;
  std::vector<ParameterEntry> parameters;

  bool operator==(const NamedLayout &) const = default;
};

/// Another plan that was looked at, without the layouts of its blocks.
struct PlanAlternative {
  Strategy strategy;
  StepEstimate estimate;
  /// The price of a step; present if the cluster has prices.
  std::optional<double> dollars;
  /// Why it is not the plan.
  std::string reason;

  bool operator==(const PlanAlternative &) const = default;
};

enum class PlanProof {
  /// Nothing cheaper exists on the cost model.
  Exact,
  /// Cost and bound differ by the gap.
  Bounded,
  /// Priced as given; no search was asked for.
  None,
};
std::string_view nameOf(PlanProof proof);

struct PlanSearchRecord {
  /// `time`, `dollars` or `front`; cost and bound are nanoseconds, or
  /// billionths of a dollar. Of a front they are its fastest plan's.
  std::string objective = "time";
  int64_t cost = 0;
  int64_t bound = 0;
  PlanProof proof = PlanProof::None;
  /// What the search looked at: name and number.
  std::vector<std::pair<std::string, int64_t>> counts;
  /// The search was cut short by time limit or interrupt.
  bool stopped = false;

  /// (cost - bound) / bound.
  double gap() const;
  bool operator==(const PlanSearchRecord &) const = default;
};

struct PlanDocument {
  std::string toolVersion;
  PlannedModel model;
  PlanInput cluster;
  /// The usable devices of the cluster in their order; the strategy may use
  /// fewer.
  std::vector<PlannedPool> pools;
  PlanInput profile;
  std::vector<PlanOption> options;
  /// Has no stages where the plan has no strategy. Its `layouts` are empty
  /// after reading, until `bindLayouts`.
  Strategy strategy;
  std::vector<NamedLayout> layouts;
  /// Of the strategy.
  StepEstimate estimate;
  /// The price of a step; present if the cluster has prices.
  std::optional<double> dollars;
  /// How often to write checkpoints; present if devices fail.
  std::optional<Checkpoints> checkpoints;
  PlanSearchRecord search;
  std::vector<PlanAlternative> alternatives;
  /// What programs are built from; missing if the plan is not executable here.
  std::optional<StepPlan> program;

  bool hasStrategy() const { return !strategy.stages.empty(); }
  /// The step as the plan predicts it: the strategy's where there is one.
  Nanoseconds step() const;
  bool operator==(const PlanDocument &) const = default;
};

/// The plan of a train step that follows from no strategy. `pools` are the
/// cluster's, `options` those in force.
PlanDocument planWithoutStrategy(StepPlan program,
                                 std::vector<PlannedPool> pools,
                                 std::vector<PlanOption> options);

std::string toJson(const PlanDocument &document);
/// Checks the schema and what it cannot say; `error` gets a JSON pointer and a
/// sentence. Files of other versions are refused.
std::optional<PlanDocument> planDocumentFromJson(std::string_view text,
                                                 std::string &error);
/// The same for a text that has been parsed.
std::optional<PlanDocument>
planDocumentFromParsed(const nlohmann::ordered_json &json, std::string &error);
/// The file that a path to a plan means: in a folder its plan.json.
std::string planFileAt(const std::string &path);
/// The document in `planFileAt(path)`.
std::optional<PlanDocument> readPlanDocument(const std::string &path,
                                             std::string &error);

/// What programs are built from, of the plan in `planFileAt(path)`. A plan that
/// has no such part is refused.
std::optional<StepPlan> readStepPlan(const std::string &path,
                                     std::string &error);

/// The strategy's layouts with the workload's names.
std::vector<NamedLayout> nameLayouts(const workload::Workload &workload,
                                     const Strategy &strategy);
/// Fills `strategy.layouts` from the named ones. Returns an empty string, or
/// what does not agree with the workload.
std::string bindLayouts(const workload::Workload &workload,
                        PlanDocument &document);

/// Empty if the plan was made for these inputs, else a sentence that names
/// each one that differs with both hashes. Empty hashes are not compared.
std::string differentInputs(const PlanDocument &document,
                            std::string_view modelHash,
                            std::string_view clusterHash,
                            std::string_view profileHash);

/// The JSON Schema of the file.
std::string_view planSchema();

} // namespace shardsmith

#endif // SHARDSMITH_PLANFILES_PLANDOCUMENT_H

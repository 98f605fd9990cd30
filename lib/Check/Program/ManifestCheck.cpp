// SPDX-License-Identifier: Apache-2.0

#include "../Rounding.h"
#include "Parts.h"
#include "shardsmith/Support/Json.h"

#include <algorithm>

namespace shardsmith::check {
namespace {

/// The text that the executable carries (docs/program-manifest.md).
std::string manifestIn(const std::string &executable) {
  size_t begin = executable.find("{\"format\":\"shardsmith-program/");
  if (begin == std::string::npos)
    return "";
  return executable.substr(begin, executable.find('\0', begin) - begin);
}

std::vector<int64_t> integersOf(const JsonView &list) {
  std::vector<int64_t> integers;
  for (const JsonView &item : list.items())
    integers.push_back(item.integer());
  return integers;
}

/// Names and sizes in a line of text each, to be compared as such.
std::string lineOf(const JsonView &tensor) {
  std::string axes;
  for (const JsonView &dim : tensor["sharding"].items()) {
    axes += '[';
    for (const JsonView &axis : dim.items())
      axes += axis.string() + " ";
    axes += ']';
  }
  std::string name = tensor["name"].string();
  std::vector<int64_t> sizes = integersOf(tensor["global_shape"]);
  // Rows of a stacked parameter are a parameter of the plan.
  if (tensor.has("rows"))
    if (std::vector<int64_t> rows = integersOf(tensor["rows"]);
        rows.size() == 2 && rows[0] >= 0 && rows[1] > rows[0] &&
        !sizes.empty()) {
      name += fmt::format("[{}:{}]", rows[0], rows[1]);
      sizes[0] = rows[1] - rows[0];
    }
  return fmt::format("{} {} {} split {} into {}", name, tensor["role"].string(),
                     fmt::join(sizes, " "), axes,
                     fmt::join(integersOf(tensor["local_shape"]), " "));
}

std::string lineOf(const ClaimedTensor &tensor,
                   const std::map<std::string, int64_t> &sizes) {
  std::string axes;
  std::vector<int64_t> local;
  for (size_t dim = 0; dim < tensor.shape.size(); ++dim) {
    int64_t shards = 1;
    axes += '[';
    for (const std::string &axis : dim < tensor.axes.size()
                                       ? tensor.axes[dim]
                                       : std::vector<std::string>()) {
      axes += axis + " ";
      if (auto size = sizes.find(axis); size != sizes.end())
        shards = multiplied(shards, size->second);
    }
    axes += ']';
    local.push_back(ceilDivide(tensor.shape[dim], shards));
  }
  return fmt::format("{} {} {} split {} into {}", tensor.name, tensor.role,
                     fmt::join(tensor.shape, " "), axes, fmt::join(local, " "));
}

class ManifestCheck {
public:
  ManifestCheck(const ProgramClaims &claims, Findings &findings,
                CheckReport &report)
      : claims(claims), findings(findings), report(report) {}

  void run(const JsonView &json) {
    same("format", json["format"].string(),
         std::string("shardsmith-program/1"));
    same("model/name", json["model"]["name"].string(), claims.modelName);
    same("model/hash", json["model"]["hash"].string(), claims.modelHash);
    same("plan_hash", json["plan_hash"].string(), claims.hash);
    std::string mesh, planned;
    std::map<std::string, int64_t> sizes;
    int64_t ranks = 1;
    for (const JsonView &axis : json["mesh"].items())
      mesh +=
          fmt::format("{}={} ", axis["name"].string(), axis["size"].integer());
    for (const ClaimedAxis &axis : claims.mesh) {
      planned += fmt::format("{}={} ", axis.name, axis.size);
      sizes[axis.name] = std::clamp<int64_t>(axis.size, 1, 1 << 20);
      ranks = multiplied(ranks, sizes[axis.name]);
    }
    same("mesh", mesh, planned);
    same("ranks", json["ranks"].integer(), ranks);
    auto peak = claims.predicted.memory.find("peak");
    if (peak != claims.predicted.memory.end())
      same("arena_bytes", json["arena_bytes"].integer(), peak->second);
    JsonView predicted = json["predicted"];
    same("predicted/communication_bytes_per_rank",
         predicted["communication_bytes_per_rank"].integer(),
         claims.predicted.bytes);
    if (predicted.has("peak_bytes"))
      same("predicted/peak_bytes", predicted["peak_bytes"].integer(),
           json["arena_bytes"].integer());
    if (predicted.has("step_nanoseconds"))
      same("predicted/step_nanoseconds",
           predicted["step_nanoseconds"].integer(), claims.promisedStep());
    std::vector<JsonView> arguments = json["arguments"].items();
    same("arguments", static_cast<int64_t>(arguments.size()),
         static_cast<int64_t>(claims.arguments.size()));
    size_t count = std::min(arguments.size(), claims.arguments.size());
    for (size_t i = 0; i < count; ++i)
      same(fmt::format("arguments/{}", i), lineOf(arguments[i]),
           lineOf(claims.arguments[i], sizes));
  }

private:
  template <typename Value>
  void same(const std::string &item, const Value &found, const Value &planned) {
    ++report.compared;
    if (found != planned)
      findings.differs("program: " + item, found, planned);
  }

  const ProgramClaims &claims;
  Findings &findings;
  CheckReport &report;
};

} // namespace

void checkManifest(const ProgramClaims &claims, const std::string &executable,
                   Findings &findings, CheckReport &report) {
  std::string text = manifestIn(executable), error;
  std::optional<nlohmann::json> json = parseJson(text, error);
  if (!json) {
    findings.broken("program", "carries no manifest that can be read: {}",
                    text.empty() ? "there is none" : error);
    return;
  }
  try {
    ManifestCheck(claims, findings, report).run(JsonView(*json, ""));
  } catch (const Malformed &malformed) {
    findings.broken("program", "{} (manifest)", malformed.what);
  }
}

} // namespace shardsmith::check

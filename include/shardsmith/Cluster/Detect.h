// SPDX-License-Identifier: Apache-2.0
//
// Cluster descriptions from what people have: the output of other programs,
// the name of a cloud's instance, or the machine itself. docs/cluster.md lists
// the sources and what is taken from each.

#ifndef SHARDSMITH_CLUSTER_DETECT_H
#define SHARDSMITH_CLUSTER_DETECT_H

#include "shardsmith/Cluster/Cluster.h"

namespace shardsmith {

/// A network interface of a node.
struct FoundInterface {
  std::string name;
  /// One direction; 0 if nobody says.
  double gigabitsPerSecond = 0;
  /// `infiniband`, `roce`, `ethernet`; empty if nobody says.
  std::string kind;
  /// Behind a PCIe switch with some device, not across the processor.
  bool isNear = false;
};

/// What is known of nodes of one kind. What is empty nobody has said.
struct NodeFacts {
  std::optional<int64_t> nodes;
  std::optional<int64_t> devices;
  /// As its maker, a scheduler or a label calls it: "NVIDIA H100 80GB HBM3".
  std::string product;
  std::optional<int64_t> deviceMebibytes;
  /// What joins two devices, by number: "NV18", "PIX", "SYS"; square.
  std::vector<std::vector<std::string>> links;
  std::optional<std::vector<FoundInterface>> interfaces;
  std::optional<int64_t> cores;
  std::optional<int64_t> hostMebibytes;
  /// A cloud's name for such nodes.
  std::string instance;
};

/// What one source says: kinds of nodes, or one node alone.
struct FoundNodes {
  std::vector<NodeFacts> kinds;
  /// What was read and not taken, for the user.
  std::vector<std::string> notes;
};

/// Names of the sources, as `--from` has them.
std::vector<std::string> detectSources();

/// Reads what `source` has written; for `instance` the text is its name. There
/// is no result if it is something else, and `error` says why, with the line.
std::optional<FoundNodes> readNodes(std::string_view source,
                                    std::string_view text, std::string &error);

/// The devices of this machine, by NVIDIA's management library, which is opened
/// as `library`, and the interfaces below `sysfs`. No result if the library
/// cannot be used, and `error` says why.
std::optional<FoundNodes> readThisMachine(const std::string &library,
                                          const std::string &sysfs,
                                          std::string &error);

/// Facts about the same nodes from a further source. What both say must agree:
/// if it does not, the result is false, and `error` names both.
bool addFacts(FoundNodes &nodes, const FoundNodes &more, std::string &error);

/// A value of a description that no source says, and why it is as it is.
struct Guess {
  /// JSON pointer.
  std::string pointer;
  std::string reason;
};

struct DetectedCluster {
  Cluster cluster;
  std::vector<Guess> guesses;

  /// As `Cluster::toJson`, with the guesses by pointer in `x_guessed`.
  std::string toJson() const;
};

/// What the user says beside all sources.
struct DetectOptions {
  std::string name;
  /// A built-in device, in place of what sources call it.
  std::string device;
  std::optional<int64_t> nodes;
};

/// The description. No result if devices or their number are unknown, and
/// `error` says how to give them.
std::optional<DetectedCluster> makeDetectedCluster(const FoundNodes &nodes,
                                                   const DetectOptions &options,
                                                   std::string &error);

/// The built-in device that a product name means; empty if there is none.
/// `isCertain` is false where the name leaves a choice.
std::string deviceOfProduct(std::string_view product,
                            std::optional<int64_t> mebibytes, bool &isCertain);

} // namespace shardsmith

#endif // SHARDSMITH_CLUSTER_DETECT_H

// SPDX-License-Identifier: Apache-2.0
//
// One reader per source. Each gives what a text says, or nothing and in `error`
// why it is no such text.

#ifndef SHARDSMITH_LIB_CLUSTER_DETECT_READERS_H
#define SHARDSMITH_LIB_CLUSTER_DETECT_READERS_H

#include "shardsmith/Cluster/Detect.h"

namespace shardsmith::detect {

using Found = std::optional<FoundNodes>;

/// `nvidia-smi topo -m`, with `nvidia-smi -L` before or behind it or without.
Found readTopologyTable(std::string_view text, std::string &error);
/// `ibstat`.
Found readIbstat(std::string_view text, std::string &error);
/// `scontrol show node`.
Found readSlurm(std::string_view text, std::string &error);
/// `kubectl get nodes --show-labels`, or `-o json`.
Found readKubernetes(std::string_view text, std::string &error);
/// The name of a cloud's instance.
Found readInstance(std::string_view name, std::string &error);

/// Nodes of one kind are counted together. `one` is a single node.
void countNode(FoundNodes &nodes, const NodeFacts &one);

} // namespace shardsmith::detect

#endif // SHARDSMITH_LIB_CLUSTER_DETECT_READERS_H

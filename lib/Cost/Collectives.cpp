// SPDX-License-Identifier: Apache-2.0
//
// With n members, a latency of a seconds per message, b bytes per second and
// S bytes in the whole tensor (Thakur et al., 2005):
//
//   all-gather, reduce-scatter   (n-1) (a + S / (n b))           ring
//   all-reduce                   2 (n-1) (a + S / (n b))         ring
//                                2 log2(n) a + 2 S / b           tree
//   all-to-all                   (n-1) (a + S / (n b))           pairwise
//   permute                      a + S / b
//
// Across nodes an all-reduce may also reduce-scatter inside each node,
// all-reduce its part between nodes and gather inside. The fastest counts.

#include "Collectives.h"

#include <algorithm>
#include <cmath>

namespace shardsmith::cost {
namespace {

double ring(int64_t members, double bytes, double latency, double bandwidth) {
  return double(members - 1) * (latency + bytes / double(members) / bandwidth);
}

double allReduce(int64_t members, double bytes, double latency,
                 double bandwidth) {
  double tree = 2 * std::ceil(std::log2(double(members))) * latency +
                2 * bytes / bandwidth;
  return std::min(2 * ring(members, bytes, latency, bandwidth), tree);
}

double hierarchicalAllReduce(int64_t members, double bytes,
                             const GroupLink &link) {
  int64_t inner = link.membersPerNode, outer = members / inner;
  // The parts of a node's members travel side by side, each on its share of
  // the interfaces.
  return 2 * ring(inner, bytes, link.innerLatency, link.innerBandwidth) +
         allReduce(outer, bytes / double(inner), link.latency,
                   link.bandwidth / double(inner));
}

} // namespace

double collectiveSeconds(CollectiveKind kind, int64_t members, double input,
                         const GroupLink &link) {
  switch (kind) {
  case CollectiveKind::AllGather:
    return ring(members, input * double(members), link.latency, link.bandwidth);
  case CollectiveKind::ReduceScatter:
  case CollectiveKind::AllToAll:
    return ring(members, input, link.latency, link.bandwidth);
  case CollectiveKind::Permute:
    return link.latency + input / link.bandwidth;
  case CollectiveKind::AllReduce: {
    double seconds = allReduce(members, input, link.latency, link.bandwidth);
    bool spansNodes = link.membersPerNode > 1 && link.membersPerNode < members;
    if (spansNodes && members % link.membersPerNode == 0)
      seconds = std::min(seconds, hierarchicalAllReduce(members, input, link));
    return seconds;
  }
  }
  return 0;
}

} // namespace shardsmith::cost

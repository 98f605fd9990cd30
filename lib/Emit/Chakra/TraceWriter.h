// SPDX-License-Identifier: Apache-2.0
//
// The file of one rank in the format of mlcommons/chakra (et_def.proto, version
// 0.0.4): messages of Protocol Buffers, each behind its length.
//
//     metadata   node 0   node 1   node 2 …

#ifndef SHARDSMITH_LIB_EMIT_CHAKRA_TRACEWRITER_H
#define SHARDSMITH_LIB_EMIT_CHAKRA_TRACEWRITER_H

#include "shardsmith/Emit/Emit.h"

#include <span>

namespace shardsmith::emit::chakra {

/// As the format numbers them.
enum class NodeType { Compute = 4, Send = 5, Receive = 6, Collective = 7 };
enum class CollectiveType {
  AllReduce = 0,
  AllGather = 2,
  AllToAll = 6,
  ReduceScatter = 7
};

struct Node {
  uint64_t id = 0;
  std::string_view name;
  NodeType type = NodeType::Compute;
  /// The nodes that must have ended.
  std::span<const uint64_t> dependencies;
  uint64_t microseconds = 0;
  /// Of compute: operations, and bytes that are read and written.
  uint64_t operations = 0, tensorBytes = 0;
  /// Of all others. A collective's are what the simulator takes: for an
  /// all-gather the part of one member.
  uint64_t messageBytes = 0;
  CollectiveType collective = CollectiveType::AllReduce;
  /// The name of its group: a number, not 0.
  std::string_view group;
  /// Of sends and receives.
  uint64_t source = 0, destination = 0, tag = 0;
};

class TraceWriter {
public:
  /// Begins the file. The sink must outlive this.
  explicit TraceWriter(const TextSink &sink);
  ~TraceWriter();
  TraceWriter(const TraceWriter &) = delete;
  TraceWriter &operator=(const TraceWriter &) = delete;

  void write(const Node &node);

private:
  void writeMessage(std::string_view message);
  void flush();

  const TextSink &sink;
  /// What was not given to the sink yet, and the message that is being made.
  std::string buffer, message;
};

} // namespace shardsmith::emit::chakra

#endif // SHARDSMITH_LIB_EMIT_CHAKRA_TRACEWRITER_H

// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_SCHEDULE_TRACE_H
#define SHARDSMITH_SCHEDULE_TRACE_H

#include "shardsmith/Schedule/Simulation.h"

namespace shardsmith::schedule {

struct TraceLabels {
  /// For the head of the trace: model, strategy.
  std::string title;
  /// Per stage what it computes (`layers 0-9`), for the arguments of events;
  /// may be empty.
  std::vector<std::string> stages;
};

/// The timeline in Chrome's trace event format, which Perfetto and
/// chrome://tracing draw: a process per rank, a thread per stream, arrows from
/// messages to the passes that read them, and a counter of saved activations.
/// The same simulation gives the same bytes.
std::string toTrace(const Simulation &simulation,
                    const TraceLabels &labels = {});

} // namespace shardsmith::schedule

#endif // SHARDSMITH_SCHEDULE_TRACE_H

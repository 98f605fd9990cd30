// SPDX-License-Identifier: Apache-2.0
//
// Work that is put into streams once and runs as often as it is asked for, with
// one call of the driver: CUDA graphs, made by capturing streams.

#ifndef SHARDSMITH_LIB_RUNTIME_CUDA_GRAPHS_H
#define SHARDSMITH_LIB_RUNTIME_CUDA_GRAPHS_H

#include "Streams.h"

namespace shardsmith::runtime::cuda {

class Graphs {
public:
  Graphs(const GpuContext &gpu, const Streams &streams)
      : gpu(gpu), streams(streams) {}
  ~Graphs();
  Graphs(const Graphs &) = delete;
  Graphs &operator=(const Graphs &) = delete;

  /// What is put into the stream from now on does not run but is kept, and so
  /// is what goes into streams that wait for events of what is kept.
  void begin(int stream);
  /// All such streams must have been waited for. Returns the graph's number.
  int end(int stream);
  void launch(int stream, int graph);

private:
  const GpuContext &gpu;
  const Streams &streams;
  std::vector<DriverGraphProgram> programs;
};

} // namespace shardsmith::runtime::cuda

#endif // SHARDSMITH_LIB_RUNTIME_CUDA_GRAPHS_H

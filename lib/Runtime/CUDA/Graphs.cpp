// SPDX-License-Identifier: Apache-2.0

#include "Graphs.h"

namespace shardsmith::runtime::cuda {

Graphs::~Graphs() {
  for (DriverGraphProgram program : programs)
    gpu.driver().destroyProgram(program);
}

void Graphs::begin(int stream) {
  gpu.check(gpu.driver().beginCapture(streams.stream(stream), captureOfThread),
            "cuStreamBeginCapture");
}

int Graphs::end(int stream) {
  DriverGraph graph = nullptr;
  gpu.check(gpu.driver().endCapture(streams.stream(stream), &graph),
            "cuStreamEndCapture");
  DriverGraphProgram program = nullptr;
  DriverResult result = gpu.driver().makeProgram(&program, graph, 0);
  gpu.driver().destroyGraph(graph);
  gpu.check(result, "cuGraphInstantiate");
  programs.push_back(program);
  return static_cast<int>(programs.size()) - 1;
}

void Graphs::launch(int stream, int graph) {
  gpu.check(gpu.driver().launchProgram(programs.at(static_cast<size_t>(graph)),
                                       streams.stream(stream)),
            "cuGraphLaunch");
}

} // namespace shardsmith::runtime::cuda

// SPDX-License-Identifier: Apache-2.0
//
// A Ray job: a bundle of resources on each of as many nodes, and a task in each
// bundle. If one fails, all start again.

#include "Templates.h"

namespace shardsmith::emit {

std::string rayText(const LaunchRequest &request) {
  std::string text =
      R"("""Starts @NODES@ nodes of @LOCAL@ ranks on a Ray cluster:
python3 launch-ray.py TRAIN.py …

The folder is expected at the same place on every node. CHECKPOINTS and DATA are
folders that all nodes see; all start again at most RESTARTS times (3).
"""

import os
import subprocess
import sys

import ray
from ray.util.placement_group import placement_group
from ray.util.scheduling_strategies import PlacementGroupSchedulingStrategy

FOLDER = os.path.dirname(os.path.abspath(__file__))
NODES, LOCAL = @NODES@, @LOCAL@
)";
  text += request.hasGpus ? "RESOURCES = {\"CPU\": 1, \"GPU\": LOCAL}\n"
                          : "RESOURCES = {\"CPU\": LOCAL}\n";
  return text + R"(

@ray.remote(max_retries=0)
def address():
    return ray.util.get_node_ip_address()


@ray.remote(max_retries=0)
def run_node(number, master, arguments, variables):
    environment = {**os.environ, **variables, "NODE_RANK": str(number), "MASTER_ADDR": master}
    return subprocess.run(["sh", FOLDER + "/node.sh", *arguments], env=environment).returncode


def on_bundle(task, number, group):
    strategy = PlacementGroupSchedulingStrategy(group, placement_group_bundle_index=number)
    resources = {name: count for name, count in RESOURCES.items() if name == "GPU"}
    return task.options(
        scheduling_strategy=strategy, num_cpus=RESOURCES["CPU"], num_gpus=resources.get("GPU", 0)
    )


def train(arguments):
    # Bundle i is node i of the plan.
    spread = "STRICT_SPREAD" if NODES > 1 else "STRICT_PACK"
    group = placement_group([RESOURCES] * NODES, strategy=spread)
    ray.get(group.ready())
    master = ray.get(on_bundle(address, 0, group).remote())
    variables = {name: os.environ.get(name, "") for name in ("CHECKPOINTS", "DATA")}
    waiting = [
        on_bundle(run_node, number, group).remote(number, master, arguments, variables)
        for number in range(NODES)
    ]
    code = 0
    while waiting and code == 0:
        done, waiting = ray.wait(waiting)
        code = next((each for each in ray.get(done) if each), 0)
    for task in waiting:
        ray.cancel(task, force=True)
    ray.util.remove_placement_group(group)
    return code


if __name__ == "__main__":
    ray.init()
    for attempt in range(int(os.environ.get("RESTARTS", "3")) + 1):
        code = train(sys.argv[1:])
        if code == 0:
            break
        print(f"attempt {attempt}: a node ended with {code}", file=sys.stderr)
    sys.exit(code)
)";
}

} // namespace shardsmith::emit

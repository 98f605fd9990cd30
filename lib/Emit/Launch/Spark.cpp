// SPDX-License-Identifier: Apache-2.0
//
// A Spark job of one barrier stage: all its tasks run at the same time, one per
// node, and all start again if one fails.

#include "Templates.h"

namespace shardsmith::emit {

std::string sparkText(const LaunchRequest &request) {
  std::string text =
      R"("""Starts @NODES@ nodes of @LOCAL@ ranks on a Spark cluster:
spark-submit launch-spark.py TRAIN.py …

There must be one executor per node, with room for one task. The folder is expected
at the same place on every node. CHECKPOINTS and DATA are folders that all nodes see.
"""

import os
import subprocess
import sys

from pyspark import BarrierTaskContext
from pyspark.sql import SparkSession

FOLDER = os.path.dirname(os.path.abspath(__file__))
NODES = @NODES@


def starter(arguments, variables):
    def run(_):
        context = BarrierTaskContext.get()
        tasks = context.getTaskInfos()
        environment = {
            **os.environ, **variables,
            "NODE_RANK": str(context.partitionId()),
            "MASTER_ADDR": tasks[0].address.rsplit(":", 1)[0],
        }
        context.barrier()
        code = subprocess.run(["sh", FOLDER + "/node.sh", *arguments], env=environment).returncode
        if code != 0:
            raise RuntimeError(f"node {context.partitionId()} ended with {code}")
        yield code

    return run


if __name__ == "__main__":
    builder = SparkSession.builder.appName("train")
)";
  if (request.hasGpus)
    text += "    builder = builder.config(\"spark.task.resource.gpu.amount\", "
            "@LOCAL@)\n";
  return text + R"(    # All start again so often.
    attempts = int(os.environ.get("RESTARTS", "3")) + 1
    builder = builder.config("spark.stage.maxConsecutiveAttempts", attempts)
    context = builder.getOrCreate().sparkContext
    variables = {name: os.environ.get(name, "") for name in ("CHECKPOINTS", "DATA")}
    nodes = context.parallelize(range(NODES), NODES).barrier()
    nodes.mapPartitions(starter(sys.argv[1:], variables)).collect()
)";
}

} // namespace shardsmith::emit

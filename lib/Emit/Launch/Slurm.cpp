// SPDX-License-Identifier: Apache-2.0
//
// A batch script. Tasks are in blocks, so that neighbouring ranks are on one
// node, as the plan's device order has it.

#include "Templates.h"

namespace shardsmith::emit {

std::string slurmText(const LaunchRequest &request) {
  std::string text = R"(#!/bin/sh
#SBATCH --job-name=train
#SBATCH --nodes=@NODES@
)";
  text += needsMpi(request) ? "#SBATCH --ntasks-per-node=@LOCAL@\n"
                            : "#SBATCH --ntasks-per-node=1\n";
  if (request.hasGpus)
    text += "#SBATCH --gpus-per-node=@LOCAL@\n";
  text += R"(#SBATCH --exclusive
#SBATCH --requeue
#SBATCH --output=train-%j.log
#
# sbatch launch.sbatch TRAIN.py …; the folder is that in which sbatch is called.
# A job that fails is put into the queue again, at most RESTARTS times (3), and
# goes on from the newest checkpoint of CHECKPOINTS.
set -u
export MASTER_ADDR=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)
export MASTER_PORT="${MASTER_PORT:-29500}"
export CHECKPOINTS="${CHECKPOINTS:-}" DATA="${DATA:-}"
)";
  if (needsMpi(request))
    text += std::string(checkpointLines) +
            "srun --distribution=block:block --kill-on-bad-exit=1 @PROGRAM@ "
            "\\\n  " +
            checkpointOptions + " \"$@\"\n";
  else
    text += "srun --distribution=block --kill-on-bad-exit=1 sh -c \\\n"
            "  'NODE_RANK=$SLURM_NODEID exec sh node.sh \"$@\"' node \"$@\"\n";
  return text + R"(code=$?
if [ $code -ne 0 ] && [ "${SLURM_RESTART_COUNT:-0}" -lt "${RESTARTS:-3}" ]; then
  scontrol requeue "$SLURM_JOB_ID"
fi
exit $code
)";
}

} // namespace shardsmith::emit

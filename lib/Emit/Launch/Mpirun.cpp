// SPDX-License-Identifier: Apache-2.0
//
// OpenMPI's mpirun. Hosts are taken in the order in which they are given, and
// each is filled before the next one.

#include "Templates.h"

namespace shardsmith::emit {

std::string mpirunText(const LaunchRequest &request) {
  std::string text = R"(#!/bin/sh
# HOSTS=host0:@LOCAL@,host1:@LOCAL@ sh launch-mpirun.sh …, hosts in the order of the
# cluster's description. CHECKPOINTS and DATA are folders that all of them see.
set -eu
folder=$(dirname "$0")
hosts="${HOSTS:-localhost:@LOCAL@}"
export MASTER_ADDR="${hosts%%:*}"
export MASTER_PORT="${MASTER_PORT:-29500}"
export CHECKPOINTS="${CHECKPOINTS:-}" DATA="${DATA:-}"
)";
  if (needsMpi(request))
    return text + checkpointLines +
           "exec mpirun -np @RANKS@ --host \"$hosts\" --map-by "
           "ppr:@LOCAL@:node "
           "\\\n  --bind-to none -x CHECKPOINTS -x DATA @PROGRAM@ \\\n  " +
           checkpointOptions + " \"$@\"\n";
  return text +
         "exec mpirun -np @NODES@ --host \"$hosts\" --map-by ppr:1:node \\\n"
         "  --bind-to none -x MASTER_ADDR -x MASTER_PORT -x CHECKPOINTS -x "
         "DATA "
         "\\\n"
         "  sh -c 'NODE_RANK=$OMPI_COMM_WORLD_RANK exec sh \"$@\"' node \\\n"
         "  \"$folder\"/node.sh \"$@\"\n";
}

} // namespace shardsmith::emit

// SPDX-License-Identifier: Apache-2.0
//
// The context of a program of one rank, for tests of what needs one.

#ifndef SHARDSMITH_TEST_UNIT_RUNTIME_SINGLERANK_H
#define SHARDSMITH_TEST_UNIT_RUNTIME_SINGLERANK_H

#include "shardsmith/Runtime/Rank/Context.h"
#include "shardsmith/Runtime/Transport/TransportFactory.h"

struct SingleRank {
  shardsmith::runtime::Manifest manifest;
  shardsmith::runtime::LaunchEnvironment environment;
  shardsmith::runtime::GroupTable groups{manifest, 0};
  shardsmith::runtime::ThreadTeam team{2};
  smith_context context{
      manifest, environment,
      makeTransport(shardsmith::runtime::TransportChoice::Automatic, groups, 0,
                    environment, team, {}),
      team, groups};
};

#endif // SHARDSMITH_TEST_UNIT_RUNTIME_SINGLERANK_H

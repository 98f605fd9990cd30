// SPDX-License-Identifier: Apache-2.0
//
// Plans the training of a model on processors of this machine and builds the
// program: plan-and-compile MODEL CLUSTER FOLDER. Without the checks of the
// command line it is ten lines.

#include "shardsmith/Driver/Driver.h"

#include <iostream>

using namespace shardsmith;

int main(int argumentCount, char **arguments) try {
  if (argumentCount != 4)
    fail(ExitCode::Usage, "usage: plan-and-compile MODEL CLUSTER FOLDER");
  Session session;
  CompileRequest request;
  request.planning.model.path = arguments[1];
  request.planning.cluster = arguments[2];
  ProgramPlan plan = findProgramPlan(session, request);
  compileProgram(session, plan, arguments[3]);
  std::cout << describeProgram(plan.plan());
} catch (const Failure &failure) {
  std::cerr << "error: " << failure.message << '\n';
  return static_cast<int>(failure.code);
} catch (const Stop &stop) {
  return static_cast<int>(stop.code);
}

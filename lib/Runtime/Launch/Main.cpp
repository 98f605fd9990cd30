// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Runtime/Launch/Program.h"

int main(int argumentCount, char **arguments) {
  return shardsmith::runtime::runProgram(argumentCount, arguments, smith_step,
                                         smith_manifest);
}

// SPDX-License-Identifier: Apache-2.0
//
// All tools in one program, which is the tool by whose name it is called.

#include <filesystem>
#include <string>

int runShardsmith(int argumentCount, char **arguments);
int runInterpret(int argumentCount, char **arguments);
int runLspServer(int argumentCount, char **arguments);
int runOpt(int argumentCount, char **arguments);

int main(int argumentCount, char **arguments) {
  std::string name;
  if (argumentCount > 0)
    name = std::filesystem::path(arguments[0]).filename();
  if (name == "shardsmith-interpret")
    return runInterpret(argumentCount, arguments);
  if (name == "shardsmith-lsp-server")
    return runLspServer(argumentCount, arguments);
  if (name == "shardsmith-opt")
    return runOpt(argumentCount, arguments);
  return runShardsmith(argumentCount, arguments);
}

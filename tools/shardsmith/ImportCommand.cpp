// SPDX-License-Identifier: Apache-2.0
//
// `shardsmith import`: a model file as the forward graph that planning starts
// from.

#include "Command.h"
#include "Options.h"

#include "shardsmith/Driver/Session.h"

#include <CLI/CLI.hpp>

namespace shardsmith {
namespace {

struct ImportArguments {
  ModelOptions model;
  std::string output = "-";
  bool isFolded = false;
};

ExitCode runImport(const ImportArguments &arguments) {
  requireWritable(arguments.output);
  Session session;
  mlir::OwningOpRef<mlir::ModuleOp> module =
      arguments.isFolded || lacksLoss(arguments.model)
          ? loadFolded(session, arguments.model)
          : importForward(session, arguments.model);
  writeOutput(arguments.output, toText(*module));
  return ExitCode::Success;
}

} // namespace

void addImportCommand(CLI::App &application, Action &action) {
  CLI::App *command = application.add_subcommand(
      "import", "Turn a model file into a forward graph with roles and names");
  auto arguments = std::make_shared<ImportArguments>();
  addModelOptions(*command, arguments->model);
  command->add_option("-o,--output", arguments->output,
                      "File for the graph, - for standard output");
  command->add_flag("--folded", arguments->isFolded,
                    "Show the model as it was read or built, with a function "
                    "per distinct layer");
  command->callback([arguments, &action] {
    action = [arguments] { return runImport(*arguments); };
  });
}

} // namespace shardsmith

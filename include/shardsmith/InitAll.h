// SPDX-License-Identifier: Apache-2.0
// Every dialect, interface model and pass of the project, in one call each.

#ifndef SHARDSMITH_INITALL_H
#define SHARDSMITH_INITALL_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace shardsmith {

/// The dialects that programs are made of, and the models of the interfaces
/// that are attached to their ops from outside.
void registerAllDialects(mlir::DialectRegistry &registry);

/// MLIR's dialects that device functions are made of, for tools that read
/// them.
void registerDeviceDialects(mlir::DialectRegistry &registry);

/// The passes and pipelines of this project.
void registerProjectPasses();

/// These and the passes of MLIR that pipelines use.
void registerAllPasses();

} // namespace shardsmith

#endif // SHARDSMITH_INITALL_H

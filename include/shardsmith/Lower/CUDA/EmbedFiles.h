// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LOWER_CUDA_EMBEDFILES_H
#define SHARDSMITH_LOWER_CUDA_EMBEDFILES_H

#include "llvm/ADT/ArrayRef.h"

#include <string>

namespace shardsmith::lower {

struct EmbeddedFile {
  std::string name; ///< in the program
  std::string path; ///< of the file, absolute
};

/// Assembly that makes the files part of a program, as the table
/// `smith_program_files` of Runtime/CUDA/ProgramFiles.h. The assembler reads
/// the files, so they need to be there until the program is linked.
std::string embedFiles(llvm::ArrayRef<EmbeddedFile> files);

} // namespace shardsmith::lower

#endif // SHARDSMITH_LOWER_CUDA_EMBEDFILES_H

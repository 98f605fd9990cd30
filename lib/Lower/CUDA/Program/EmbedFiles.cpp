// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Lower/CUDA/EmbedFiles.h"

#include "llvm/ADT/STLExtras.h"

#include <fmt/format.h>

namespace shardsmith::lower {
namespace {

/// A string as the assembler reads it.
std::string assemblyString(llvm::StringRef text) {
  std::string result = "\"";
  for (char each : text) {
    if (each == '"' || each == '\\')
      result += '\\';
    result += each;
  }
  return result + '"';
}

} // namespace

std::string embedFiles(llvm::ArrayRef<EmbeddedFile> files) {
  std::string data = ".section .rodata\n", table;
  for (auto [i, file] : llvm::enumerate(files)) {
    data += fmt::format(".Lname{}:\n  .asciz {}\n"
                        "  .balign 256\n"
                        ".Ldata{}:\n  .incbin {}\n"
                        ".Lend{}:\n  .byte 0\n",
                        i, assemblyString(file.name), i,
                        assemblyString(file.path), i);
    table += fmt::format("  .quad .Lname{}, .Ldata{}, .Lend{} - .Ldata{}\n", i,
                         i, i, i);
  }
  return data +
         ".section .data.rel.ro, \"aw\"\n"
         "  .balign 8\n"
         "  .globl smith_program_files\n"
         "smith_program_files:\n" +
         table +
         "  .quad 0, 0, 0\n"
         ".section .note.GNU-stack, \"\"\n";
}

} // namespace shardsmith::lower

/* SPDX-License-Identifier: Apache-2.0
 *
 * What a program for GPUs carries: the files that `compile` writes beside it,
 * under the same names, and its manifest as `manifest.json`.
 */

#ifndef SHARDSMITH_RUNTIME_CUDA_PROGRAMFILES_H
#define SHARDSMITH_RUNTIME_CUDA_PROGRAMFILES_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct smith_program_file {
  const char *name; /* null: the end of the table */
  const char *data; /* a zero follows */
  uint64_t bytes;
} smith_program_file;

/* What the program defines. */
extern const smith_program_file smith_program_files[];

#ifdef __cplusplus
}
#endif

#endif /* SHARDSMITH_RUNTIME_CUDA_PROGRAMFILES_H */

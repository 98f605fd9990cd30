/* SPDX-License-Identifier: Apache-2.0
 *
 * What libshardsmith_mpi.so gives to programs. It is the only part that links
 * MPI; programs load it when they are started over several machines and run
 * without MPI otherwise. Functions return zero or an MPI error code.
 */

#ifndef SHARDSMITH_RUNTIME_MPI_PLUGIN_H
#define SHARDSMITH_RUNTIME_MPI_PLUGIN_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SMITH_MPI_VERSION 2

/* Streams of messages, which do not wait for each other. */
#define SMITH_MPI_COLLECTIVES 0
#define SMITH_MPI_MESSAGES 1

typedef struct smith_mpi {
  int32_t version;
  int (*start)(int *rank, int *ranks);
  int (*finish)(void);
  /* Begin to move `bytes` bytes; *request is passed to test. Messages of one
   * stream between two ranks arrive in the order in which they were sent. */
  int (*send)(int rank, int stream, const void *data, int64_t bytes,
              void **request);
  int (*receive)(int rank, int stream, void *data, int64_t bytes,
                 void **request);
  /* Whether a request is done; if so, it is released. */
  int (*test)(void *request, int *done);
  /* Text of an error code; at most 511 characters and a zero. */
  void (*describe)(int error, char text[512]);
} smith_mpi;

/* The symbol to look up. */
const smith_mpi *smith_mpi_plugin(void);

#ifdef __cplusplus
}
#endif

#endif /* SHARDSMITH_RUNTIME_MPI_PLUGIN_H */

/* SPDX-License-Identifier: Apache-2.0 */

#include "Plugin.h"

#include <limits.h>
#include <stdlib.h>

#include <mpi.h>

/* MPI counts with int, so a message travels in parts of this size. */
static const int64_t part_bytes = 1 << 30;

/* All parts of one message. */
struct request {
  int count;
  MPI_Request parts[];
};

static int start(int *rank, int *ranks) {
  int error = MPI_Init(NULL, NULL);
  if (!error)
    error = MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (!error)
    error = MPI_Comm_rank(MPI_COMM_WORLD, rank);
  if (!error)
    error = MPI_Comm_size(MPI_COMM_WORLD, ranks);
  return error;
}

static int finish(void) { return MPI_Finalize(); }

static struct request *new_request(int64_t bytes) {
  int64_t count = (bytes + part_bytes - 1) / part_bytes;
  if (count == 0)
    count = 1; /* an empty message is a message, too */
  struct request *request =
      malloc(sizeof *request + (size_t)count * sizeof *request->parts);
  if (request)
    request->count = (int)count;
  return request;
}

static int part_size(int64_t bytes, int part) {
  int64_t left = bytes - part * part_bytes;
  return (int)(left < part_bytes ? left : part_bytes);
}

static int send_message(int rank, int stream, const void *data, int64_t bytes,
                        void **result) {
  struct request *request = new_request(bytes);
  if (!request)
    return MPI_ERR_NO_MEM;
  *result = request;
  int error = MPI_SUCCESS;
  for (int part = 0; part < request->count; ++part) {
    request->parts[part] = MPI_REQUEST_NULL;
    if (!error)
      error = MPI_Isend((const char *)data + part * part_bytes,
                        part_size(bytes, part), MPI_BYTE, rank, stream,
                        MPI_COMM_WORLD, &request->parts[part]);
  }
  return error;
}

static int receive_message(int rank, int stream, void *data, int64_t bytes,
                           void **result) {
  struct request *request = new_request(bytes);
  if (!request)
    return MPI_ERR_NO_MEM;
  *result = request;
  int error = MPI_SUCCESS;
  for (int part = 0; part < request->count; ++part) {
    request->parts[part] = MPI_REQUEST_NULL;
    if (!error)
      error = MPI_Irecv((char *)data + part * part_bytes,
                        part_size(bytes, part), MPI_BYTE, rank, stream,
                        MPI_COMM_WORLD, &request->parts[part]);
  }
  return error;
}

static int test(void *opaque, int *done) {
  struct request *request = opaque;
  int error =
      MPI_Testall(request->count, request->parts, done, MPI_STATUSES_IGNORE);
  if (!error && *done)
    free(request);
  return error;
}

static void describe(int error, char text[512]) {
  char full[MPI_MAX_ERROR_STRING];
  int length = 0;
  if (MPI_Error_string(error, full, &length) != MPI_SUCCESS)
    length = 0;
  if (length > 511)
    length = 511;
  for (int i = 0; i < length; ++i)
    text[i] = full[i];
  text[length] = '\0';
}

const smith_mpi *smith_mpi_plugin(void) {
  static const smith_mpi plugin = {SMITH_MPI_VERSION, start,           finish,
                                   send_message,      receive_message, test,
                                   describe};
  return &plugin;
}

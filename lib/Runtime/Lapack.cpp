// SPDX-License-Identifier: Apache-2.0

#include "Lapack.h"

#include "shardsmith/Runtime/Failure.h"

#include <cstdlib>
#include <dlfcn.h>
#include <limits>

namespace shardsmith::runtime {

void *findLapackFunction(const char *name) {
  const char *given = std::getenv("SHARDSMITH_LAPACK");
  const char *file = given ? given : "liblapack.so.3";
  void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  void *found = library ? dlsym(library, name) : nullptr;
  if (!found)
    fail(ExitCode::Environment,
         "factors of matrices and triangular systems need "
         "LAPACK (Debian: libopenblas0; or name its file "
         "in SHARDSMITH_LAPACK): {}",
         dlerror());
  return found;
}

int lapackSize(int64_t size) {
  if (size > std::numeric_limits<int>::max())
    fail(ExitCode::Environment,
         "a matrix of {} rows or columns; LAPACK takes at "
         "most {}",
         size, std::numeric_limits<int>::max());
  return static_cast<int>(size);
}

} // namespace shardsmith::runtime

// SPDX-License-Identifier: Apache-2.0
//
// LAPACK, which is loaded when a program first needs it: others run on machines
// that lack it.

#ifndef SHARDSMITH_LIB_RUNTIME_LAPACK_H
#define SHARDSMITH_LIB_RUNTIME_LAPACK_H

#include <cstdint>

namespace shardsmith::runtime {

/// A function of its Fortran interface, or of the library that the environment
/// variable SHARDSMITH_LAPACK names. Throws a Failure where there is none.
void *findLapackFunction(const char *name);

/// A number of rows or columns as LAPACK takes it. Throws a Failure if it has
/// more than 31 bits.
int lapackSize(int64_t size);

} // namespace shardsmith::runtime

#endif // SHARDSMITH_LIB_RUNTIME_LAPACK_H

// SPDX-License-Identifier: Apache-2.0
//
// Planning and compiling from a C++ program, as docs/example/PlanAndCompile.cpp
// does it:
//
//     CompileRequest ──findProgramPlan──▶ ProgramPlan
//     ProgramPlan ──compileProgram──▶ folder
//                 └─describeProgram──▶ text
//
// Whatever goes wrong is thrown: a Failure has an exit code and a message, a
// Stop a code alone, because its diagnostics are on standard error already. The
// other headers of this folder are what the command line tool needs beside
// these three functions: `fit`, `explain`, `check` and the like.

#ifndef SHARDSMITH_DRIVER_DRIVER_H
#define SHARDSMITH_DRIVER_DRIVER_H

#include "shardsmith/Driver/CompileProgram.h"
#include "shardsmith/Driver/ProgramReport.h"
#include "shardsmith/Driver/Session.h"

#endif // SHARDSMITH_DRIVER_DRIVER_H

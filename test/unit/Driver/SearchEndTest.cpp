// SPDX-License-Identifier: Apache-2.0
//
// What a search that was ended means to whoever started it: the table in
// docs/command-line.md.

#include "shardsmith/Driver/SearchEnd.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace shardsmith {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(SearchEnd, OfItselfIsSuccessWithoutNote) {
  for (bool isLimitGiven : {false, true}) {
    SearchEnd end = searchEnd(false, isLimitGiven, false);
    EXPECT_EQ(exitCodeAfter(end), ExitCode::Success);
    EXPECT_EQ(noteAfter(end, 60, "x"), "");
  }
}

TEST(SearchEnd, ByTheDefaultLimitIsSuccessWithANote) {
  SearchEnd end = searchEnd(true, false, false);
  EXPECT_EQ(end, SearchEnd::DefaultLimit);
  EXPECT_EQ(exitCodeAfter(end), ExitCode::Success);
  EXPECT_EQ(noteAfter(end, 60, "there may be a better plan (gap 12.5 %)"),
            "note: the search reached its limit of 60 s, so there may be a "
            "better plan (gap 12.5 %); --time-limit sets another, 0 for none");
}

TEST(SearchEnd, ByAGivenLimitIsCode124) {
  SearchEnd end = searchEnd(true, true, false);
  EXPECT_EQ(int(exitCodeAfter(end)), 124);
  EXPECT_THAT(noteAfter(end, 0.5, "x"), HasSubstr("limit of 0.5 s"));
}

TEST(SearchEnd, ByInterruptIsCode124WhateverTheLimit) {
  for (bool isLimitGiven : {false, true}) {
    SearchEnd end = searchEnd(true, isLimitGiven, true);
    EXPECT_EQ(int(exitCodeAfter(end)), 124);
    EXPECT_THAT(noteAfter(end, 60, "x"), HasSubstr("was stopped"));
    EXPECT_THAT(noteAfter(end, 60, "x"), Not(HasSubstr("--time-limit")));
  }
}

TEST(SearchEnd, ByMemoryIsCode124IfTheLimitWasGiven) {
  for (bool isGiven : {false, true}) {
    SearchEnd end = searchEndByMemory(isGiven);
    EXPECT_EQ(int(exitCodeAfter(end)), isGiven ? 124 : 0);
    EXPECT_EQ(noteAfter(end, 1.5, "x"),
              "note: the search reached its limit of 1.5 GiB of memory, so x; "
              "--max-memory sets another, 0 for none");
  }
}

// The search had come to its end when Ctrl-C was pressed.
TEST(SearchEnd, AnInterruptThatCameTooLateChangesNothing) {
  EXPECT_EQ(searchEnd(false, false, true), SearchEnd::Itself);
}

} // namespace
} // namespace shardsmith

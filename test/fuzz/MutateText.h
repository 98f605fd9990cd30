// SPDX-License-Identifier: Apache-2.0
//
// Changes text by its tokens: numbers become other numbers, words and groups in
// brackets are copied, left out and exchanged. Most results still parse, which
// those of changed bytes do not.

#ifndef SHARDSMITH_TEST_FUZZ_MUTATETEXT_H
#define SHARDSMITH_TEST_FUZZ_MUTATETEXT_H

#include <random>
#include <string>

namespace shardsmith::fuzz {

/// Changes `text` in one place or in four.
void mutateText(std::string &text, std::minstd_rand &random);

} // namespace shardsmith::fuzz

#endif // SHARDSMITH_TEST_FUZZ_MUTATETEXT_H

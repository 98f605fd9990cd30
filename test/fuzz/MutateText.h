// SPDX-License-Identifier: Apache-2.0
//
// Changes text by its tokens: numbers become other numbers, words and groups in
// brackets are copied, left out and exchanged. Most results still parse, which
// those of changed bytes do not.

#ifndef SHARDSMITH_TEST_FUZZ_MUTATETEXT_H
#define SHARDSMITH_TEST_FUZZ_MUTATETEXT_H

#include <cstdint>
#include <random>
#include <string>

namespace shardsmith::fuzz {

/// Changes `text` in one place or in four.
void mutateText(std::string &text, std::minstd_rand &random);

// Inputs of `size` bytes at `data`, where `maxSize` have room. Both return the
// new size.

/// Changes bytes: as libFuzzer does, or one of them where it is not there.
size_t mutateBytes(uint8_t *data, size_t size, size_t maxSize,
                   std::minstd_rand &random);
/// Puts as much of `text` there as has room.
size_t putText(const std::string &text, uint8_t *data, size_t maxSize);

} // namespace shardsmith::fuzz

#endif // SHARDSMITH_TEST_FUZZ_MUTATETEXT_H

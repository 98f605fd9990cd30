// SPDX-License-Identifier: Apache-2.0
//
// Runs of names, against plain lists of them.

#include "../FirstSeed.h"
#include "TwoLayers.h"

#include <gmock/gmock.h>

#include <map>
#include <random>

using namespace shardsmith;
using namespace shardsmith::workload;
using testing::ElementsAre;

namespace {

TEST(NumberedName, IsCutAtTheFirstNumberThatStandsAlone) {
  struct Case {
    const char *name, *prefix;
    std::optional<int64_t> number;
    const char *suffix;
  };
  for (auto [name, prefix, number, suffix] : {
           Case{"layers.3.w1", "layers.", 3, ".w1"},
           {"params['h'][12]['w']", "params['h'][", 12, "]['w']"},
           {"wav2vec2.layers.0.w", "wav2vec2.layers.", 0, ".w"},
           {"block_7", "block_", 7, ""},
           {"5", "", 5, ""},
           {"a.1.experts.2.w", "a.", 1, ".experts.2.w"},
           {"a.01.experts.2.w", "a.01.experts.", 2, ".w"},
           {"a.123456789012345678.w", "a.123456789012345678.w", {}, ""},
           {"a.12345678901234567.w", "a.", 12345678901234567, ".w"},
           {"w1", "w1", {}, ""},
           {"4bit", "4bit", {}, ""},
           {"", "", {}, ""},
       }) {
    NumberedName parts(name);
    EXPECT_EQ(parts.prefix, prefix) << name;
    EXPECT_EQ(parts.number, number) << name;
    EXPECT_EQ(parts.suffix, suffix) << name;
    EXPECT_EQ(parts.text(), name);
  }
}

TEST(ParameterNames, OfEqualLayersAreOneRun) {
  ParameterNames names = {{"layers.9.w", "shared"},
                          {"layers.10.w", "shared"},
                          {"layers.11.w", "shared"}};
  ASSERT_EQ(names.parameters(), 2u);
  ASSERT_EQ(names.of(0).size(), 1u);
  EXPECT_TRUE(names.of(0)[0].countsUp);
  ASSERT_EQ(names.of(1).size(), 1u);
  EXPECT_FALSE(names.of(1)[0].countsUp);
  EXPECT_THAT(names.namesIn(2), ElementsAre("layers.11.w", "shared"));
}

TEST(ParameterNames, GoOnAsTheyBegan) {
  ParameterNames names = {{"a.w", "b.0", "c.5.d"}, {"a.w", "b.1", "c.6.d"}};
  ParameterNames wanted = names;
  for (int64_t i = 2; i < 9; ++i)
    wanted.add(
        {"a.w", "b." + std::to_string(i), "c." + std::to_string(5 + i) + ".d"});
  ASSERT_TRUE(names.goOn(7));
  EXPECT_EQ(names, wanted);
  EXPECT_EQ(names.repetitions(), 9);
  EXPECT_EQ(names.namesOf(2), 9);
}

TEST(ParameterNames, DoNotGoOnWhereNothingBegan) {
  // One number too far; two numbers at once; a number that is none.
  for (const ParameterNames &names :
       {ParameterNames{{"a.0"}, {"a.2"}},
        ParameterNames{{"a.0.b.0"}, {"a.1.b.1"}},
        ParameterNames{{"a0"}, {"a1"}}, ParameterNames{{"a.0"}},
        ParameterNames{{"a.0"}, {"a.1"}, {"b"}}}) {
    ParameterNames same = names;
    EXPECT_FALSE(same.goOn(3));
    EXPECT_EQ(same, names);
  }
}

/// Lists of names that often go on, stay, start anew or meet again.
class RandomNames {
public:
  explicit RandomNames(uint64_t seed) : random(seed) {}

  size_t below(size_t bound) {
    return std::uniform_int_distribution<size_t>(0, bound - 1)(random);
  }

  std::vector<std::string> list(size_t count) {
    std::vector<std::string> names;
    size_t number = below(4), shape = below(4);
    for (size_t i = 0; i < count; ++i) {
      static const char *const shapes[][2] = {
          {"a.", ".w"}, {"a.", ".1.w"}, {"b", ".w"}, {"b.2.", ""}};
      names.push_back(shapes[shape][0] + std::to_string(number) +
                      shapes[shape][1]);
      if (below(4) != 0)
        ++number;
      if (below(6) == 0)
        number = below(6);
      if (below(8) == 0)
        shape = below(4);
    }
    return names;
  }

private:
  std::mt19937_64 random;
};

TEST(ParameterNames, AreThoseThatWereAdded) {
  uint64_t seed = test::firstSeed();
  size_t runs = 0, names = 0;
  for (uint64_t last = seed + 500; seed < last; ++seed) {
    SCOPED_TRACE("SHARDSMITH_TEST_SEED=" + std::to_string(seed));
    RandomNames random(seed);
    std::vector<std::string> list = random.list(1 + random.below(12));
    ParameterNames kept;
    for (const std::string &name : list)
      kept.add({name});
    ASSERT_EQ(kept.namesOf(0), int64_t(list.size()));
    for (size_t i = 0; i < list.size(); ++i)
      EXPECT_EQ(kept.name(int64_t(i), 0), list[i]);
    runs += kept.of(0).size();
    names += list.size();
  }
  EXPECT_LT(runs, names * 3 / 4) << "names hardly ever go on";
}

/// Names of every parameter of every repetition, and what it is there.
struct Listed {
  std::string name;
  ParameterUse use;
};

/// Blocks with parameters of one element each, so that all are alike but for
/// their names.
Workload randomChain(RandomNames &random, std::vector<Listed> &listed) {
  Workload workload;
  size_t segments = 1 + random.below(3);
  for (BlockIndex index = 0; index < segments; ++index) {
    Block block;
    size_t parameters = 1 + random.below(3), count = 1 + random.below(6);
    std::vector<std::vector<std::string>> columns;
    for (TensorIndex i = 0; i < parameters; ++i) {
      block.tensors.push_back(
          {"p", {1}, ElementType::F32, TensorRole::Parameter});
      block.parameters.push_back(i);
      columns.push_back(random.list(count));
    }
    Segment segment{index, int64_t(count), {}};
    for (size_t repetition = 0; repetition < count; ++repetition) {
      std::vector<std::string> names;
      for (const auto &column : columns)
        names.push_back(column[repetition]);
      segment.parameterNames.add(names);
    }
    for (TensorIndex i = 0; i < parameters; ++i)
      for (const std::string &name : columns[i])
        listed.push_back({name, {index, i}});
    workload.blocks.push_back(block);
    workload.segments.push_back(segment);
  }
  return workload;
}

TEST(ParameterRuns, TellWhatIsNewAndWhatWasBefore) {
  uint64_t seed = test::firstSeed();
  size_t again = 0;
  for (uint64_t last = seed + 500; seed < last; ++seed) {
    SCOPED_TRACE("SHARDSMITH_TEST_SEED=" + std::to_string(seed));
    RandomNames random(seed);
    std::vector<Listed> listed;
    Workload workload = randomChain(random, listed);
    // Name by name what the runs must say.
    std::map<std::string, ParameterUse> known;
    auto next = listed.begin();
    workload.eachParameterRun([&](const ParameterRun &run) {
      int64_t newNames = 0;
      std::map<std::string, ParameterUse> before;
      for (int64_t i = 0; i < run.names.count; ++i, ++next) {
        ASSERT_EQ(run.names.name(i), next->name);
        ASSERT_EQ(run.use, next->use);
        auto found = known.find(next->name);
        if (found != known.end())
          before.insert(*found);
        newNames += known.emplace(next->name, next->use).second;
        // A name that stays is not its own predecessor.
        if (found == known.end() && !run.names.countsUp) {
          next += run.names.count - 1 - i;
          i = run.names.count - 1;
        }
      }
      EXPECT_EQ(run.newNames, newNames);
      std::vector<ParameterUse> uses;
      for (const ParameterRun::Earlier &earlier : run.earlier) {
        ASSERT_TRUE(before.contains(earlier.name)) << earlier.name;
        EXPECT_EQ(before.at(earlier.name), earlier.use);
        uses.push_back(earlier.use);
        ++again;
      }
      for (const auto &[name, use] : before)
        EXPECT_THAT(uses, testing::Contains(use)) << name;
    });
    EXPECT_EQ(next, listed.end());
    EXPECT_EQ(workload.parameterCount(), int64_t(known.size()));
  }
  EXPECT_GT(again, 100u) << "names hardly ever meet again";
}

} // namespace

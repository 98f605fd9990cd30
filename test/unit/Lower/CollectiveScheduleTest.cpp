// SPDX-License-Identifier: Apache-2.0
//
// What two ranks of a group come to is the same, or it is said which two.

#include "shardsmith/Lower/Common/CollectiveSchedule.h"
#include "shardsmith/InitAll.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>

namespace shardsmith::lower {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

/// A mesh of 2 stages by 2 data ranks by 2 tensor ranks.
class Schedules : public testing::Test {
protected:
  Schedules() {
    mlir::DialectRegistry registry;
    registerAllDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  RankMesh mesh() {
    auto attribute = mlir::cast<sdy::MeshAttr>(mlir::parseAttribute(
        R"(#sdy.mesh<["pipeline"=2, "data"=2, "tensor"=2]>)", &context));
    return RankMesh(attribute);
  }

  static CollectiveStep collective(std::string kind,
                                   std::vector<std::string> axes,
                                   int64_t elements = 8) {
    CollectiveStep step;
    step.kind = std::move(kind);
    step.axes = std::move(axes);
    step.element = "f32";
    step.elements = elements;
    step.bytes = Bytes(4 * elements);
    return step;
  }
  static CollectiveStep message(std::string kind, int64_t peer,
                                int64_t elements = 8) {
    CollectiveStep step = collective(std::move(kind), {"pipeline"}, elements);
    step.peer = peer;
    return step;
  }

  std::string problemOf(std::vector<CollectiveStep> first,
                        std::vector<CollectiveStep> second) {
    return CollectiveSchedule(mesh(), {std::move(first), std::move(second)})
        .findProblem();
  }

  mlir::MLIRContext context;
};

TEST_F(Schedules, RanksOfAGroup) {
  CollectiveSchedule schedule(mesh(), {{}, {}});
  EXPECT_THAT(schedule.ranksOf(collective("all_reduce", {"data"}), 5),
              ElementsAre(5, 7));
  EXPECT_THAT(schedule.ranksOf(collective("all_reduce", {"tensor", "data"}), 5),
              ElementsAre(4, 6, 5, 7));
  EXPECT_THAT(schedule.ranksOf(collective("all_reduce", {"pipeline"}), 5),
              ElementsAre(1, 5));
  EXPECT_THAT(schedule.ranksOf(message("send", 1), 2), ElementsAre(2, 6));
  EXPECT_THAT(schedule.ranksOf(message("receive", 0), 6), ElementsAre(2, 6));
  EXPECT_EQ(schedule.programOf(3), 0u);
  EXPECT_EQ(schedule.programOf(4), 1u);
}

TEST_F(Schedules, EqualOrdersAreFine) {
  auto gather = collective("all_gather", {"tensor"});
  auto shared = collective("all_reduce", {"pipeline"});
  EXPECT_EQ(problemOf({gather, message("send", 1), shared},
                      {message("receive", 0), gather, gather, shared}),
            "");
}

TEST_F(Schedules, SwappedCollectivesAreNamed) {
  auto one = collective("all_reduce", {"pipeline"}, 8);
  auto other = collective("all_gather", {"pipeline"}, 16);
  EXPECT_THAT(problemOf({one, other}, {other, one}),
              AllOf(HasSubstr("rank 0, exchange 0: all_reduce over pipeline"),
                    HasSubstr("rank 4, exchange 0: all_gather")));
}

TEST_F(Schedules, OtherSizesAreNamed) {
  EXPECT_THAT(problemOf({collective("all_reduce", {"pipeline"}, 8)},
                        {collective("all_reduce", {"pipeline"}, 9)}),
              AllOf(HasSubstr("8 x f32"), HasSubstr("9 x f32")));
  EXPECT_THAT(problemOf({message("send", 1, 8)}, {message("receive", 0, 9)}),
              HasSubstr("expects receive from 0"));
}

TEST_F(Schedules, MissingRanksAreNamed) {
  EXPECT_THAT(problemOf({collective("all_reduce", {"pipeline"})}, {}),
              HasSubstr("rank 4 is at its end"));
  EXPECT_THAT(problemOf({message("receive", 1)}, {}),
              HasSubstr("rank 0, exchange 0 waits for ever"));
  EXPECT_THAT(problemOf({message("receive", 1), message("send", 1)},
                        {message("receive", 0), message("send", 0)}),
              HasSubstr("waits for ever"));
}

// A collective that waits for a message, which is sent after a collective that
// waits for this one.
TEST_F(Schedules, CirclesAreNamed) {
  auto shared = collective("all_reduce", {"pipeline"});
  EXPECT_THAT(
      problemOf({shared, message("send", 1)}, {message("receive", 0), shared}),
      HasSubstr("waits for ever"));
}

TEST_F(Schedules, OfAProgram) {
  auto module = mlir::parseSourceString<mlir::ModuleOp>(R"(
    sdy.mesh @mesh = <["data"=4]>
    func.func @main(%x: tensor<4x8xbf16>, %n: tensor<f32>) -> tensor<f32> {
      %0 = smith.all_gather %x over ["data"] dim = 0 : tensor<4x8xbf16> -> tensor<16x8xbf16>
      %1 = smith.repeat @micro count = 3 with() carry(%n) : (tensor<f32>) -> tensor<f32>
      return %1 : tensor<f32>
    }
    func.func private @micro(%i: tensor<i32>, %n: tensor<f32>) -> tensor<f32> {
      %0 = smith.all_reduce %n over ["data"] kind = sum : tensor<f32>
      return %0 : tensor<f32>
    })",
                                                        &context);
  ASSERT_TRUE(module);
  CollectiveSchedule schedule(module->lookupSymbol<mlir::func::FuncOp>("main"));
  ASSERT_EQ(schedule.programs().size(), 1u);
  const auto &steps = schedule.programs().front();
  ASSERT_EQ(steps.size(), 4u);
  EXPECT_EQ(steps[0].kind, "all_gather");
  EXPECT_EQ(steps[0].bytes, Bytes(64));
  EXPECT_EQ(steps[3].kind, "all_reduce");
  EXPECT_EQ(steps[3].reduction, "sum");
  EXPECT_EQ(steps[3].function, "micro");
  EXPECT_EQ(steps[3].microBatch, 2);
  EXPECT_EQ(schedule.findProblem(), "");
}

// Five hundred and twelve ranks have groups of all sizes. One stage that swaps
// its last two exchanges is found.
TEST_F(Schedules, ManyRanks) {
  auto attribute = mlir::cast<sdy::MeshAttr>(mlir::parseAttribute(
      R"(#sdy.mesh<["pipeline"=8, "data"=8, "tensor"=8]>)", &context));
  std::vector<CollectiveStep> steps;
  for (int i = 0; i < 20; ++i)
    for (std::vector<std::string> axes :
         {std::vector<std::string>{"tensor"}, {"data"}, {"data", "tensor"}})
      steps.push_back(collective("all_reduce", axes));
  steps.push_back(collective("all_gather", {"pipeline"}));
  steps.push_back(collective("all_reduce", {"pipeline", "data", "tensor"}));
  std::vector<std::vector<CollectiveStep>> programs(8, steps);
  EXPECT_EQ(CollectiveSchedule(RankMesh(attribute), programs).findProblem(),
            "");
  std::swap(programs[5][60], programs[5].back());
  EXPECT_THAT(CollectiveSchedule(RankMesh(attribute), programs).findProblem(),
              HasSubstr("over pipeline,data,tensor"));
}

} // namespace
} // namespace shardsmith::lower

// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_CHECK_ANNOTATED_GRAPHREADER_H
#define SHARDSMITH_LIB_CHECK_ANNOTATED_GRAPHREADER_H

#include "FileGraph.h"
#include "shardsmith/Check/AnnotatedGraph.h"

#include "llvm/ADT/DenseSet.h"

namespace shardsmith::check {

/// Two readings of one graph: what it says of tensors and ops, block by block;
/// then, from that, what each annotation should be.
class GraphReader {
public:
  GraphReader(const workload::GraphMap &map, const workload::Workload &workload,
              const NamedMesh &named, const Peers &peers)
      : map(map), workload(workload), named(named), expected(named.mesh),
        file(peers, named, map) {}

  GraphDecisions run();

private:
  using Body = workload::GraphBody;
  using Block = GraphDecisions::Block;

  /// The value's annotation is about this tensor of this block.
  bool isShown(const Body &body, const workload::MappedTensor &tensor) const {
    auto first = firstBlockOf.find(tensor.value);
    return kept.contains(tensor.value) &&
           (first == firstBlockOf.end() || first->second == body.block);
  }

  // First reading.
  Block readBlock(const Body &body);
  void compareRepetitions(const Body &body, const Block &first,
                          const Block &other);
  void readOp(const Body &body, const workload::MappedOp &mapped,
              OpSplit &split);
  void learnMethod(const workload::Op &op, const workload::PartFactors &factors,
                   llvm::ArrayRef<AxisList> axes);
  void readMarks();

  // Second reading, in SecondReading.cpp.
  void checkBody(const Body &body);
  void checkOutputs(const workload::GraphUnit &unit);
  void checkValue(mlir::Value value, const PartAxes &axes,
                  const std::string &what);
  void checkOp(const Body &body, const workload::MappedOp &mapped);
  /// One of several choices of axes must be there.
  void checkFactorAxes(mlir::Operation *op,
                       llvm::ArrayRef<std::vector<Layout>> choices);

  // Views, constants, masks, in OtherOps.cpp.
  struct Sides {
    std::vector<std::vector<AxisList>> operands, results;
  };
  Sides sidesFrom(const workload::TiedOp &tied, bool results) const;
  void checkOther(const workload::TiedOp &tied);
  void checkArguments(mlir::ModuleOp model);
  std::vector<std::vector<AxisList>> wantedBy(mlir::Value value) const;

  void find(std::string place, std::string found, std::string wanted,
            std::string reason);
  PartAxes inOp(const Body &body, const workload::MappedOp &mapped,
                const workload::PartFactors &factors, mlir::Value value) const;

  const workload::GraphMap &map;
  const workload::Workload &workload;
  const NamedMesh &named;
  ExpectedAxes expected;
  FileGraph file;
  GraphDecisions result;
  ContextMethod method = ContextMethod::Ring;
  llvm::DenseSet<mlir::Value> kept;
  /// Blocks that hold one parameter differently (on different stages, say)
  /// leave it in the layout of the first of them.
  llvm::DenseMap<mlir::Value, workload::BlockIndex> firstBlockOf;
  struct Reader {
    const Body *body;
    const workload::MappedOp *mapped;
  };
  llvm::DenseMap<mlir::Operation *, Reader> mappedOps;
  llvm::DenseMap<mlir::Operation *, const workload::TiedOp *> tiedOps;
};

} // namespace shardsmith::check

#endif // SHARDSMITH_LIB_CHECK_ANNOTATED_GRAPHREADER_H

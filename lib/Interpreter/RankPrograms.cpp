// SPDX-License-Identifier: Apache-2.0
//
// Programs that differ by rank: those of a pipeline (docs/stages.md). Devices
// with one coordinate along the axis of stages go in lockstep, as in any other
// program; a coordinate goes on until it waits for a message, then another one
// does. What no coordinate can go on with is an error.

#include "shardsmith/Dialect/Smith/MicroBatchOps.h"
#include "shardsmith/Interpreter/EvaluatorRegistry.h"
#include "shardsmith/Interpreter/Machine.h"
#include "shardsmith/Interpreter/TensorAttributes.h"
#include "shardsmith/Sharding/ShardingAttributes.h"

#include "llvm/ADT/STLExtras.h"

#include <deque>
#include <limits>
#include <map>

using namespace llvm;
using namespace mlir;

namespace shardsmith::inline interpreter {
namespace {

/// What nobody may read: of a micro-batch that a device leaves out.
Tensor unspecified(Type type) {
  std::optional<StaticType> known = staticTypeOf(type);
  return Tensor::filled(
      known->element, known->shape,
      isFloat(known->element) ? std::numeric_limits<double>::quiet_NaN() : 77);
}

class RankRun {
public:
  RankRun(ArrayRef<func::FuncOp> programs, const Mesh &mesh)
      : mesh(mesh), pipeline(*mesh.find(smith::kPipelineAxisName)) {
    for (func::FuncOp program : programs) {
      int64_t coordinate =
          program->getAttrOfType<IntegerAttr>(smith::kCoordinateAttributeName)
              .getInt();
      Rank &rank = ranks.emplace_back();
      rank.program = program;
      rank.next = program.front().begin();
      for (int64_t device = 0; device < mesh.getDeviceCount(); ++device)
        if (mesh.getCoordinate(device, pipeline) == coordinate)
          rank.devices.push_back(device);
    }
  }

  /// `step` does an op on some devices, `valueOf` is a device's value.
  LogicalResult
  run(llvm::function_ref<LogicalResult(Operation *, Devices)> step,
      llvm::function_ref<Tensor &(int64_t, Value)> valueOf,
      llvm::function_ref<LogicalResult(smith::RunOp, Devices)> runPass) {
    for (bool hasMoved = true; hasMoved;) {
      hasMoved = false;
      for (Rank &rank : ranks)
        for (; !isAtEnd(rank); ++rank.next, hasMoved = true) {
          Operation *op = &*rank.next;
          SmallVector<int64_t> active = activeAt(rank, op);
          if (auto receive = dyn_cast<smith::ReceiveOp>(op)) {
            if (!hasArrived(receive, active))
              break;
            for (int64_t device : rank.devices)
              valueOf(device, receive.getResult()) =
                  is_contained(active, device) ? take(receive, device)
                                               : unspecified(receive.getType());
          } else if (auto send = dyn_cast<smith::SendOp>(op)) {
            for (int64_t device : active)
              underWay[{device, peerOf(device, send.getTo())}].push_back(
                  valueOf(device, send.getInput()));
          } else if (auto pass = dyn_cast<smith::RunOp>(op)) {
            for (int64_t device : rank.devices)
              if (!is_contained(active, device))
                leaveOut(pass, device, valueOf);
            if (!active.empty() && failed(runPass(pass, active)))
              return failure();
          } else if (failed(step(op, rank.devices))) {
            return failure();
          }
        }
    }
    for (Rank &rank : ranks)
      if (!isAtEnd(rank))
        return rank.next->emitOpError("waits for ever");
    for (auto &[way, messages] : underWay)
      if (!messages.empty())
        return ranks.front().program.emitOpError()
               << "device " << way.second << " never takes a message of device "
               << way.first;
    return success();
  }

private:
  struct Rank {
    func::FuncOp program;
    Block::iterator next;
    SmallVector<int64_t> devices;
  };

  static bool isAtEnd(const Rank &rank) {
    return rank.next->hasTrait<OpTrait::IsTerminator>();
  }

  static SmallVector<int64_t> activeAt(const Rank &rank, Operation *op) {
    auto counts = rank.program->getAttrOfType<DenseI64ArrayAttr>(
        smith::kCountsAttributeName);
    std::optional<int64_t> microBatch;
    if (auto run = dyn_cast<smith::RunOp>(op))
      microBatch = int64_t(run.getMicroBatch());
    else if (auto part = op->getAttrOfType<IntegerAttr>(
                 smith::kMicroBatchAttributeName))
      microBatch = part.getInt();
    if (!counts || !microBatch)
      return rank.devices;
    SmallVector<int64_t> active;
    for (int64_t device : rank.devices)
      if (*microBatch < counts[device])
        active.push_back(device);
    return active;
  }

  int64_t peerOf(int64_t device, int64_t coordinate) const {
    int64_t stride = 1;
    for (MeshAxis axis = pipeline + 1; axis < mesh.getAxisCount(); ++axis)
      stride *= mesh.getSize(axis);
    return device +
           (coordinate - mesh.getCoordinate(device, pipeline)) * stride;
  }

  bool hasArrived(smith::ReceiveOp receive, Devices devices) const {
    return all_of(devices, [&](int64_t device) {
      auto found = underWay.find({peerOf(device, receive.getFrom()), device});
      return found != underWay.end() && !found->second.empty();
    });
  }

  Tensor take(smith::ReceiveOp receive, int64_t device) {
    auto &messages = underWay[{peerOf(device, receive.getFrom()), device}];
    Tensor message = std::move(messages.front());
    messages.pop_front();
    return message;
  }

  static void leaveOut(smith::RunOp pass, int64_t device,
                       llvm::function_ref<Tensor &(int64_t, Value)> valueOf) {
    ValueRange carried = pass.getCarried();
    ValueRange outputs = pass.getResults().drop_back(carried.size());
    for (Value output : outputs)
      valueOf(device, output) = unspecified(output.getType());
    for (auto [before, behind] :
         zip_equal(carried, pass.getResults().take_back(carried.size()))) {
      // Copied first: a place for the result may move those of other values.
      Tensor same = valueOf(device, before);
      valueOf(device, behind) = std::move(same);
    }
  }

  const Mesh &mesh;
  MeshAxis pipeline;
  std::vector<Rank> ranks;
  std::map<std::pair<int64_t, int64_t>, std::deque<Tensor>> underWay;
};

} // namespace

Outcome Machine::runRanks(ArrayRef<func::FuncOp> programs, const Mesh &mesh,
                          const DeviceTensors &arguments,
                          DeviceTensors &results) {
  foundUnsupported = false;
  checkCount = failedCheckCount = 0;
  llvm::DenseSet<Operation *> seen;
  for (func::FuncOp program : programs)
    if (failed(checkSupported(program, seen)))
      return foundUnsupported ? Outcome::Unsupported : Outcome::Failed;
  auto coordinateOf = [&](int64_t device) {
    return mesh.getCoordinate(device, *mesh.find(smith::kPipelineAxisName));
  };
  for (int64_t device = 0; device < deviceCount; ++device) {
    func::FuncOp program = programs[coordinateOf(device)];
    for (auto [argument, tensor] :
         zip_equal(program.getArguments(), arguments[device]))
      values[device][argument] = tensor;
  }
  auto valueOf = [&](int64_t device, Value value) -> Tensor & {
    return values[device][value];
  };
  // Nothing dies before its rank is at its end.
  auto step = [&](Operation *op, Devices devices) {
    return runStep({op, registry.lookup(op), {}}, devices);
  };
  auto runPass = [&](smith::RunOp pass, Devices devices) -> LogicalResult {
    DeviceTensors given, returned(devices.size());
    for (int64_t device : devices) {
      Tensors &own = given.emplace_back();
      own.push_back(Tensor::filled(ElementType::I32, {},
                                   double(int64_t(pass.getMicroBatch()))));
      for (Value operand : pass->getOperands())
        own.push_back(valueOf(device, operand));
    }
    if (failed(
            call(pass, pass.getCallee(), devices, std::move(given), returned)))
      return failure();
    for (auto [device, tensors] : zip_equal(devices, returned))
      for (auto [value, tensor] : zip_equal(pass.getResults(), tensors))
        valueOf(device, value) = std::move(tensor);
    return success();
  };
  if (failed(RankRun(programs, mesh).run(step, valueOf, runPass)))
    return foundUnsupported ? Outcome::Unsupported : Outcome::Failed;
  results.clear();
  for (int64_t device = 0; device < deviceCount; ++device) {
    Tensors &returned = results.emplace_back();
    func::FuncOp program = programs[coordinateOf(device)];
    for (Value operand : program.front().getTerminator()->getOperands())
      returned.push_back(valueOf(device, operand));
    values[device].clear();
  }
  return failedCheckCount == 0 ? Outcome::Completed : Outcome::CheckFailed;
}

} // namespace shardsmith::inline interpreter

// SPDX-License-Identifier: Apache-2.0

#include "Machine.h"

#include "EmulatedDevice.h"

#include "shardsmith/Runtime/Failure.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <thread>

namespace shardsmith::emulator {
namespace {

/// Ends a host after another one has failed.
struct Stopped {};

} // namespace

MachineFunction::MachineFunction(DeviceProgram translated)
    : program(std::move(translated)) {
  reads.resize(program.memories.size());
  writes.resize(program.memories.size());
  for (const Instruction &instruction : program.instructions) {
    if (instruction.kind != Instruction::Kind::Load &&
        instruction.kind != Instruction::Kind::Store)
      continue;
    llvm::ArrayRef<uint32_t> touched = instruction.choices;
    if (touched.empty())
      touched = instruction.memory;
    for (uint32_t memory : touched) {
      reads[memory] =
          reads[memory] || instruction.kind == Instruction::Kind::Load;
      writes[memory] =
          writes[memory] || instruction.kind == Instruction::Kind::Store;
    }
  }
}

Machine::Machine(const MachineOptions &options,
                 const std::vector<MachineFunction> &functions)
    : options(options), functions(functions), random(options.seed),
      hosts(options.ranks) {
  for (int rank = 0; rank < options.ranks; ++rank)
    devices.push_back(std::make_unique<EmulatedDevice>(*this, rank));
}

Machine::~Machine() = default;

std::string
Machine::run(const std::function<void(int, runtime::device::Device &)> &body) {
  turn = static_cast<int>(random() % hosts.size());
  std::vector<std::thread> threads;
  for (int rank = 0; rank < options.ranks; ++rank)
    threads.emplace_back([this, rank, &body] { runHost(rank, body); });
  for (std::thread &thread : threads)
    thread.join();
  return problem;
}

void Machine::runHost(
    int rank, const std::function<void(int, runtime::device::Device &)> &body) {
  std::unique_lock lock(mutex);
  turnPassed.wait(lock, [&] { return turn == rank || isStopped; });
  lock.unlock();
  try {
    if (isStopped)
      throw Stopped();
    body(rank, *devices[rank]);
    hosts[rank].isFinished = true;
    while (turn == rank && !isStopped) {
      if (goOn(rank))
        continue;
      bool isOver = std::ranges::all_of(hosts, &Host::isFinished) &&
                    std::ranges::all_of(devices, [](const auto &device) {
                      return device->isIdle();
                    });
      if (isOver)
        break;
      reportHang();
    }
  } catch (const Stopped &) {
    return; // another rank has said why
  } catch (const std::exception &error) {
    lock.lock();
    if (problem.empty())
      problem = fmt::format("rank {}: {}", rank, error.what());
    isStopped = true;
    turnPassed.notify_all();
  }
}

void Machine::fail(const std::string &what) {
  runtime::fail(runtime::ExitCode::Internal, "{}", what);
}

void Machine::passTurn(int from, int to) {
  std::unique_lock lock(mutex);
  turn = to;
  turnPassed.notify_all();
  if (hosts[from].isFinished)
    return;
  turnPassed.wait(lock, [&] { return turn == from || isStopped; });
  if (isStopped)
    throw Stopped();
}

bool Machine::goOn(int rank) {
  struct Candidate {
    EmulatedDevice *device; ///< null: a host
    size_t number;
  };
  std::vector<Candidate> candidates;
  for (const auto &device : devices)
    for (size_t stream : device->readyStreams())
      candidates.push_back({device.get(), stream});
  for (size_t host = 0; host < hosts.size(); ++host)
    if (static_cast<int>(host) != rank && !hosts[host].isFinished &&
        (!hosts[host].isReady || hosts[host].isReady()))
      candidates.push_back({nullptr, host});
  if (candidates.empty())
    return false;
  Candidate drawn = candidates[random() % candidates.size()];
  if (drawn.device)
    drawn.device->goOn(drawn.number);
  else
    passTurn(rank, static_cast<int>(drawn.number));
  return true;
}

void Machine::maybeGoOn(int rank) {
  while (random() % 4 == 0)
    if (!goOn(rank))
      return;
}

void Machine::waitUntil(int rank, const std::string &what,
                        const std::function<bool()> &isReady) {
  Host &host = hosts[rank];
  host.isReady = isReady;
  host.waitsFor = what;
  while (!isReady())
    if (!goOn(rank) && !isReady())
      reportHang();
  host.isReady = nullptr;
  host.waitsFor.clear();
}

void Machine::reportHang() {
  std::string text = "no rank can go on:";
  for (size_t rank = 0; rank < hosts.size(); ++rank) {
    std::string waits = devices[rank]->describeWaits();
    if (hosts[rank].isFinished && waits.empty())
      continue;
    std::string host = hosts[rank].isFinished
                           ? "the host has ended"
                           : "the host waits for " + hosts[rank].waitsFor;
    text += fmt::format("\n  rank {}: {}{}", rank, host, waits);
  }
  fail(text);
}

} // namespace shardsmith::emulator

// SPDX-License-Identifier: Apache-2.0

#include "Emulator.h"

#include "llvm/ADT/DenseSet.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <fmt/format.h>
#include <numeric>

namespace shardsmith::emulator {
namespace {

constexpr int64_t warpSize = 32;

struct Thread {
  std::vector<uint64_t> registers;
  uint32_t next = 0;
  enum class State { Ready, AtBarrier, AtMeeting, Done } state = State::Ready;
};

/// One block at a time.
class BlockRun {
public:
  BlockRun(const DeviceProgram &program,
           llvm::ArrayRef<DeviceBuffer *> arguments, std::mt19937_64 &random)
      : program(program), memories(arguments.begin(), arguments.end()),
        random(random), threads(program.threads),
        meetings(program.threads / warpSize) {}

  std::string run(int64_t number);
  /// Of the block that has run.
  int64_t sectorsTouched() const { return int64_t(touched.size()); }

private:
  void runThread(int64_t number);
  void access(const Instruction &instruction, Thread &thread, int64_t number);
  void noteRead(DeviceBuffer &buffer, int64_t element, int64_t thread,
                const Instruction &instruction);
  void noteWrite(DeviceBuffer &buffer, int64_t element, int64_t thread,
                 const Instruction &instruction);
  DeviceBuffer::Moment now(int64_t thread) const {
    return {block, thread, barriers, meetings[thread / warpSize]};
  }
  bool isBefore(const DeviceBuffer::Moment &past, int64_t thread) const;
  /// Completes shuffles and barriers that all have come to.
  bool meet();
  void shuffle(int64_t warp);
  void multiply(int64_t warp);
  void fail(const Instruction &instruction, const std::string &what) {
    if (!problem.empty())
      return;
    std::string text;
    llvm::raw_string_ostream stream(text);
    instruction.op->print(stream, mlir::OpPrintingFlags().skipRegions());
    problem = fmt::format("{}, block {}: {} at '{}'", program.name, block, what,
                          text);
  }
  std::string describe(const DeviceBuffer::Moment &past) const {
    return fmt::format("thread {} of block {}", past.thread, past.block);
  }

  const DeviceProgram &program;
  std::vector<DeviceBuffer *> memories;
  std::mt19937_64 &random;
  std::vector<Thread> threads;
  std::vector<int64_t> meetings;
  std::vector<DeviceBuffer> shared;
  int64_t block = 0, barriers = 0;
  /// Sector, with the argument and whether it is written in the upper bits.
  llvm::DenseSet<uint64_t> touched;
  std::string problem;
};

bool BlockRun::isBefore(const DeviceBuffer::Moment &past,
                        int64_t thread) const {
  if (past.block < 0)
    return true;
  if (past.block != block)
    return false;
  if (past.thread == thread || past.barriers < barriers)
    return true;
  int64_t warp = thread / warpSize;
  return past.thread / warpSize == warp && past.meetings < meetings[warp];
}

void BlockRun::noteRead(DeviceBuffer &buffer, int64_t element, int64_t thread,
                        const Instruction &instruction) {
  if (buffer.accesses.empty())
    return;
  DeviceBuffer::Access &access = buffer.accesses[element];
  if (!access.isInitialized)
    return fail(instruction,
                fmt::format("thread {} reads element {} before anything was "
                            "written there",
                            thread, element));
  if (!isBefore(access.write, thread))
    return fail(instruction,
                fmt::format("thread {} reads element {}, which {} writes",
                            thread, element, describe(access.write)));
  using Read = DeviceBuffer::Access::Read;
  if (!access.reads.empty() && access.reads.front().moment.block != block) {
    access.byOtherBlocks = true;
    access.reads.clear();
  }
  llvm::erase_if(access.reads, [&](const Read &read) {
    return read.moment.barriers < barriers;
  });
  DeviceBuffer::Moment time = now(thread);
  for (Read &read : access.reads) {
    if (read.moment.thread / warpSize != thread / warpSize)
      continue;
    if (read.moment.meetings == time.meetings)
      read.byOthers |= read.moment.thread != thread;
    else
      read = {time, false};
    return;
  }
  access.reads.push_back({time, false});
}

void BlockRun::noteWrite(DeviceBuffer &buffer, int64_t element, int64_t thread,
                         const Instruction &instruction) {
  if (buffer.accesses.empty())
    return;
  DeviceBuffer::Access &access = buffer.accesses[element];
  if (!isBefore(access.write, thread))
    return fail(instruction,
                fmt::format("thread {} writes element {}, which {} writes, too",
                            thread, element, describe(access.write)));
  bool isOrdered = !access.byOtherBlocks;
  const DeviceBuffer::Moment *reader = nullptr;
  for (const auto &[past, byOthers] : access.reads) {
    bool isOwn = past.block == block && past.thread == thread;
    bool isFine = isOwn ? !byOthers || past.barriers < barriers ||
                              past.meetings < meetings[thread / warpSize]
                        : isBefore(past, thread);
    if (isFine)
      continue;
    isOrdered = false;
    reader = isOwn ? nullptr : &past;
  }
  if (!isOrdered)
    return fail(instruction,
                fmt::format("thread {} writes element {}, which {} reads",
                            thread, element,
                            reader ? describe(*reader) : "another thread"));
  access.isInitialized = true;
  access.write = now(thread);
}

void BlockRun::access(const Instruction &instruction, Thread &thread,
                      int64_t number) {
  uint64_t memory = instruction.choices.empty()
                        ? instruction.memory
                        : thread.registers[instruction.operands[2]];
  DeviceBuffer &buffer = *memories[memory];
  auto first = static_cast<int64_t>(thread.registers[instruction.operands[0]]);
  bool isLoad = instruction.kind == Instruction::Kind::Load;
  if (first < 0 || first + instruction.lanes > buffer.elements)
    return fail(instruction,
                fmt::format("thread {} {} elements {} to {} of {}", number,
                            isLoad ? "reads" : "writes", first,
                            first + instruction.lanes - 1, buffer.elements));
  if (first * buffer.elementBytes % instruction.alignment != 0)
    return fail(instruction,
                fmt::format("thread {}: element {} is not at a multiple of {} "
                            "bytes",
                            number, first, instruction.alignment));
  for (uint32_t lane = 0; lane < instruction.lanes; ++lane) {
    std::byte *place = buffer.memory + (first + lane) * buffer.elementBytes;
    if (!program.memories[memory].isShared)
      touched.insert(
          uint64_t(2 * memory + (isLoad ? 0 : 1)) << 40 |
          uint64_t((first + lane) * buffer.elementBytes / sectorBytes));
    if (isLoad) {
      noteRead(buffer, first + lane, number, instruction);
      uint64_t value = 0;
      std::memcpy(&value, place, buffer.elementBytes);
      thread.registers[instruction.target + lane] = value;
    } else {
      noteWrite(buffer, first + lane, number, instruction);
      uint64_t value = thread.registers[instruction.operands[1] + lane];
      std::memcpy(place, &value, buffer.elementBytes);
    }
  }
}

void BlockRun::runThread(int64_t number) {
  Thread &thread = threads[number];
  // Most instructions compute one value and go on to the next.
  uint64_t *const registers = thread.registers.data();
  const Instruction *const instructions = program.instructions.data();
  using Kind = Instruction::Kind;
  while (problem.empty()) {
    const Instruction &i = instructions[thread.next];
    switch (i.kind) {
    case Kind::Compute:
      if (i.lanes == 1) {
        registers[i.target] =
            i.function(i, registers[i.operands[0]], registers[i.operands[1]],
                       registers[i.operands[2]]);
        break;
      }
      for (uint32_t lane = 0; lane < i.lanes; ++lane) {
        auto operand = [&](unsigned n) {
          return registers[i.operands[n] + (i.isScalar[n] ? 0 : lane)];
        };
        registers[i.target + lane] =
            i.function(i, operand(0), operand(1), operand(2));
      }
      break;
    case Kind::Copy:
      for (auto [lane, source] : llvm::enumerate(i.sources))
        registers[i.target + lane] = registers[source];
      break;
    case Kind::ThreadId:
      registers[i.target] = number;
      break;
    case Kind::BlockId:
      registers[i.target] = block;
      break;
    case Kind::Load:
    case Kind::Store:
      access(i, thread, number);
      break;
    case Kind::Jump:
      thread.next = i.destination;
      continue;
    case Kind::JumpUnless:
      if (!registers[i.operands[0]]) {
        thread.next = i.destination;
        continue;
      }
      break;
    case Kind::Barrier:
      thread.state = Thread::State::AtBarrier;
      return;
    case Kind::Multiply:
    case Kind::Shuffle:
      thread.state = Thread::State::AtMeeting;
      return;
    case Kind::Bitcast:
      for (uint32_t lane = 0; lane < i.lanes; ++lane) {
        uint64_t value = 0;
        for (uint32_t bit = 0; bit < i.toBits; ++bit) {
          uint32_t from = lane * i.toBits + bit;
          uint64_t source = registers[i.operands[0] + from / i.fromBits];
          value |= (source >> from % i.fromBits & 1) << bit;
        }
        registers[i.target + lane] = value;
      }
      break;
    case Kind::Return:
      thread.state = Thread::State::Done;
      return;
    }
    ++thread.next;
  }
}

void BlockRun::shuffle(int64_t warp) {
  const Instruction &i = program.instructions[threads[warp * warpSize].next];
  std::vector<uint64_t> values(warpSize);
  for (int64_t lane = 0; lane < warpSize; ++lane)
    values[lane] = threads[warp * warpSize + lane].registers[i.operands[0]];
  for (int64_t lane = 0; lane < warpSize; ++lane) {
    Thread &thread = threads[warp * warpSize + lane];
    uint64_t other = lane ^ thread.registers[i.operands[1]];
    if (other >= warpSize)
      return fail(i, fmt::format("a shuffle with lane {}", other));
    thread.registers[i.target] = values[other];
    thread.state = Thread::State::Ready;
    ++thread.next;
  }
  ++meetings[warp];
}

// Where the PTX ISA says that threads have the elements: of the left factor,
// 16 × 16, thread 4g + t has in word w those of row g + 8 (w mod 2) at columns
// 2t + 8 (w / 2) and one behind; of the right one, 16 × 8, in word w those of
// column g at rows 2t + 8w and one below; of sums, 16 × 8, in number e that of
// row g + 8 (e / 2) and column 2t + e mod 2.
void BlockRun::multiply(int64_t warp) {
  const Instruction &i = program.instructions[threads[warp * warpSize].next];
  auto element = [&](int64_t lane, int64_t source, int64_t half) {
    uint64_t word =
        threads[warp * warpSize + lane].registers[i.sources[size_t(source)]];
    return std::bit_cast<float>(
        uint32_t(half == 0 ? word << 16 : word & 0xffff0000));
  };
  float left[16][16], right[16][8];
  for (int64_t lane = 0; lane < warpSize; ++lane)
    for (int64_t half = 0; half < 2; ++half) {
      int64_t g = lane / 4, t = lane % 4;
      for (int64_t w = 0; w < 4; ++w)
        left[g + 8 * (w % 2)][2 * t + 8 * (w / 2) + half] =
            element(lane, w, half);
      for (int64_t w = 0; w < 2; ++w)
        right[2 * t + 8 * w + half][g] = element(lane, 4 + w, half);
    }
  for (int64_t lane = 0; lane < warpSize; ++lane) {
    Thread &thread = threads[warp * warpSize + lane];
    for (int64_t e = 0; e < 4; ++e) {
      int64_t row = lane / 4 + 8 * (e / 2), column = 2 * (lane % 4) + e % 2;
      float sum = std::bit_cast<float>(
          uint32_t(thread.registers[i.sources[size_t(6 + e)]]));
      for (int64_t k = 0; k < 16; ++k)
        sum += left[row][k] * right[k][column];
      thread.registers[i.target + e] = std::bit_cast<uint32_t>(sum);
    }
    thread.state = Thread::State::Ready;
    ++thread.next;
  }
  ++meetings[warp];
}

bool BlockRun::meet() {
  bool any = false;
  for (int64_t warp = 0; warp < std::ssize(meetings); ++warp) {
    auto first = threads.begin() + warp * warpSize;
    bool all = std::all_of(first, first + warpSize, [&](const Thread &thread) {
      return thread.state == Thread::State::AtMeeting &&
             thread.next == first->next;
    });
    if (all) {
      if (program.instructions[first->next].kind == Instruction::Kind::Multiply)
        multiply(warp);
      else
        shuffle(warp);
      any = true;
    }
  }
  bool all =
      std::all_of(threads.begin(), threads.end(), [&](const Thread &thread) {
        return thread.state == Thread::State::AtBarrier &&
               thread.next == threads.front().next;
      });
  if (all) {
    for (Thread &thread : threads) {
      thread.state = Thread::State::Ready;
      ++thread.next;
    }
    ++barriers;
    any = true;
  }
  return any;
}

std::string BlockRun::run(int64_t number) {
  block = number;
  barriers = 0;
  touched.clear();
  std::fill(meetings.begin(), meetings.end(), 0);
  shared.clear();
  for (const MemoryShape &shape : program.memories)
    if (shape.isShared)
      shared.emplace_back(shape.elements, shape.elementBytes);
  size_t next = 0;
  memories.resize(program.memories.size());
  for (size_t i = 0; i < program.memories.size(); ++i)
    if (program.memories[i].isShared)
      memories[i] = &shared[next++];
  for (Thread &thread : threads) {
    thread.registers = program.registers;
    thread.next = 0;
    thread.state = Thread::State::Ready;
  }
  std::vector<int64_t> ready;
  while (problem.empty()) {
    ready.clear();
    for (int64_t t = 0; t < std::ssize(threads); ++t)
      if (threads[t].state == Thread::State::Ready)
        ready.push_back(t);
    if (ready.empty()) {
      bool done =
          std::all_of(threads.begin(), threads.end(), [](const Thread &thread) {
            return thread.state == Thread::State::Done;
          });
      if (done)
        break;
      if (!meet()) {
        auto stuck = std::find_if(threads.begin(), threads.end(),
                                  [](const Thread &thread) {
                                    return thread.state != Thread::State::Done;
                                  });
        fail(program.instructions[stuck->next],
             fmt::format("thread {} waits for threads that never come",
                         stuck - threads.begin()));
      }
      continue;
    }
    std::shuffle(ready.begin(), ready.end(), random);
    for (int64_t t : ready)
      runThread(t);
  }
  return problem;
}

} // namespace

DeviceBuffer::DeviceBuffer(int64_t elements, int64_t elementBytes)
    : elements(elements), elementBytes(elementBytes),
      bytes(elements * elementBytes, std::byte(0xcd)), memory(bytes.data()),
      accesses(elements) {}

void DeviceBuffer::fill(const void *contents) {
  std::memcpy(bytes.data(), contents, bytes.size());
  for (Access &access : accesses)
    access.isInitialized = true;
}

std::string run(const DeviceProgram &program,
                llvm::ArrayRef<DeviceBuffer *> arguments,
                std::mt19937_64 &random, int64_t *sectors) {
  BlockRun block(program, arguments, random);
  std::vector<int64_t> order(program.blocks);
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), random);
  for (int64_t number : order) {
    if (std::string problem = block.run(number); !problem.empty())
      return problem;
    if (sectors)
      *sectors += block.sectorsTouched();
  }
  return "";
}

} // namespace shardsmith::emulator

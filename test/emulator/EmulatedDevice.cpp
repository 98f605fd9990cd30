// SPDX-License-Identifier: Apache-2.0

#include "EmulatedDevice.h"

#include "Emulator.h"
#include "Gelu.h"

#include "shardsmith/Runtime/Failure.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace shardsmith::emulator {
namespace {

Touch reads(device::Address begin, int64_t bytes) {
  return {begin, begin + static_cast<uint64_t>(bytes), false};
}
Touch writes(device::Address begin, int64_t bytes) {
  return {begin, begin + static_cast<uint64_t>(bytes), true};
}

/// Bytes from the first to behind the last element of an operand.
int64_t extentOf(const smith_gemm &gemm, const int64_t *batchStride,
                 int64_t rows, int64_t columns, int64_t rowStride,
                 int64_t columnStride, smith_dtype type) {
  int64_t last = (rows - 1) * rowStride + (columns - 1) * columnStride;
  for (int32_t i = 0; i < gemm.batch_count; ++i)
    last += (gemm.batch[i] - 1) * batchStride[i];
  return (last + 1) * runtime::byteSize(type);
}

/// Where an element of the result lies, and its column.
struct ProductElement {
  int64_t place, column;
};

std::vector<ProductElement> elementsOf(const smith_gemm &gemm) {
  std::vector<int64_t> matrices{0};
  for (int32_t i = 0; i < gemm.batch_count; ++i) {
    std::vector<int64_t> next;
    for (int64_t matrix : matrices)
      for (int64_t at = 0; at < gemm.batch[i]; ++at)
        next.push_back(matrix + at * gemm.c_batch_stride[i]);
    matrices = std::move(next);
  }
  std::vector<ProductElement> elements;
  for (int64_t matrix : matrices)
    for (int64_t row = 0; row < gemm.m; ++row)
      for (int64_t column = 0; column < gemm.n; ++column)
        elements.push_back(
            {matrix + row * gemm.c_m_stride + column * gemm.c_n_stride,
             column});
  return elements;
}

bool isEmpty(const smith_gemm &gemm) {
  int64_t size = gemm.m * gemm.n;
  for (int32_t i = 0; i < gemm.batch_count; ++i)
    size *= gemm.batch[i];
  return size == 0;
}

} // namespace

EmulatedDevice::EmulatedDevice(Machine &machine, int rank)
    : machine(machine), rank(rank) {}

device::Address EmulatedDevice::allocate(int64_t bytes) {
  constexpr int64_t alignment = 256;
  auto owned = std::make_unique<std::byte[]>(bytes + alignment);
  // Not a number, whatever the type of float.
  std::memset(owned.get(), 0xff, bytes + alignment);
  auto begin = reinterpret_cast<device::Address>(owned.get());
  begin = (begin + alignment - 1) / alignment * alignment;
  blocks.push_back({std::move(owned), begin, bytes});
  return begin;
}

std::byte *EmulatedDevice::allocateOnHost(int64_t bytes) {
  hostBlocks.push_back(std::make_unique<std::byte[]>(bytes));
  return hostBlocks.back().get();
}

device::Stream EmulatedDevice::makeStream(const std::string &name) {
  streams.push_back({name, {}, 0, 0});
  order.addStream(name);
  return {static_cast<int>(streams.size()) - 1};
}

device::Event EmulatedDevice::makeEvent() {
  events.emplace_back();
  return {static_cast<int>(events.size()) - 1};
}

device::Function EmulatedDevice::findFunction(const std::string &name) {
  for (size_t i = 0; i < machine.functions.size(); ++i)
    if (machine.functions[i].program.name == name)
      return {static_cast<int>(i)};
  machine.fail(fmt::format("there is no function '{}'", name));
}

void EmulatedDevice::checkMemory(const std::string &work, const Touch &touch) {
  for (const MemoryBlock &block : blocks)
    if (touch.begin >= block.begin &&
        touch.end <= block.begin + static_cast<uint64_t>(block.bytes))
      return;
  machine.fail(fmt::format("'{}' {} {} bytes at {:#x}, which are outside of "
                           "this device's memory",
                           work, touch.isWrite ? "writes" : "reads",
                           touch.end - touch.begin, touch.begin));
}

void EmulatedDevice::add(device::Stream stream, StreamWork work,
                         const std::vector<Touch> &touches) {
  for (const Touch &touch : touches)
    checkMemory(work.name, touch);
  if (machine.options.checksOrder) {
    std::string problem = order.add(stream.number, work.name, touches);
    if (!problem.empty())
      machine.fail(problem);
  }
  StreamQueue &queue = streams[stream.number];
  queue.work.push_back(std::move(work));
  ++queue.added;
  machine.maybeGoOn(rank);
}

void EmulatedDevice::record(device::Stream stream, device::Event event) {
  StreamWork work;
  work.name = "event";
  work.records = event.number;
  work.version = ++events[event.number].recorded;
  order.record(stream.number, event.number);
  add(stream, std::move(work), {});
}

void EmulatedDevice::wait(device::Stream stream, device::Event event) {
  if (events[event.number].recorded == 0)
    machine.fail(fmt::format("stream '{}' waits for an event that was never "
                             "recorded",
                             streams[stream.number].name));
  StreamWork work;
  work.name = "wait for an event";
  work.waits = event.number;
  work.version = events[event.number].recorded;
  order.wait(stream.number, event.number);
  add(stream, std::move(work), {});
}

void EmulatedDevice::copyToDevice(device::Stream stream, device::Address to,
                                  const void *from, int64_t bytes) {
  StreamWork work;
  work.name = fmt::format("copy of {} bytes from the host", bytes);
  work.run = [=] { std::memcpy(pointer(to), from, bytes); };
  add(stream, std::move(work), {writes(to, bytes)});
}

void EmulatedDevice::copyToHost(device::Stream stream, void *to,
                                device::Address from, int64_t bytes) {
  StreamWork work;
  work.name = fmt::format("copy of {} bytes to the host", bytes);
  work.run = [=] { std::memcpy(to, pointer(from), bytes); };
  add(stream, std::move(work), {reads(from, bytes)});
}

void EmulatedDevice::copy(device::Stream stream,
                          const device::StridedCopy &copy) {
  std::vector<Touch> touches;
  for (int64_t row = 0; row < copy.rows; ++row) {
    touches.push_back(reads(copy.from + row * copy.fromPitch, copy.rowBytes));
    touches.push_back(writes(copy.to + row * copy.toPitch, copy.rowBytes));
  }
  StreamWork work;
  work.name = fmt::format("copy of {} x {} bytes", copy.rows, copy.rowBytes);
  work.run = [=] {
    for (int64_t row = 0; row < copy.rows; ++row)
      std::memcpy(pointer(copy.to + row * copy.toPitch),
                  pointer(copy.from + row * copy.fromPitch), copy.rowBytes);
  };
  add(stream, std::move(work), touches);
}

void EmulatedDevice::fill(device::Stream stream, device::Address to,
                          uint32_t word, int64_t words) {
  if (to % sizeof(word) != 0)
    machine.fail(fmt::format("fill at {:#x}, which is no multiple of 4", to));
  StreamWork work;
  work.name = fmt::format("fill of {} words", words);
  work.run = [=] {
    for (int64_t i = 0; i < words; ++i)
      std::memcpy(pointer(to) + i * sizeof(word), &word, sizeof(word));
  };
  add(stream, std::move(work),
      {writes(to, words * static_cast<int64_t>(sizeof(word)))});
}

void EmulatedDevice::launch(device::Stream stream, device::Function function,
                            int64_t grid, int64_t block,
                            std::span<const device::Address> arguments) {
  const MachineFunction &called = machine.functions[function.number];
  const DeviceProgram &program = called.program;
  auto expected =
      std::ranges::count(program.memories, false, &MemoryShape::isShared);
  if (std::ssize(arguments) != expected || grid != program.blocks ||
      block != program.threads)
    machine.fail(fmt::format(
        "'{}' is launched with {} blocks of {} threads and {} arguments, but "
        "has {} blocks of {} threads and {} arguments",
        program.name, grid, block, arguments.size(), program.blocks,
        program.threads, expected));
  std::vector<Touch> touches;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const MemoryShape &shape = program.memories[i];
    int64_t bytes = shape.elements * shape.elementBytes;
    if (arguments[i] % 256 != 0)
      machine.fail(fmt::format("'{}': argument {} is not at a multiple of 256 "
                               "bytes",
                               program.name, i));
    if (called.reads[i])
      touches.push_back(reads(arguments[i], bytes));
    if (called.writes[i])
      touches.push_back(writes(arguments[i], bytes));
  }
  StreamWork work;
  work.name = program.name;
  work.run = [this, &program,
              places = std::vector<device::Address>(arguments.begin(),
                                                    arguments.end())] {
    std::vector<DeviceBuffer> buffers;
    std::vector<DeviceBuffer *> pointers;
    buffers.reserve(places.size());
    for (size_t i = 0; i < places.size(); ++i) {
      const MemoryShape &shape = program.memories[i];
      buffers.emplace_back(pointer(places[i]), shape.elements,
                           shape.elementBytes);
      pointers.push_back(&buffers.back());
    }
    std::string problem = emulator::run(program, pointers, machine.random);
    if (!problem.empty())
      machine.fail(problem);
  };
  add(stream, std::move(work), touches);
}

static bool isOfEightBits(const smith_gemm &gemm) {
  return runtime::byteSize(gemm.a_dtype) == 1;
}

bool EmulatedDevice::multiply(device::Stream stream, const smith_gemm &gemm,
                              const device::ProductAddresses &wanted) {
  device::ProductAddresses at = wanted;
  if (!machine.options.hasEpilogues)
    at.gelu.reset();
  if (isEmpty(gemm))
    return true;
  StreamWork work;
  work.name = fmt::format("product of {} x {} x {}", gemm.m, gemm.n, gemm.k);
  work.run = [this, gemm, at] {
    if (at.sum || at.bias || at.gelu || isOfEightBits(gemm))
      addProduct(gemm, at);
    else
      gemms.run(gemm, pointer(at.a), pointer(at.b), pointer(at.c));
  };
  int64_t extent = extentOf(gemm, gemm.c_batch_stride, gemm.m, gemm.n,
                            gemm.c_m_stride, gemm.c_n_stride, gemm.c_dtype);
  std::vector<Touch> touches{writes(at.c, extent)};
  if (at.gelu && *at.gelu != at.c)
    touches.push_back(writes(*at.gelu, extent));
  if (at.sum)
    touches.push_back(reads(*at.sum, extent));
  if (at.bias)
    touches.push_back(
        reads(*at.bias, gemm.n * runtime::byteSize(gemm.c_dtype)));
  if (at.scale)
    touches.push_back(reads(*at.scale, runtime::byteSize(SMITH_F32)));
  if (gemm.k > 0) {
    touches.push_back(
        reads(at.a, extentOf(gemm, gemm.a_batch_stride, gemm.m, gemm.k,
                             gemm.a_m_stride, gemm.a_k_stride, gemm.a_dtype)));
    touches.push_back(
        reads(at.b, extentOf(gemm, gemm.b_batch_stride, gemm.k, gemm.n,
                             gemm.b_k_stride, gemm.b_n_stride, gemm.b_dtype)));
  }
  add(stream, std::move(work), touches);
  return at.gelu == wanted.gelu;
}

/// A matrix of eight bits in f32, its elements where they were.
static std::vector<float> widened(const std::byte *data, int64_t elements,
                                  smith_dtype type) {
  std::vector<float> wide(static_cast<size_t>(elements));
  for (int64_t i = 0; i < elements; ++i)
    wide[static_cast<size_t>(i)] =
        static_cast<float>(runtime::loadAsDouble(type, data, i));
  return wide;
}

// oneDNN has no floats of eight bits here.
void EmulatedDevice::runProduct(const smith_gemm &gemm,
                                const device::ProductAddresses &at,
                                std::byte *result) {
  if (!isOfEightBits(gemm))
    return gemms.run(gemm, pointer(at.a), pointer(at.b), result);
  std::vector<float> a =
      widened(pointer(at.a),
              extentOf(gemm, gemm.a_batch_stride, gemm.m, gemm.k,
                       gemm.a_m_stride, gemm.a_k_stride, gemm.a_dtype),
              gemm.a_dtype);
  std::vector<float> b =
      widened(pointer(at.b),
              extentOf(gemm, gemm.b_batch_stride, gemm.k, gemm.n,
                       gemm.b_k_stride, gemm.b_n_stride, gemm.b_dtype),
              gemm.b_dtype);
  smith_gemm wide = gemm;
  wide.a_dtype = wide.b_dtype = SMITH_F32;
  gemms.run(wide, a.data(), b.data(), result);
}

// The product is not rounded before all is added, nor before its GELU.
void EmulatedDevice::addProduct(const smith_gemm &gemm,
                                const device::ProductAddresses &at) {
  smith_gemm wide = gemm;
  wide.c_dtype = gemm.c_dtype == SMITH_F64 ? SMITH_F64 : SMITH_F32;
  int64_t extent = extentOf(gemm, gemm.c_batch_stride, gemm.m, gemm.n,
                            gemm.c_m_stride, gemm.c_n_stride, wide.c_dtype);
  std::vector<std::byte> products(static_cast<size_t>(extent));
  runProduct(wide, at, products.data());
  double scale =
      at.scale ? runtime::loadAsDouble(SMITH_F32, pointer(*at.scale), 0) : 1;
  for (const ProductElement &element : elementsOf(gemm)) {
    double value = scale * runtime::loadAsDouble(wide.c_dtype, products.data(),
                                                 element.place);
    if (at.sum)
      value +=
          runtime::loadAsDouble(gemm.c_dtype, pointer(*at.sum), element.place);
    if (at.bias)
      value += runtime::loadAsDouble(gemm.c_dtype, pointer(*at.bias),
                                     element.column);
    runtime::storeFromDouble(gemm.c_dtype, pointer(at.c), element.place, value);
    if (at.gelu)
      runtime::storeFromDouble(gemm.c_dtype, pointer(*at.gelu), element.place,
                               gelu(value));
  }
}

void EmulatedDevice::synchronize(device::Stream stream) {
  StreamQueue &queue = streams[stream.number];
  order.hostWaits(stream.number);
  machine.waitUntil(
      rank, fmt::format("stream '{}'", queue.name),
      [&queue, until = queue.added] { return queue.ended >= until; });
}

bool EmulatedDevice::canGoOn(const StreamWork &work) {
  if (work.waits >= 0)
    return events[work.waits].ended >= work.version;
  for (const ExchangePart &part : work.parts)
    if (!part.isDone && !partners(const_cast<ExchangePart &>(part)).empty())
      return true;
  return work.parts.empty();
}

std::vector<size_t> EmulatedDevice::readyStreams() {
  std::vector<size_t> ready;
  for (size_t i = 0; i < streams.size(); ++i)
    if (!streams[i].work.empty() && canGoOn(streams[i].work.front()))
      ready.push_back(i);
  return ready;
}

void EmulatedDevice::goOn(size_t stream) {
  StreamWork &work = streams[stream].work.front();
  if (work.records >= 0)
    events[work.records].ended = work.version;
  if (work.run)
    work.run();
  for (ExchangePart &part : work.parts)
    if (!part.isDone)
      if (std::vector<ExchangePart *> met = partners(part); !met.empty()) {
        complete(met);
        break;
      }
  // What others waited for together with this device has ended, too.
  for (const auto &other : machine.devices)
    for (StreamQueue &queue : other->streams) {
      if (queue.work.empty())
        continue;
      const StreamWork &front = queue.work.front();
      bool isOwn = other.get() == this && &front == &work;
      bool isDone =
          front.parts.empty()
              ? isOwn
              : std::ranges::all_of(front.parts, &ExchangePart::isDone);
      if (isDone) {
        queue.work.pop_front();
        ++queue.ended;
      }
    }
}

std::string EmulatedDevice::describeWaits() const {
  std::string text;
  for (const StreamQueue &queue : streams)
    if (!queue.work.empty())
      text += fmt::format("; stream '{}' waits at {}", queue.name,
                          queue.work.front().name);
  return text;
}

bool EmulatedDevice::isIdle() const {
  return std::ranges::all_of(
      streams, [](const StreamQueue &queue) { return queue.work.empty(); });
}

} // namespace shardsmith::emulator

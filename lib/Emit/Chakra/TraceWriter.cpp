// SPDX-License-Identifier: Apache-2.0

#include "TraceWriter.h"

namespace shardsmith::emit::chakra {
namespace {

constexpr std::string_view formatVersion = "0.0.4";
/// Pieces of a file are about as large as this.
constexpr size_t pieceSize = size_t(1) << 16;

/// The kinds of fields that occur here.
enum class Wire { Varint = 0, Length = 2 };

void putVarint(std::string &text, uint64_t value) {
  for (; value >= 0x80; value >>= 7)
    text.push_back(char(0x80 | (value & 0x7f)));
  text.push_back(char(value));
}

void putKey(std::string &text, unsigned field, Wire wire) {
  putVarint(text, uint64_t(field) << 3 | uint64_t(wire));
}

void putNumber(std::string &text, unsigned field, uint64_t value) {
  putKey(text, field, Wire::Varint);
  putVarint(text, value);
}

void putText(std::string &text, unsigned field, std::string_view value) {
  putKey(text, field, Wire::Length);
  putVarint(text, value.size());
  text += value;
}

/// Fields of `Node`.
namespace node {
constexpr unsigned id = 1, name = 2, type = 3, dataDependency = 5,
                   microseconds = 7, attribute = 10;
} // namespace node

/// Fields of `AttributeProto`: its name, and a value of one of the types.
namespace attribute {
constexpr unsigned name = 1, int64 = 9, uint32 = 11, uint64 = 13, boolean = 27,
                   text = 29;
} // namespace attribute

class Attributes {
public:
  explicit Attributes(std::string &message) : message(message) {}

  void number(std::string_view name, unsigned field, uint64_t value) {
    begin(name);
    putNumber(inner, field, value);
    putText(message, node::attribute, inner);
  }
  void text(std::string_view name, std::string_view value) {
    begin(name);
    putText(inner, attribute::text, value);
    putText(message, node::attribute, inner);
  }

private:
  void begin(std::string_view name) {
    inner.clear();
    putText(inner, attribute::name, name);
  }

  std::string &message;
  std::string inner;
};

} // namespace

TraceWriter::TraceWriter(const TextSink &sink) : sink(sink) {
  constexpr unsigned version = 1;
  putText(message, version, formatVersion);
  writeMessage(message);
}

TraceWriter::~TraceWriter() { flush(); }

void TraceWriter::write(const Node &it) {
  message.clear();
  putNumber(message, node::id, it.id);
  putText(message, node::name, it.name);
  putNumber(message, node::type, uint64_t(it.type));
  for (uint64_t dependency : it.dependencies)
    putNumber(message, node::dataDependency, dependency);
  putNumber(message, node::microseconds, it.microseconds);
  Attributes attributes(message);
  attributes.number("is_cpu_op", attribute::boolean, 0);
  if (it.type == NodeType::Compute) {
    attributes.number("num_ops", attribute::uint64, it.operations);
    attributes.number("tensor_size", attribute::uint64, it.tensorBytes);
  } else {
    attributes.number("comm_size", attribute::uint64, it.messageBytes);
    if (it.type == NodeType::Collective) {
      attributes.number("comm_type", attribute::int64, uint64_t(it.collective));
      attributes.text("pg_name", it.group);
    } else {
      attributes.number("comm_src", attribute::uint32, it.source);
      attributes.number("comm_dst", attribute::uint32, it.destination);
      attributes.number("comm_tag", attribute::uint32, it.tag);
    }
  }
  writeMessage(message);
}

void TraceWriter::writeMessage(std::string_view message) {
  putVarint(buffer, message.size());
  buffer += message;
  if (buffer.size() >= pieceSize)
    flush();
}

void TraceWriter::flush() {
  if (!buffer.empty())
    sink(buffer);
  buffer.clear();
}

} // namespace shardsmith::emit::chakra

// SPDX-License-Identifier: Apache-2.0
//
// A call that stands for several is printed once and written out as text:
//
//     @main(…, %arg7: … "layers.1.w" …, %arg8: …)    its parameters, R times
//       %4 = call @layer(%3, %arg7) {stage, …}       R lines: %4 from %3,
//       %5 = add %4, %arg8                           %5 from %4, …
//
// Numbers of values and arguments behind it grow by what is added before them.

#include "shardsmith/ValueLayouts/Annotate/AnnotatedText.h"

#include "shardsmith/Dialect/Smith/Smith.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/StringSaver.h"

#include <charconv>
#include <map>

using namespace mlir;

namespace shardsmith {
namespace {

using namespace workload;

/// A stretch of text, and the number behind it that may change.
struct Piece {
  enum class Number { None, Value, Argument, Layer };
  StringRef text;
  Number kind = Number::None;
  int64_t number = 0;
};

/// Cuts text behind `%`, `%arg` and, in strings, behind `layers`.
std::vector<Piece> cutAtNumbers(StringRef text, StringRef layers = {}) {
  std::vector<Piece> pieces;
  size_t begin = 0;
  auto cut = [&](size_t end, Piece::Number kind) {
    StringRef digits =
        text.substr(end).take_while([](char c) { return llvm::isDigit(c); });
    int64_t number = 0;
    if (digits.empty() || digits.getAsInteger(10, number))
      return end;
    pieces.push_back({text.slice(begin, end), kind, number});
    begin = end + digits.size();
    return begin;
  };
  for (size_t at = 0; at < text.size();) {
    StringRef rest = text.substr(at);
    if (rest.starts_with("%arg")) {
      at = cut(at + 4, Piece::Number::Argument);
    } else if (rest.front() == '%') {
      at = cut(at + 1, Piece::Number::Value);
    } else if (rest.front() == '"') {
      ++at;
      if (!layers.empty() && text.substr(at).starts_with(layers))
        at = cut(at + layers.size(), Piece::Number::Layer);
      while (at < text.size() && text[at] != '"')
        at += text[at] == '\\' ? 2 : 1;
      ++at;
    } else {
      ++at;
    }
  }
  pieces.push_back({text.substr(begin)});
  return pieces;
}

/// A repeated call as it is printed.
struct PrintedCall {
  int64_t repetitions = 1;
  /// The parameters of its first repetition: their numbers, and their text in
  /// the signature of @main.
  int64_t firstArgument = 0, arguments = 0;
  size_t signatureBegin = 0, signatureEnd = 0;
  std::vector<Piece> signature;
  /// The line of the call, up to the marks of stage and recomputation and
  /// behind them.
  size_t lineBegin = 0, lineEnd = 0;
  std::vector<Piece> line;
  StringRef tail;
  int64_t result = 0;
  /// The marks of each repetition.
  ArrayRef<StringRef> marks;
};

class Unfolder {
public:
  explicit Unfolder(StringRef text) : text(text) {
    mainBegin = text.find("func.func public @main(");
    bodyBegin = text.find('\n', mainBegin);
    mainEnd = text.find("\n  }\n", bodyBegin);
  }

  /// Adds a call, in program order. Its line is found by `mark`, which stands
  /// in the place of its marks.
  void add(const smith::RepeatedCall &repeated, StringRef mark,
           ArrayRef<StringRef> marks) {
    PrintedCall call;
    call.repetitions = repeated.count;
    call.marks = marks;
    findParameters(repeated, call);
    size_t marked = text.find(mark, bodyBegin);
    call.lineBegin = text.take_front(marked).rfind('\n') + 1;
    call.lineEnd = text.find('\n', marked) + 1;
    call.line = cutAtNumbers(text.slice(call.lineBegin, marked));
    call.tail = text.slice(marked + mark.size(), call.lineEnd);
    call.result = call.line.front().number;
    calls.push_back(std::move(call));
  }

  std::string run() {
    size_t done = mainBegin;
    result.reserve(length());
    result = text.take_front(done);
    for (const PrintedCall &call : calls) {
      copy(done, call.signatureBegin);
      for (int64_t repetition = 0; repetition < call.repetitions; ++repetition)
        for (const Piece &piece : call.signature)
          write(piece, piece.kind == Piece::Number::Layer
                           ? piece.number + repetition
                           : numberIn(call, piece, repetition));
      done = call.signatureEnd;
    }
    for (const PrintedCall &call : calls) {
      copy(done, call.lineBegin);
      for (int64_t repetition = 0; repetition < call.repetitions; ++repetition)
        writeLine(call, repetition);
      done = call.lineEnd;
    }
    copy(done, mainEnd);
    result += text.substr(mainEnd);
    return std::move(result);
  }

private:
  /// About as much as will be written.
  size_t length() const {
    constexpr size_t longerNumbers = 64;
    size_t sum = text.size();
    for (const PrintedCall &call : calls)
      sum += size_t(call.repetitions) *
             (call.signatureEnd - call.signatureBegin + call.lineEnd -
              call.lineBegin + longerNumbers);
    return sum;
  }

  void findParameters(const smith::RepeatedCall &repeated, PrintedCall &call) {
    const std::string &layers = repeated.prefix;
    std::string name = smith::kNameAttributeName.str() + " = \"" + layers +
                       std::to_string(repeated.first) + '.';
    StringRef signature = text.slice(0, bodyBegin);
    size_t first = signature.find(name, mainBegin);
    call.signatureBegin = signature.take_front(first).rfind("%arg");
    call.signatureEnd = signature.find("%arg", signature.rfind(name));
    call.signature = cutAtNumbers(
        text.slice(call.signatureBegin, call.signatureEnd), layers);
    call.firstArgument = call.signature.front().number;
    call.arguments = llvm::count_if(call.signature, [](const Piece &piece) {
      return piece.kind == Piece::Number::Argument;
    });
  }

  /// The number behind the piece once all calls are written out. Calls before
  /// it have added values and arguments; the result of a call becomes that of
  /// its last repetition.
  int64_t shifted(const Piece &piece) const {
    int64_t number = piece.number;
    for (const PrintedCall &call : calls) {
      int64_t more = call.repetitions - 1;
      if (piece.kind == Piece::Number::Value && piece.number >= call.result)
        number += more;
      if (piece.kind == Piece::Number::Argument &&
          piece.number >= call.firstArgument + call.arguments)
        number += more * call.arguments;
    }
    return number;
  }

  /// An argument of the call's own belongs to the repetition.
  int64_t numberIn(const PrintedCall &call, const Piece &piece,
                   int64_t repetition) const {
    bool isOwn = piece.kind == Piece::Number::Argument &&
                 piece.number >= call.firstArgument &&
                 piece.number < call.firstArgument + call.arguments;
    return shifted(piece) + (isOwn ? repetition * call.arguments : 0);
  }

  /// Writes one repetition. The first number of a line is its result, the
  /// second the value that goes from repetition to repetition.
  void writeLine(const PrintedCall &call, int64_t repetition) {
    int64_t own = shifted(call.line[0]) - (call.repetitions - 1) + repetition;
    write(call.line[0], own);
    write(call.line[1], repetition == 0 ? shifted(call.line[1]) : own - 1);
    for (const Piece &piece : ArrayRef(call.line).drop_front(2))
      write(piece, numberIn(call, piece, repetition));
    result += call.marks[size_t(repetition)];
    result += call.tail;
  }

  void copy(size_t begin, size_t end) {
    for (const Piece &piece : cutAtNumbers(text.slice(begin, end)))
      write(piece, shifted(piece));
  }

  void write(const Piece &piece, int64_t number) {
    result.append(piece.text.data(), piece.text.size());
    if (piece.kind == Piece::Number::None)
      return;
    char digits[20];
    char *end = std::to_chars(digits, digits + sizeof(digits), number).ptr;
    result.append(digits, end);
  }

  StringRef text;
  size_t mainBegin, bodyBegin, mainEnd;
  std::vector<PrintedCall> calls;
  std::string result;
};

std::string print(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  OpPrintingFlags flags;
  flags.useLocalScope();
  module.print(stream, flags);
  stream << '\n';
  return text;
}

std::string marksOf(int64_t stage, std::string_view recompute) {
  return smith::kRecomputeAttributeName.str() + " = \"" +
         std::string(recompute) + "\", " + smith::kStageAttributeName.str() +
         " = " + std::to_string(stage) + " : i64";
}

/// The marks of every unit of the chain, whose text `saver` keeps.
std::vector<StringRef> marksOf(const Strategy &strategy,
                               llvm::StringSaver &saver) {
  std::vector<StringRef> marks;
  for (auto [number, stage] : llvm::enumerate(strategy.stages)) {
    std::map<Recompute, StringRef> known;
    for (Recompute choice : stage.recompute) {
      auto [entry, isNew] = known.try_emplace(choice);
      if (isNew)
        entry->second = saver.save(marksOf(int64_t(number), nameOf(choice)));
      marks.push_back(entry->second);
    }
  }
  return marks;
}

} // namespace

std::string annotatedText(ModuleOp module, const smith::RepeatedCalls &repeated,
                          const GraphMap &map, const Strategy &strategy) {
  if (repeated.empty())
    return print(module);
  // No model has so many stages: that is how the line is found.
  constexpr int64_t noStage = int64_t(1) << 30;
  auto numberOf = [](size_t index) { return noStage + int64_t(index); };
  Builder builder(module.getContext());
  SmallVector<Attribute> stages;
  for (auto [index, each] : llvm::enumerate(repeated)) {
    stages.push_back(each.call->getAttr(smith::kStageAttributeName));
    each.call->setAttr(smith::kStageAttributeName,
                       builder.getI64IntegerAttr(numberOf(index)));
  }
  std::string text = print(module);
  for (auto [stage, each] : llvm::zip_equal(stages, repeated))
    each.call->setAttr(smith::kStageAttributeName, stage);

  Unfolder unfolder(text);
  llvm::BumpPtrAllocator allocator;
  llvm::StringSaver saver(allocator);
  std::vector<StringRef> marks = marksOf(strategy, saver);
  size_t mark = 0;
  size_t next = 0;
  for (const GraphUnit &unit : map.units) {
    if (next < repeated.size() && unit.call == repeated[next].call) {
      auto recompute =
          unit.call->getAttrOfType<StringAttr>(smith::kRecomputeAttributeName);
      unfolder.add(repeated[next],
                   marksOf(numberOf(next), recompute.getValue()),
                   ArrayRef(marks).slice(mark, size_t(unit.count)));
      ++next;
    }
    mark += size_t(unit.count);
  }
  return unfolder.run();
}

} // namespace shardsmith

// SPDX-License-Identifier: Apache-2.0

#include "Format.h"

#include "Failure.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstring>

namespace shardsmith::onnx {
namespace {

/// A file that is open while this lives.
class OpenFile {
public:
  explicit OpenFile(const std::string &path)
      : descriptor(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (descriptor < 0)
      badInput("cannot read \"{}\": {}", path, std::strerror(errno));
    struct stat status{};
    if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
      close(descriptor);
      badInput("\"{}\" is not a file that can be read as an ONNX model", path);
    }
    bytes = status.st_size;
  }
  OpenFile(const OpenFile &) = delete;
  OpenFile &operator=(const OpenFile &) = delete;
  ~OpenFile() { close(descriptor); }

  int descriptor;
  int64_t bytes = 0;
};

} // namespace

format::Model readModelFile(const std::string &path) {
  OpenFile file(path);
  if (file.bytes == 0)
    badInput("model file \"{}\" is empty", path);
  if (file.bytes > INT_MAX)
    badInput("\"{}\" has {} bytes; an ONNX file has at most 2 GiB: store its "
             "weights as external data in its folder",
             path, file.bytes);
  google::protobuf::io::FileInputStream stream(file.descriptor);
  google::protobuf::io::CodedInputStream input(&stream);
  // No length in the file may make the parser take more than the file holds.
  input.SetTotalBytesLimit(static_cast<int>(file.bytes) + 1);
  format::Model model;
  if (!model.ParseFromCodedStream(&input) || !input.ConsumedEntireMessage())
    badInput("\"{}\" is not an ONNX model, or it is truncated: its {} bytes "
             "are no protocol buffer (near byte {})",
             path, file.bytes, input.CurrentPosition());
  if (!model.has_graph())
    badInput("\"{}\" holds no graph, so it is no ONNX model", path);
  return model;
}

int64_t
opsetOf(const google::protobuf::RepeatedPtrField<format::OperatorSet> &sets) {
  for (const format::OperatorSet &set : sets) {
    if (!isStandardDomain(set.domain()))
      continue;
    if (set.version() < oldestOpset || set.version() > newestOpset)
      unsupported("opset {}: versions {} to {} of ONNX's operator set are "
                  "read; export the model with one of them",
                  set.version(), oldestOpset, newestOpset);
    return set.version();
  }
  badInput("the file does not say which version of ONNX's operator set it "
           "uses (opset_import)");
}

} // namespace shardsmith::onnx

// SPDX-License-Identifier: Apache-2.0
//
//         GPU0    GPU1    NIC0    CPU Affinity    NUMA Affinity
// GPU0     X      NV18    PIX     0-47            0
// GPU1    NV18     X      SYS     0-47            0
// NIC0    PIX     SYS      X
//
// NIC Legend:
//   NIC0: mlx5_0

#include "Readers.h"
#include "Words.h"

#include <fmt/format.h>

#include <cctype>

namespace shardsmith::detect {
namespace {

bool isDevice(std::string_view name) {
  return name.starts_with("GPU") && name.size() > 3 &&
         wholeNumber(name.substr(3), mostDevices).has_value();
}

/// Older tables name interfaces as the system does.
bool isInterface(std::string_view name) {
  if (name.starts_with("NIC"))
    return wholeNumber(name.substr(3), mostDevices).has_value();
  return name.starts_with("mlx") || name.starts_with("bnxt_re") ||
         name.starts_with("irdma") || name.starts_with("rdmap");
}

bool isLink(std::string_view word) {
  for (std::string_view known : {"X", "PIX", "PXB", "PHB", "NODE", "SYS"})
    if (word == known)
      return true;
  return word.starts_with("NV") && wholeNumber(word.substr(2), 64).has_value();
}

/// A line of `nvidia-smi -L`: "GPU 0: NVIDIA H100 80GB HBM3 (UUID: …)".
std::string_view listedProduct(std::string_view line) {
  size_t colon = line.find(": ");
  if (!line.starts_with("GPU ") || colon == std::string_view::npos ||
      !wholeNumber(line.substr(4, colon - 4), mostDevices))
    return {};
  std::string_view rest = line.substr(colon + 2);
  return trimmed(rest.substr(0, rest.find(" (UUID")));
}

class Table {
public:
  Found read(std::string_view text, std::string &error) {
    size_t number = 0;
    for (const std::string &line : plainLines(text)) {
      ++number;
      if (!readLine(line)) {
        error = fmt::format("line {}: {}", number, problem);
        return std::nullopt;
      }
    }
    return finish(error);
  }

private:
  bool readLine(const std::string &line) {
    if (std::string_view product = listedProduct(line); !product.empty())
      return readProduct(product);
    std::vector<std::string> fields = words(line);
    if (fields.empty())
      return true;
    if (columns.empty() && fields.size() > 1 && isDevice(fields[0]) &&
        (isDevice(fields[1]) || isInterface(fields[1]) || fields[1] == "CPU"))
      return readHeader(fields);
    if (!columns.empty() && isDevice(fields[0]) && devices.size() < deviceCount)
      return readRow(fields);
    // "NIC0: mlx5_0" of the legend.
    if (fields.size() == 2 && fields[0].ends_with(":") &&
        isInterface(fields[0].substr(0, fields[0].size() - 1)))
      legend.emplace_back(fields[0].substr(0, fields[0].size() - 1), fields[1]);
    return true;
  }

  bool readProduct(std::string_view product) {
    ++listed;
    if (!node.product.empty() && node.product != product) {
      problem = fmt::format("expected devices of one kind in a node, found "
                            "\"{}\" after \"{}\"",
                            product, node.product);
      return false;
    }
    node.product = product;
    return true;
  }

  bool readHeader(const std::vector<std::string> &fields) {
    for (const std::string &field : fields) {
      if (isDevice(field) && deviceCount == columns.size())
        ++deviceCount;
      else if (!isInterface(field))
        break;
      columns.push_back(field);
    }
    return true;
  }

  bool readRow(const std::vector<std::string> &fields) {
    if (fields.size() < columns.size() + 1) {
      problem = fmt::format("expected {} fields behind {}, one per column, "
                            "found {}",
                            columns.size(), fields[0], fields.size() - 1);
      return false;
    }
    for (size_t i = 0; i < columns.size(); ++i) {
      if (isLink(fields[i + 1]))
        continue;
      problem = fmt::format("expected X, NV#, PIX, PXB, PHB, NODE or SYS "
                            "between {} and {}, found \"{}\"",
                            fields[0], columns[i], fields[i + 1]);
      return false;
    }
    devices.emplace_back(fields.begin() + 1,
                         fields.begin() + 1 + columns.size());
    return true;
  }

  std::string interfaceName(const std::string &column) const {
    for (const auto &[name, meaning] : legend)
      if (name == column)
        return meaning;
    return column;
  }

  Found finish(std::string &error) {
    if (columns.empty() && listed == 0) {
      error = "expected a line \"GPU0 GPU1 …\" as 'nvidia-smi topo -m' prints, "
              "found none";
      return std::nullopt;
    }
    if (devices.size() != deviceCount) {
      error = fmt::format("expected {} lines of devices below the table's "
                          "head, found {}",
                          deviceCount, devices.size());
      return std::nullopt;
    }
    if (listed > 0 && deviceCount > 0 && listed != deviceCount) {
      error = fmt::format("{} devices are listed, and {} are in the table",
                          listed, deviceCount);
      return std::nullopt;
    }
    node.devices = static_cast<int64_t>(std::max(deviceCount, listed));
    if (deviceCount > 0)
      addLinks();
    FoundNodes found;
    found.kinds.push_back(node);
    return found;
  }

  void addLinks() {
    node.interfaces.emplace();
    for (size_t i = 0; i < columns.size(); ++i) {
      if (i < deviceCount)
        continue;
      FoundInterface interface;
      interface.name = interfaceName(columns[i]);
      for (const std::vector<std::string> &row : devices)
        interface.isNear |= row[i] == "PIX" || row[i] == "PXB";
      node.interfaces->push_back(interface);
    }
    for (const std::vector<std::string> &row : devices)
      node.links.emplace_back(row.begin(), row.begin() + deviceCount);
  }

  NodeFacts node;
  std::vector<std::string> columns;
  size_t deviceCount = 0, listed = 0;
  std::vector<std::vector<std::string>> devices;
  std::vector<std::pair<std::string, std::string>> legend;
  std::string problem;
};

} // namespace

Found readTopologyTable(std::string_view text, std::string &error) {
  return Table().read(text, error);
}

} // namespace shardsmith::detect

// SPDX-License-Identifier: Apache-2.0

#include "Functions.h"

#include "llvm/ADT/STLExtras.h"

namespace shardsmith::onnx {
namespace {

using Attributes = google::protobuf::RepeatedPtrField<format::Attribute>;
using Given = std::map<std::string, const format::Attribute *>;

std::string keyOf(const std::string &domain, const std::string &name,
                  const std::string &overload) {
  // Nothing that a name may hold separates them.
  return (isStandardDomain(domain) ? std::string() : domain) + '\0' + name +
         '\0' + overload;
}

void replaceReferences(google::protobuf::RepeatedPtrField<format::Node> &nodes,
                       const Given &given) {
  for (format::Node &node : nodes) {
    Attributes kept;
    for (format::Attribute &attribute : *node.mutable_attribute()) {
      if (attribute.has_g())
        replaceReferences(*attribute.mutable_g()->mutable_node(), given);
      if (attribute.ref_attr_name().empty()) {
        *kept.Add() = attribute;
      } else if (auto found = given.find(attribute.ref_attr_name());
                 found != given.end()) {
        // An attribute that the call leaves out is left out here.
        format::Attribute &copy = *kept.Add();
        copy = *found->second;
        copy.set_name(attribute.name());
      }
    }
    node.mutable_attribute()->Swap(&kept);
  }
}

} // namespace

Functions::Functions(const format::Model &model) {
  for (const format::Function &function : model.functions())
    byName[keyOf(function.domain(), function.name(), function.overload())] =
        &function;
}

const format::Function *Functions::find(const format::Node &node) const {
  auto found =
      byName.find(keyOf(node.domain(), node.op_type(), node.overload()));
  return found == byName.end() ? nullptr : found->second;
}

format::Function instantiate(const format::Function &function,
                             const format::Node &call) {
  format::Function body = function;
  Given given;
  for (const format::Attribute &attribute : function.attribute_proto())
    given[attribute.name()] = &attribute;
  for (const format::Attribute &attribute : call.attribute())
    given[attribute.name()] = &attribute;
  replaceReferences(*body.mutable_node(), given);
  return body;
}

} // namespace shardsmith::onnx

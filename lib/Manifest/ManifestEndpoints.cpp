//===- ManifestEndpoints.cpp - Endpoints in launch manifests ----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the list "endpoints" of a launch manifest.
//
//===----------------------------------------------------------------------===//

#include "ManifestReader.h"

using namespace llvm;

namespace heddle::rt {

bool Reader::flag(const Node &At) {
  if (!At)
    return false;
  std::optional<bool> Value = At.Value->getAsBoolean();
  if (!Value)
    fail(At, "expected true or false");
  return Value.value_or(false);
}

/// The buffers of a member. All of them are named by something else.
std::vector<EndpointBinding> Reader::bindings(const Node &At) {
  std::vector<EndpointBinding> Found;
  for (size_t N = 0; N != length(At); ++N) {
    Node Item = at(At, N);
    if (!checkObject(Item, {"buffer", "offset"}))
      continue;
    Node Name = require(Item, "buffer"), Offset = get(Item, "offset");
    std::string Wanted = string(Name);
    auto Known = find_if(Result.Buffers,
                         [&](const ArraySpec &B) { return B.Name == Wanted; });
    if (Known == Result.Buffers.end()) {
      fail(Name, "no argument is a buffer \"" + Wanted + "\"");
      continue;
    }
    Found.push_back(
        {size_t(Known - Result.Buffers.begin()), Offset ? natural(Offset) : 0});
  }
  return Found;
}

EndpointSpec Reader::endpoint(const Node &At) {
  EndpointSpec E;
  E.Place = place(At);
  if (!checkObject(At, {"endpoint", "bind", "members", "counts", "fails"}))
    return E;
  E.Id = uint32_t(natural(require(At, "endpoint"), UINT32_MAX));
  E.Counts = flag(get(At, "counts"));
  E.Fails = flag(get(At, "fails"));
  Node Bind = get(At, "bind"), Members = get(At, "members");
  if (bool(Bind) == bool(Members)) {
    fail(At, "expected one of \"bind\" and \"members\"");
    return E;
  }
  E.IsMulticast = bool(Members);
  if (Bind)
    E.Members.push_back(bindings(Bind));
  for (size_t N = 0; Members && N != length(Members); ++N)
    E.Members.push_back(bindings(at(Members, N)));
  return E;
}

void Reader::endpoints(const Node &Root) {
  Node List = get(Root, "endpoints");
  for (size_t N = 0; List && N != length(List); ++N)
    Result.Endpoints.push_back(endpoint(at(List, N)));
}

} // namespace heddle::rt

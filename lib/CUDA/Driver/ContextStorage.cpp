//===- ContextStorage.cpp - What libraries keep with contexts ---*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A map of maps. What is told of a context's end may ask for other values.
//
//===----------------------------------------------------------------------===//

#include "Driver/ContextStorage.h"

using namespace heddle::cuda;

bool ContextStorage::put(ContextHandle *Context, void *Key, void *Value,
                         Ended WhenEnded) {
  std::lock_guard Lock(Mutex);
  return Entries[Context].try_emplace(Key, Value, WhenEnded).second;
}

bool ContextStorage::remove(ContextHandle *Context, void *Key) {
  std::lock_guard Lock(Mutex);
  auto Found = Entries.find(Context);
  return Found != Entries.end() && Found->second.erase(Key) != 0;
}

std::optional<void *> ContextStorage::find(ContextHandle *Context, void *Key) {
  std::lock_guard Lock(Mutex);
  auto OfContext = Entries.find(Context);
  if (OfContext == Entries.end())
    return std::nullopt;
  auto Found = OfContext->second.find(Key);
  if (Found == OfContext->second.end())
    return std::nullopt;
  return Found->second.Value;
}

void ContextStorage::end(ContextHandle *Context) {
  std::map<void *, Entry> Gone;
  {
    std::lock_guard Lock(Mutex);
    if (auto Node = Entries.extract(Context))
      Gone = std::move(Node.mapped());
  }
  for (auto &[Key, E] : Gone)
    if (E.WhenEnded)
      E.WhenEnded(Context, Key, E.Value);
}

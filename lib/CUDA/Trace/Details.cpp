//===- Details.cpp - What is said of events ---------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The words that all formats have for work, and for what is worth knowing of an
// event besides its name.
//
//===----------------------------------------------------------------------===//

#include "Trace/Timeline.h"
#include "llvm/Support/Format.h"

#include <charconv>
#include <cstdlib>

using namespace llvm;

namespace heddle::cuda::trace {

StringRef nameOf(const Work &W) {
  switch (W.Kind) {
  case WorkKind::Kernel:
    return W.Launched->Name;
  case WorkKind::Fill:
    return "fill";
  case WorkKind::Copy:
    break;
  }
  switch (W.Copied) {
  case Direction::ToDevice:
    return "copy to device";
  case Direction::ToHost:
    return "copy to host";
  case Direction::InDevice:
    return "copy";
  case Direction::ToPeer:
    return "copy to peer";
  case Direction::InHost:
    return "copy in host memory";
  }
  return "copy";
}

/// What was appended from \p Begin on.
StringRef Details::keep(size_t Begin) const {
  return StringRef(Texts).drop_front(Begin);
}

void Details::append(uint64_t Number) {
  char Digits[20];
  char *End = std::to_chars(std::begin(Digits), std::end(Digits), Number).ptr;
  Texts.append(std::begin(Digits), End);
}

void Details::addExtents(StringRef Name, const rt::Dim3 &D) {
  size_t Begin = Texts.size();
  append(D.X);
  Texts += ", ";
  append(D.Y);
  Texts += ", ";
  append(D.Z);
  All.emplace_back(Name, keep(Begin));
}

Details::Details(const Call &C) {
  All.emplace_back("correlation", C.Correlation);
  if (!C.Result)
    return;
  if (C.Result < 0)
    Texts += '-';
  append(std::abs(int64_t(C.Result)));
  All.emplace_back("result", keep(0));
}

Details::Details(const Work &W) {
  if (W.Correlation)
    All.emplace_back("correlation", W.Correlation);
  if (W.Kind != WorkKind::Kernel) {
    All.emplace_back("bytes", W.Bytes);
    return;
  }
  const Kernel &K = *W.Launched;
  addExtents("grid", W.Grid);
  addExtents("block", W.Block);
  All.emplace_back("registers", K.Registers);
  All.emplace_back("shared bytes",
                   uint64_t(K.SharedBytes) + W.DynamicSharedBytes);
  if (K.Name != K.Symbol)
    All.emplace_back("symbol", K.Symbol);
}

Details::Details(const Annotation &A) {
  if (!A.Category.empty()) {
    All.emplace_back("category", A.Category);
  } else if (A.CategoryNumber) {
    append(A.CategoryNumber);
    All.emplace_back("category", keep(0));
  }
  size_t Begin = Texts.size();
  if (A.Color) {
    raw_svector_ostream(Texts) << format("#%08x", A.Color);
    All.emplace_back("color", keep(Begin));
  }
  Begin = Texts.size();
  std::visit(
      [&](auto Number) {
        if constexpr (!std::is_same_v<decltype(Number), std::monostate>) {
          Texts += std::to_string(Number);
          All.emplace_back("payload", keep(Begin));
        }
      },
      A.Payload);
}

} // namespace heddle::cuda::trace

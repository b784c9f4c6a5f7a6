//===- Report.cpp - Tables about a code object ------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints relocations and symbols for readers, and sizes for scripts.
//
//===----------------------------------------------------------------------===//

#include "Report.h"

#include "Code.h"
#include "heddle/ISA/ISA.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

using namespace llvm;

namespace heddle::objdump {

void printRelocations(const ObjectFile &Object, raw_ostream &OS) {
  for (auto [Index, S] : enumerate(Object.sections())) {
    ArrayRef<Relocation> Relocs = Object.relocations(Index);
    if (Relocs.empty() || S.Kind == LoadKind::Debug)
      continue;
    OS << "relocations of " << S.Name << ":\n";
    for (const Relocation &R : Relocs) {
      OS << formatv("  {0,-10:x} {1,-20} {2}", R.Offset, relocationName(R.Type),
                    Object.symbols()[R.Symbol].Name);
      if (R.Addend)
        OS << (R.Addend < 0 ? " - " : " + ")
           << (R.Addend < 0 ? 0 - uint64_t(R.Addend) : uint64_t(R.Addend));
      OS << '\n';
    }
  }
}

static StringRef describe(Symbol::BindingKind Binding) {
  switch (Binding) {
  case Symbol::BindingKind::Local:
    return "local";
  case Symbol::BindingKind::Global:
    return "global";
  case Symbol::BindingKind::Weak:
    return "weak";
  }
  return "";
}

static StringRef describe(Symbol::TypeKind Type) {
  switch (Type) {
  case Symbol::TypeKind::None:
    return "";
  case Symbol::TypeKind::Object:
    return "object";
  case Symbol::TypeKind::Function:
    return "function";
  case Symbol::TypeKind::Section:
    return "section";
  case Symbol::TypeKind::File:
    return "file";
  }
  return "";
}

void printSymbols(const ObjectFile &Object, raw_ostream &OS) {
  OS << formatv("{0,-10} {1,-8} {2,-8} {3,-9} {4,-24} {5}\n", "offset", "size",
                "binding", "type", "section", "name");
  for (const Symbol &S : Object.symbols().drop_front()) {
    if (S.Type == Symbol::TypeKind::Section)
      continue;
    StringRef Home = S.Section      ? Object.sections()[*S.Section].Name
                     : S.IsAbsolute ? "(absolute)"
                                    : "(undefined)";
    OS << formatv("{0,-10:x} {1,-8} {2,-8} {3,-9} {4,-24} {5}\n", S.Value,
                  S.Size, describe(S.Binding), describe(S.Type), Home, S.Name);
  }
}

namespace {

/// What of a code section is code, and what is padding behind it.
struct CodeSize {
  uint64_t Bytes = 0, Padding = 0, Instructions = 0;
};

CodeSize measure(const ObjectFile &Object, uint32_t SectionIndex,
                 uint64_t Entry, const Disassembler &D) {
  Code C(Object, SectionIndex, D, 0);
  uint64_t End = C.reachableEnd(Entry);
  CodeSize Size;
  for (const CodeLine &L : C.lines())
    if (L.Offset < Entry)
      continue;
    else if (L.Offset >= End)
      Size.Padding += L.Bytes.size();
    else {
      Size.Bytes += L.Bytes.size();
      Size.Instructions += L.Inst.has_value();
    }
  return Size;
}

void writeSize(json::OStream &J, const ObjectFile &Object, uint32_t SymbolIndex,
               const Disassembler &D) {
  const Symbol &S = Object.symbols()[SymbolIndex];
  CodeSize Size = measure(Object, *S.Section, S.Value, D);
  J.attribute("name", S.Name);
  J.attribute("instructions", int64_t(Size.Instructions));
  J.attribute("bytes", int64_t(Size.Bytes));
  J.attribute("padding_bytes", int64_t(Size.Padding));
}

void writeKernel(json::OStream &J, const ObjectFile &Object, const Kernel &K,
                 const Disassembler &D) {
  writeSize(J, Object, K.Symbol, D);
  const KernelMetadata &M = *K.Metadata;
  J.attribute("registers", M.Registers);
  J.attribute("uniform_registers", M.UniformRegisters);
  J.attribute("spill_store_bytes", M.SpillStoreBytes);
  J.attribute("spill_load_bytes", M.SpillLoadBytes);
  J.attribute("shared_bytes", M.SharedBytes);
  J.attribute("local_bytes", M.LocalBytes);
  J.attribute("barriers", M.Barriers);
  J.attribute("param_bytes", M.ParamBytes);
}

bool isKernel(const ObjectFile &Object, uint32_t SymbolIndex) {
  return any_of(Object.kernels(),
                [&](const Kernel &K) { return K.Symbol == SymbolIndex; });
}

bool isFunction(const ObjectFile &Object, uint32_t SymbolIndex) {
  const Symbol &S = Object.symbols()[SymbolIndex];
  return S.Type == Symbol::TypeKind::Function && S.Section &&
         Object.sections()[*S.Section].Kind == LoadKind::Text &&
         !isKernel(Object, SymbolIndex);
}

} // namespace

void printJSON(const ObjectFile &Object, StringRef Name, raw_ostream &OS) {
  Disassembler D(Object.metadata().Chip);
  json::OStream J(OS, 2);
  J.object([&] {
    J.attribute("file", Name);
    J.attribute("chip", Object.metadata().Chip);
    J.attribute("compiler", Object.metadata().Compiler);
    J.attributeArray("kernels", [&] {
      for (const Kernel &K : Object.kernels())
        J.object([&] { writeKernel(J, Object, K, D); });
    });
    J.attributeArray("functions", [&] {
      for (uint32_t I = 0; I < Object.symbols().size(); ++I)
        if (isFunction(Object, I))
          J.object([&] { writeSize(J, Object, I, D); });
    });
  });
  OS << '\n';
}

} // namespace heddle::objdump

//===- Metadata.cpp - MessagePack form of the metadata ----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each structure lists its fields once, in a function that the writer and the
// reader both visit; the order of the list is the order in the file.
//
//===----------------------------------------------------------------------===//

#include "heddle/Object/Metadata.h"
#include "heddle/Object/Format.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/Twine.h"
#include "llvm/BinaryFormat/MsgPackReader.h"
#include "llvm/BinaryFormat/MsgPackWriter.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <bitset>
#include <limits>

using namespace heddle;
using namespace llvm;

//===----------------------------------------------------------------------===//
// The fields
//===----------------------------------------------------------------------===//

template <typename Visitor> static void visitFields(Visitor &V, Extents &E) {
  V("x", E.X);
  V("y", E.Y);
  V("z", E.Z);
}

template <typename Visitor>
static void visitFields(Visitor &V, ParamMetadata &P) {
  V("name", P.Name);
  V("offset", P.Offset);
  V("size", P.Size);
  V("align", P.Align);
  V("type", P.Type);
}

template <typename Visitor>
static void visitFields(Visitor &V, KernelMetadata &K) {
  V("name", K.Name);
  V("registers", K.Registers);
  V("uniform_registers", K.UniformRegisters);
  V("spill_store_bytes", K.SpillStoreBytes);
  V("spill_load_bytes", K.SpillLoadBytes);
  V("shared_bytes", K.SharedBytes);
  V("local_bytes", K.LocalBytes);
  V("barriers", K.Barriers);
  V("param_bytes", K.ParamBytes);
  V("dynamic_shared", K.DynamicShared);
  V("dynamic_stack", K.DynamicStack);
  V("params", K.Params);
  V("maxntid", K.MaxBlock);
  V("reqntid", K.RequiredBlock);
  V("reqnctapercluster", K.RequiredCluster);
  V("maxclusterrank", K.MaxClusterRank);
  V("explicitcluster", K.ExplicitCluster);
  V("merged_ctas", K.MergedCTAs);
  V("minnctapersm", K.MinCTAs);
  V("maxnreg", K.MaxRegisters);
}

template <typename Visitor>
static void visitFields(Visitor &V, FunctionMetadata &F) {
  V("name", F.Name);
  V("type", F.Type);
  V("registers", F.Registers);
  V("barriers", F.Barriers);
  V("stack_bytes", F.StackBytes);
  V("spill_store_bytes", F.SpillStoreBytes);
  V("spill_load_bytes", F.SpillLoadBytes);
  V("calls_pointers", F.CallsPointers);
  V("variable_stack", F.VariableStack);
}

template <typename Visitor>
static void visitFields(Visitor &V, SymbolMetadata &S) {
  V("name", S.Name);
  V("type", S.Type);
}

template <typename Visitor>
static void visitFields(Visitor &V, LinkMetadata &L) {
  V("functions", L.Functions);
  V("symbols", L.Symbols);
}

template <typename Visitor>
static void visitFields(Visitor &V, ModuleMetadata &M) {
  V("chip", M.Chip);
  V("isa_version", M.ISAVersion);
  V("compiler", M.Compiler);
  V("ptx_version", M.PTXVersion);
  V("ptx_target", M.PTXTarget);
  V("kernels", M.Kernels);
  V("link", M.Link);
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

namespace {

/// Counts the fields that are present.
struct FieldCounter {
  uint32_t Count = 0;

  template <typename T> void operator()(StringRef, const T &) { ++Count; }
  template <typename T>
  void operator()(StringRef, const std::optional<T> &Value) {
    Count += Value.has_value();
  }
};

class FieldWriter {
public:
  explicit FieldWriter(msgpack::Writer &Writer) : Writer(Writer) {}

  template <typename T> void operator()(StringRef Key, T &Value) {
    Writer.write(Key);
    write(Value);
  }
  template <typename T>
  void operator()(StringRef Key, std::optional<T> &Value) {
    if (Value)
      (*this)(Key, *Value);
  }

  template <typename T> void writeStruct(T &Value) {
    FieldCounter Counter;
    visitFields(Counter, Value);
    Writer.writeMapSize(Counter.Count);
    visitFields(*this, Value);
  }

private:
  void write(const std::string &Value) { Writer.write(StringRef(Value)); }
  void write(bool Value) { Writer.write(Value); }
  void write(uint32_t Value) { Writer.write(static_cast<uint64_t>(Value)); }
  void write(Extents &Value) { writeStruct(Value); }
  void write(LinkMetadata &Value) { writeStruct(Value); }
  template <typename T> void write(std::vector<T> &Values) {
    Writer.writeArraySize(Values.size());
    for (T &Value : Values)
      writeStruct(Value);
  }

  msgpack::Writer &Writer;
};

} // namespace

std::string heddle::encodeMetadata(const ModuleMetadata &Metadata) {
  std::string Bytes;
  raw_string_ostream Stream(Bytes);
  msgpack::Writer Writer(Stream);
  // visitFields serves reader and writer and so takes a mutable structure; the
  // writer changes nothing.
  FieldWriter(Writer).writeStruct(const_cast<ModuleMetadata &>(Metadata));
  return Bytes;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {

/// Reads MessagePack into the structures. Errors name the path of the field,
/// such as `kernels[2].params[0].size`.
class MetadataReader {
public:
  explicit MetadataReader(StringRef Bytes) : Reader(Bytes) {}

  Error read(ModuleMetadata &Metadata) {
    if (Error Err = readStruct(Metadata, "", /*IsInner=*/false))
      return Err;
    msgpack::Object Rest;
    Expected<bool> More = Reader.read(Rest);
    if (!More)
      return More.takeError();
    return *More ? fail("", "bytes follow the metadata") : Error::success();
  }

private:
  /// Nesting in fields that this reader does not know; skipping recurses.
  static constexpr unsigned MaxDepth = 32;

  Error fail(const Twine &Path, const Twine &Message) const {
    std::string Where = Path.str();
    return createStringError("metadata" +
                             (Where.empty() ? "" : " field '" + Where + "'") +
                             ": " + Message);
  }

  Error next(msgpack::Object &Object, const Twine &Path) {
    Expected<bool> Read = Reader.read(Object);
    if (!Read)
      return fail(Path, toString(Read.takeError()));
    return *Read ? Error::success() : fail(Path, "ends too early");
  }

  Error next(msgpack::Object &Object, const Twine &Path, msgpack::Type Kind,
             StringRef KindName) {
    if (Error Err = next(Object, Path))
      return Err;
    if (Object.Kind != Kind)
      return fail(Path, "is no " + KindName);
    return Error::success();
  }

  Error readValue(std::string &Value, const Twine &Path) {
    msgpack::Object Object;
    if (Error Err = next(Object, Path, msgpack::Type::String, "string"))
      return Err;
    if (Object.Raw.contains('\0'))
      return fail(Path, "contains a zero byte");
    Value = Object.Raw.str();
    return Error::success();
  }

  Error readValue(bool &Value, const Twine &Path) {
    msgpack::Object Object;
    if (Error Err = next(Object, Path, msgpack::Type::Boolean, "boolean"))
      return Err;
    Value = Object.Bool;
    return Error::success();
  }

  Error readValue(uint32_t &Value, const Twine &Path) {
    msgpack::Object Object;
    if (Error Err = next(Object, Path, msgpack::Type::UInt, "unsigned number"))
      return Err;
    if (Object.UInt > std::numeric_limits<uint32_t>::max())
      return fail(Path, "is " + Twine(Object.UInt) + ", over 32 bits");
    Value = Object.UInt;
    return Error::success();
  }

  Error readValue(Extents &Value, const Twine &Path) {
    return readStruct(Value, Path);
  }

  Error readValue(LinkMetadata &Value, const Twine &Path) {
    return readStruct(Value, Path);
  }

  template <typename T>
  Error readValue(std::optional<T> &Value, const Twine &Path) {
    return readValue(Value.emplace(), Path);
  }

  template <typename T>
  Error readValue(std::vector<T> &Values, const Twine &Path) {
    msgpack::Object Object;
    if (Error Err = next(Object, Path, msgpack::Type::Array, "array"))
      return Err;
    // The length is not trusted with a reservation: each element must be there.
    for (size_t I = 0, E = Object.Length; I != E; ++I)
      if (Error Err =
              readStruct(Values.emplace_back(), Path + "[" + Twine(I) + "]"))
        return Err;
    return Error::success();
  }

  /// Reads the value of \p Key into the field of that name.
  struct FieldReader {
    MetadataReader &Self;
    StringRef Key;
    const Twine &Path;
    std::bitset<32> &Seen;
    Error &Err;
    bool Found = false;
    unsigned Index = 0;

    template <typename T> void operator()(StringRef Name, T &Value) {
      unsigned I = Index++;
      if (Found || Name != Key)
        return;
      Found = true;
      if (Seen[I])
        Err = Self.fail(Path, "appears twice");
      else
        Err = Self.readValue(Value, Path);
      Seen[I] = true;
    }
  };

  /// Finds the first field that must be there and is not.
  struct RequiredFieldCheck {
    const std::bitset<32> &Seen;
    StringRef Missing;
    unsigned Index = 0;

    template <typename T> void operator()(StringRef Name, T &) {
      if (!Seen[Index++] && Missing.empty())
        Missing = Name;
    }
    template <typename T> void operator()(StringRef, std::optional<T> &) {
      ++Index;
    }
  };

  template <typename T>
  Error readStruct(T &Value, const Twine &Path, bool IsInner = true) {
    msgpack::Object Map;
    if (Error Err = next(Map, Path, msgpack::Type::Map, "map"))
      return Err;
    std::bitset<32> Seen;
    // Only a message needs the text.
    const Twine Prefix = IsInner ? Path.concat(".") : Twine();
    for (size_t I = 0, E = Map.Length; I != E; ++I) {
      msgpack::Object Key;
      if (Error Err = next(Key, Path, msgpack::Type::String, "map of strings"))
        return Err;
      const Twine FieldPath = Prefix.concat(Key.Raw);
      Error Err = Error::success();
      FieldReader Fields{*this, Key.Raw, FieldPath, Seen, Err};
      visitFields(Fields, Value);
      if (!Err && !Fields.Found)
        Err = skip(FieldPath, 0);
      if (Err)
        return Err;
    }
    RequiredFieldCheck Check{Seen, {}};
    visitFields(Check, Value);
    if (!Check.Missing.empty())
      return fail(Path, "lacks '" + Check.Missing + "'");
    return Error::success();
  }

  Error skip(const Twine &Path, unsigned Depth) {
    if (Depth > MaxDepth)
      return fail(Path, "is nested too deeply");
    msgpack::Object Object;
    if (Error Err = next(Object, Path))
      return Err;
    size_t Children = 0;
    if (Object.Kind == msgpack::Type::Array)
      Children = Object.Length;
    else if (Object.Kind == msgpack::Type::Map)
      Children = 2 * Object.Length;
    for (; Children; --Children)
      if (Error Err = skip(Path, Depth + 1))
        return Err;
    return Error::success();
  }

  msgpack::Reader Reader;
};

} // namespace

static Error checkKernel(const KernelMetadata &Kernel) {
  auto Fail = [&](const Twine &Message) {
    return createStringError("metadata of kernel '" + Kernel.Name +
                             "': " + Message);
  };
  if (Kernel.Name.empty())
    return createStringError("metadata: a kernel has no name");
  for (const ParamMetadata &Param : Kernel.Params) {
    if (!isPowerOf2_32(Param.Align))
      return Fail("parameter '" + Param.Name + "' has alignment " +
                  Twine(Param.Align));
    if (Param.Offset % Param.Align)
      return Fail("parameter '" + Param.Name + "' is misaligned");
    if (uint64_t(Param.Offset) + Param.Size > Kernel.ParamBytes)
      return Fail("parameter '" + Param.Name + "' is outside the block of " +
                  Twine(Kernel.ParamBytes) + " bytes");
  }
  for (const auto &Bounds :
       {Kernel.MaxBlock, Kernel.RequiredBlock, Kernel.RequiredCluster})
    if (Bounds && (!Bounds->X || !Bounds->Y || !Bounds->Z))
      return Fail("a launch bound is zero");
  return Error::success();
}

Expected<ModuleMetadata> heddle::decodeMetadata(StringRef Bytes) {
  ModuleMetadata Metadata;
  if (Error Err = MetadataReader(Bytes).read(Metadata))
    return std::move(Err);
  StringSet<> Names;
  for (const KernelMetadata &Kernel : Metadata.Kernels) {
    if (Error Err = checkKernel(Kernel))
      return std::move(Err);
    if (!Names.insert(Kernel.Name).second)
      return createStringError("metadata: two kernels named '" + Kernel.Name +
                               "'");
  }
  return Metadata;
}

//===----------------------------------------------------------------------===//
// The note
//===----------------------------------------------------------------------===//

/// ELF notes: three words, then the owner and the contents, each padded to
/// this.
static constexpr uint64_t NoteAlign = 4;
static constexpr uint64_t NoteHeaderBytes = 12;

std::string heddle::encodeMetadataNote(const ModuleMetadata &Metadata) {
  std::string Contents = encodeMetadata(Metadata);
  std::string Note;
  auto AppendWord = [&](uint32_t Word) {
    char Bytes[4];
    support::endian::write32le(Bytes, Word);
    Note.append(Bytes, sizeof(Bytes));
  };
  AppendWord(sizeof(NoteOwner)); // with its zero byte
  AppendWord(Contents.size());
  AppendWord(NoteTypeMetadata);
  Note.append(NoteOwner, sizeof(NoteOwner));
  Note.resize(alignTo(Note.size(), NoteAlign));
  Note += Contents;
  Note.resize(alignTo(Note.size(), NoteAlign));
  return Note;
}

Expected<ModuleMetadata> heddle::decodeMetadataNote(StringRef Section) {
  std::optional<StringRef> Metadata;
  for (uint64_t Offset = 0; Offset < Section.size();) {
    StringRef Rest = Section.drop_front(Offset);
    auto Fail = [&](const Twine &Message) {
      return createStringError(Twine(NoteSectionName) + ": note at offset " +
                               Twine(Offset) + " " + Message);
    };
    if (Rest.size() < NoteHeaderBytes)
      return Fail("is cut off in its header");
    uint64_t OwnerBytes = support::endian::read32le(Rest.data());
    uint64_t Bytes = support::endian::read32le(Rest.data() + 4);
    uint32_t Type = support::endian::read32le(Rest.data() + 8);
    uint64_t Start = NoteHeaderBytes + alignTo(OwnerBytes, NoteAlign);
    if (Start + Bytes > Rest.size())
      return Fail("needs " + Twine(Start + Bytes) + " bytes, and " +
                  Twine(Rest.size()) + " are left");
    StringRef Owner = Rest.substr(NoteHeaderBytes, OwnerBytes);
    if (Owner == StringRef(NoteOwner, sizeof(NoteOwner)) &&
        Type == NoteTypeMetadata) {
      if (Metadata)
        return Fail("repeats the metadata");
      Metadata = Rest.substr(Start, Bytes);
    }
    Offset += alignTo(Start + Bytes, NoteAlign);
  }
  if (!Metadata)
    return createStringError(Twine(NoteSectionName) + " has no metadata note");
  return decodeMetadata(*Metadata);
}

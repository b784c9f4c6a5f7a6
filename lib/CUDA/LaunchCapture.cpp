//===- LaunchCapture.cpp - Launches kept as manifests -----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies memory before and after a launch, and writes it with the manifest.
//
//===----------------------------------------------------------------------===//

#include "LaunchCapture.h"
#include "Process.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace llvm;
using namespace heddle;
using namespace heddle::cuda;

namespace {

/// More memory than that is not written.
constexpr uint64_t MaxBytes = uint64_t(1) << 30;

/// A block of memory, or a variable of the module, as it was.
struct Piece {
  std::string Name;
  uint64_t Address = 0;
  std::vector<uint8_t> Before = {};
  bool IsSymbol = false;
  /// In names of files. Names of variables may be longer than those may be.
  std::string FileName = {};
};

/// One launch on its way into files.
class Capturer {
public:
  Capturer(rt::Device &D, const KernelHandle &Kernel, const rt::KernelOp &Op,
           std::string Stem)
      : D(D), Kernel(Kernel), Info(ImageTable::info(Kernel)), Op(Op),
        Stem(std::move(Stem)) {}

  /// Before the launch: reads all memory, and writes it with the module.
  Error begin() {
    if (Op.Config.Cooperative)
      return createStringError("it is cooperative");
    if (!Process::get().Textures.empty())
      return createStringError("the program has textures or surfaces");
    if (Error E = findPieces())
      return E;
    if (Error E = makeArguments())
      return E;
    Expected<std::string> Source = Process::get().Images.source(Kernel);
    if (!Source)
      return Source.takeError();
    if (Error E = write(".ptx", arrayRefFromStringRef(*Source)))
      return E;
    for (const Piece &P : Pieces)
      if (Error E = writeBefore(P))
        return E;
    return Error::success();
  }

  /// After it: writes what has changed, and the manifest.
  Error end() {
    json::Array Expectations;
    for (const Piece &P : Pieces) {
      std::vector<uint8_t> After(P.Before.size());
      if (Error E = D.copyFromDevice(After, P.Address))
        return E;
      if (After == P.Before)
        continue;
      std::string Suffix = "." + P.FileName + ".after.bin";
      if (Error E = write(Suffix, After))
        return E;
      json::Object Expected{{P.IsSymbol ? "symbol" : "buffer", P.Name},
                            {"file", fileName(Suffix)}};
      if (P.IsSymbol) {
        Expected["type"] = "b8";
        Expected["count"] = int64_t(After.size());
      }
      Expectations.push_back(std::move(Expected));
    }
    std::string Text =
        formatv("{0:2}\n", json::Value(manifest(std::move(Expectations))));
    return write(".json", arrayRefFromStringRef(Text));
  }

private:
  std::string fileName(const Twine &Suffix) const {
    return (sys::path::filename(Stem) + Suffix).str();
  }

  Error write(const Twine &Suffix, ArrayRef<uint8_t> Bytes) {
    return writeToOutput(Stem + Suffix.str(), [&](raw_ostream &OS) {
      OS << toStringRef(Bytes);
      return Error::success();
    });
  }

  Error add(std::string Name, uint64_t Address, uint64_t Size, bool IsSymbol) {
    Total += Size;
    if (Total > MaxBytes)
      return createStringError("the program has more than " +
                               Twine(MaxBytes >> 20) + " MiB of memory");
    Piece P{std::move(Name), Address, std::vector<uint8_t>(Size), IsSymbol};
    P.FileName = IsSymbol ? "v" + utostr(NumSymbols++) : P.Name;
    if (Error E = D.copyFromDevice(P.Before, Address))
      return E;
    Pieces.push_back(std::move(P));
    return Error::success();
  }

  Error findPieces() {
    ArrayRef<rt::SymbolInfo> Symbols = Kernel.loaded().Owner->symbols();
    for (const rt::SymbolInfo &S : Symbols)
      if (S.Size)
        if (Error E = add(S.Name, S.Address, S.Size, /*IsSymbol=*/true))
          return E;
    for (const Block &B : Process::get().Pointers.all()) {
      bool IsOwn = any_of(Symbols, [&](const rt::SymbolInfo &S) {
        return S.Address == B.Address;
      });
      if (!IsOwn && B.Size)
        if (Error E = add("b" + utostr(NumBuffers++), B.Address, B.Size,
                          /*IsSymbol=*/false))
          return E;
    }
    return Error::success();
  }

  /// The piece in which an address lies; null if there is none.
  const Piece *pieceAt(uint64_t Address) const {
    for (const Piece &P : Pieces)
      if (Address >= P.Address && Address - P.Address < P.Before.size())
        return &P;
    return nullptr;
  }

  Error makeArguments() {
    for (const rt::ParamInfo &Param : Info.Params) {
      ArrayRef<uint8_t> Bytes =
          ArrayRef(Op.Params).slice(Param.Offset, Param.Size);
      uint64_t Value = 0;
      if (Bytes.size() == sizeof(Value))
        std::memcpy(&Value, Bytes.data(), sizeof(Value));
      const Piece *Target = pieceAt(Value);
      if (Target && Target->IsSymbol)
        return createStringError("'" + Param.Name +
                                 "' points to the variable '" + Target->Name +
                                 "', which lies elsewhere later");
      if (Target)
        Arguments.push_back(
            json::Object{{"buffer", Target->Name},
                         {"offset", int64_t(Value - Target->Address)}});
      else
        Arguments.push_back(
            json::Object{{"bytes", toHex(Bytes, /*LowerCase=*/true)}});
    }
    return Error::success();
  }

  static bool isZero(const Piece &P) {
    return all_of(P.Before, [](uint8_t Byte) { return Byte == 0; });
  }

  Error writeBefore(const Piece &P) {
    return isZero(P) ? Error::success()
                     : write("." + P.FileName + ".bin", P.Before);
  }

  json::Object array(const Piece &P) const {
    json::Object Array{{P.IsSymbol ? "symbol" : "buffer", P.Name},
                       {"type", "b8"},
                       {"count", int64_t(P.Before.size())}};
    if (isZero(P))
      Array["init"] = "zero";
    else
      Array["init"] =
          json::Object{{"file", fileName("." + P.FileName + ".bin")}};
    if (!P.IsSymbol)
      Array["address"] = "0x" + utohexstr(P.Address, /*LowerCase=*/true);
    return Array;
  }

  static json::Array extents(const rt::Dim3 &D) {
    return json::Array{int64_t(D.X), int64_t(D.Y), int64_t(D.Z)};
  }

  json::Object manifest(json::Array Expectations) {
    json::Array Buffers, Symbols;
    for (const Piece &P : Pieces)
      (P.IsSymbol ? Symbols : Buffers).push_back(array(P));
    json::Object Root{{"module", fileName(".ptx")},
                      {"entry", Info.Name},
                      {"grid", extents(Op.Config.Grid)},
                      {"block", extents(Op.Config.Block)},
                      {"shared_bytes", int64_t(Op.Config.DynamicSharedBytes)},
                      {"args", std::move(Arguments)},
                      {"buffers", std::move(Buffers)},
                      {"symbols", std::move(Symbols)},
                      {"expect", std::move(Expectations)}};
    if (Op.Config.Cluster)
      Root["cluster"] = extents(*Op.Config.Cluster);
    return Root;
  }

  rt::Device &D;
  const KernelHandle &Kernel;
  const rt::KernelInfo &Info;
  const rt::KernelOp &Op;
  std::string Stem; ///< What the names of all files begin with.
  std::vector<Piece> Pieces;
  uint64_t Total = 0; ///< Bytes of all pieces.
  unsigned NumBuffers = 0;
  unsigned NumSymbols = 0;
  json::Array Arguments;
};

std::string valueOf(const char *Variable) {
  const char *Value = std::getenv(Variable);
  return Value ? Value : "";
}

void complain(StringRef Kernel, Error E) {
  std::fprintf(stderr, "heddle: a launch of '%s' is not captured: %s\n",
               Kernel.str().c_str(), toString(std::move(E)).c_str());
}

} // namespace

LaunchCapture::LaunchCapture()
    : Folder(valueOf("HEDDLE_CAPTURE")),
      Part(valueOf("HEDDLE_CAPTURE_KERNEL")) {
  std::string Wanted = valueOf("HEDDLE_CAPTURE_LAUNCH");
  if (!Wanted.empty() &&
      (StringRef(Wanted).getAsInteger(10, Number) || !Number)) {
    std::fprintf(stderr,
                 "heddle: HEDDLE_CAPTURE_LAUNCH: '%s' is no number from 1 on\n",
                 Wanted.c_str());
    Folder.clear();
  }
}

bool LaunchCapture::wants(StringRef Kernel) {
  if (Folder.empty() || !Kernel.contains(Part))
    return false;
  std::lock_guard Lock(Mutex);
  return ++Launches[Kernel] == Number;
}

cudaError_t LaunchCapture::launch(const KernelHandle &Kernel, rt::KernelOp Op,
                                  cudaStream_t Stream) {
  const std::string &Name = ImageTable::info(Kernel).Name;
  rt::Stream *S = Process::get().stream(Stream);
  Expected<rt::Context &> Context = Process::get().context();
  if (!Context || !S || S->capture()) {
    consumeError(Context.takeError());
    if (S)
      complain(Name, createStringError("it becomes part of a graph"));
    return enqueue(Stream, std::move(Op)); // says what else is wrong
  }
  std::lock_guard Lock(Mutex);
  if (Error E = Context->synchronize())
    return convert(std::move(E), cudaErrorLaunchFailure);
  // Names of templates exceed what a file's may have.
  constexpr size_t MaxName = 100;
  SmallString<128> Stem(Folder);
  sys::path::append(Stem,
                    utostr(++NumCaptured) + "-" + Name.substr(0, MaxName));
  Capturer C(Context->device(), Kernel, Op, std::string(Stem));
  Error Failure = sys::fs::create_directories(Folder)
                      ? createStringError("cannot make '" + Folder + "'")
                      : C.begin();
  cudaError_t Code = enqueue(Stream, rt::KernelOp(Op));
  if (Code == cudaSuccess)
    Code = convert(Context->synchronize(), cudaErrorLaunchFailure);
  if (!Failure)
    Failure = Code == cudaSuccess ? C.end() : createStringError("it failed");
  if (Failure)
    complain(Name, std::move(Failure));
  return Code;
}

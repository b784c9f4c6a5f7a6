//===- JitLink.cpp - The interface of nvJitLink ---------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// NVIDIA's library links PTX to code for its own GPUs. Python's packages use it
// in place of cuLink* where it is installed, so ours has its names.
//
//===----------------------------------------------------------------------===//

#include "Driver/Driver.h"
#include "JitLink/Linker.h"
#include "JitLink/NvidiaLinker.h"
#include "heddle/Driver/PTXHeader.h"

#include "llvm/Support/MemoryBuffer.h"

#include <algorithm>
#include <cstring>

using namespace llvm;
using namespace heddle;
using namespace heddle::cuda;

namespace {

/// nvJitLinkResult.
enum Result : int {
  Success = 0,
  UnrecognizedOption = 1,
  MissingArch = 2,
  InvalidInput = 3,
  PTXCompile = 4,
  NVVMCompile = 5,
  Internal = 6,
  UnrecognizedInput = 8,
  NullInput = 10,
  LTONotEnabled = 18,
};

/// nvJitLinkInputType.
enum class InputType : int {
  Cubin = 1,
  PTX = 2,
  LTOIR = 3,
  FatBinary = 4,
  Object = 5,
  Library = 6,
  Any = 10,
};

} // namespace

namespace heddle::cuda {
struct JitLinkHandle {
  Linker Link;
  std::vector<std::string> Options;
  std::unique_ptr<NvidiaLinker> OfNvidia; ///< Null without LTO-IR of NVIDIA's.
  bool HasLTOIR = false;                  ///< Which OfNvidia took.
  bool WantsPTX = false;
  std::string Error; ///< What the program is told when it asks.
};
} // namespace heddle::cuda

static HandleSet<JitLinkHandle> &handles() {
  static auto *Made = new HandleSet<JitLinkHandle>; // see Process.h
  return *Made;
}

/// Those that mean the same to our compiler are passed on, those that say how
/// NVIDIA's works do nothing.
static bool translate(StringRef Option, std::vector<std::string> &Arguments) {
  auto [Name, Value] = Option.split('=');
  if (Name == "-maxrregcount" || Name == "-kernels-used" ||
      Name == "-variables-used")
    Arguments.push_back("-" + Option.str());
  else if (Name == "-fma")
    Arguments.push_back(Value == "0" || Value == "false" ? "--fmad=false"
                                                         : "--fmad=true");
  else if (Name == "-g" || Name == "-lineinfo" || Name.starts_with("-O"))
    Arguments.push_back(Option.str());
  else if (Name == "-Xptxas")
    Arguments.push_back(Value.str());
  else if (Name == "-lto")
    Arguments.emplace_back("-dlto");
  else
    // Those about LTO-IR, which only NVIDIA's library reads, and about what the
    // compiler prints and how fast it is. PTX has its own -ftz and so on.
    return is_contained(
        {"-arch", "-time", "-verbose", "-ptx", "-ftz", "-prec-div",
         "-prec-sqrt", "-optimize-unused-variables", "-Xnvvm", "-numba-debug",
         "-split-compile", "-split-compile-extended", "-jump-table-density",
         "-no-cache", "-device-stack-protector"},
        Name);
  return true;
}

/// What LLVM writes, in a wrapper or not; and PTX, which programs have for
/// LTO-IR from NVIDIA's compilers here (Compilers.h).
static bool isReadable(std::string_view Bytes) {
  return Bytes.starts_with("BC\xC0\xDE") ||
         Bytes.starts_with("\xDE\xC0\x17\x0B") || targetOfPTX(Bytes);
}

static Result addInput(JitLinkHandle &H, std::string_view Bytes,
                       const char *Name) {
  return H.Link.add(Bytes, Name ? Name : "") == cudaSuccess ? Success
                                                            : InvalidInput;
}

/// LTO-IR that NVIDIA's library has to read; an error without it.
static Result addNvidia(JitLinkHandle &H, int Type, std::string_view Bytes,
                        const char *Name) {
  if (!H.OfNvidia) {
    Expected<std::unique_ptr<NvidiaLinker>> Made =
        NvidiaLinker::create(H.Options);
    if (!Made) {
      H.Error += toString(Made.takeError()) + "\n";
      return LTONotEnabled;
    }
    H.OfNvidia = std::move(*Made);
  }
  int Code = H.OfNvidia->add(Type, Bytes, Name);
  H.HasLTOIR |= Code == Success;
  return static_cast<Result>(Code);
}

static Result addTo(JitLinkHandle &H, int Type, std::string_view Bytes,
                    const char *Name) {
  if (hasNvidiaLTOIR(Bytes))
    return addNvidia(H, Type, Bytes, Name);
  switch (static_cast<InputType>(Type)) {
  case InputType::LTOIR:
    if (isReadable(Bytes))
      return addInput(H, Bytes, Name);
    H.Error += "the bytes are neither LTO-IR, nor LLVM bitcode, nor PTX\n";
    return LTONotEnabled;
  case InputType::PTX:
    // NVIDIA's library compiles PTX when it is added: XLA finds out so which
    // version is the newest.
    if (isNewerPTX(Bytes)) {
      H.Link.add(Bytes, Name ? Name : "");
      H.Link.complete();
      return PTXCompile;
    }
    [[fallthrough]];
  case InputType::Cubin:
  case InputType::FatBinary:
  case InputType::Object:
  case InputType::Library:
  case InputType::Any:
    return addInput(H, Bytes, Name);
  default:
    return UnrecognizedInput;
  }
}

/// Adds the PTX of what NVIDIA's library reads.
static Result addLTOIR(JitLinkHandle &H) {
  if (!H.HasLTOIR)
    return Success;
  Expected<std::string> PTX = H.OfNvidia->complete();
  H.OfNvidia.reset();
  H.HasLTOIR = false;
  if (!PTX) {
    H.Error += toString(PTX.takeError()) + "\n";
    return NVVMCompile;
  }
  return addInput(H, *PTX, "LTO-IR");
}

/// The PTX that was asked for.
static std::string_view ptxOf(const JitLinkHandle &H) {
  return H.WantsPTX ? H.Link.onlyPTX() : "";
}

/// What NVIDIA's compilers give for LTO-IR here is PTX already. Programs look
/// in it for values of variables that the compiler worked out.
static Result completePTX(JitLinkHandle &H) {
  if (!ptxOf(H).empty())
    return Success;
  H.Error += "-ptx: there is PTX of a single input only, which is PTX\n";
  return LTONotEnabled;
}

static Result copyLog(JitLinkHandle *H, const std::string &Log, char *To) {
  if (!handles().contains(H) || !To)
    return NullInput;
  std::memcpy(To, Log.c_str(), Log.size() + 1);
  return Success;
}

/// What the compiler said is information once there is a result.
static std::string infoOf(const JitLinkHandle *H) {
  return handles().contains(H) && !H->Link.object().empty() ? H->Link.log()
                                                            : "";
}

static std::string errorOf(const JitLinkHandle *H) {
  if (!handles().contains(H))
    return "";
  return H->Link.object().empty() ? H->Error + H->Link.log() : H->Error;
}

extern "C" {

/// That of the first interface: later ones have programs ask NVIDIA's compilers
/// for LTO-IR, which only NVIDIA's libraries read.
Result nvJitLinkVersion(unsigned *Major, unsigned *Minor) {
  if (!Major || !Minor)
    return NullInput;
  *Major = 12;
  *Minor = 0;
  return Success;
}

Result nvJitLinkCreate(JitLinkHandle **Handle, uint32_t Count,
                       const char **Options) {
  if (!Handle || (Count && !Options))
    return NullInput;
  auto Made = std::make_unique<JitLinkHandle>();
  std::vector<std::string> Arguments;
  bool HasArch = false;
  Result Code = Success;
  for (StringRef Option : ArrayRef(Options, Count)) {
    HasArch |= Option.starts_with("-arch=");
    Made->Options.push_back(Option.str());
    Made->WantsPTX |= Option == "-ptx";
    if (translate(Option, Arguments))
      continue;
    Made->Error += "option '" + Option.str() + "' is not supported\n";
    Code = UnrecognizedOption;
  }
  if (Code == Success && !HasArch)
    Code = MissingArch;
  Made->Link.addArguments(Arguments);
  *Handle = handles().add(std::move(Made));
  return Code;
}

Result nvJitLinkDestroy(JitLinkHandle **Handle) {
  if (!Handle || !handles().remove(*Handle))
    return NullInput;
  *Handle = nullptr;
  return Success;
}

Result nvJitLinkAddData(JitLinkHandle *Handle, int Type, const void *Data,
                        size_t Size, const char *Name) {
  if (!handles().contains(Handle) || !Data)
    return NullInput;
  return addTo(*Handle, Type, {static_cast<const char *>(Data), Size}, Name);
}

Result nvJitLinkAddFile(JitLinkHandle *Handle, int Type, const char *Path) {
  if (!handles().contains(Handle) || !Path)
    return NullInput;
  ErrorOr<std::unique_ptr<MemoryBuffer>> File = MemoryBuffer::getFile(Path);
  return File ? addTo(*Handle, Type, (*File)->getBuffer(), Path) : InvalidInput;
}

Result nvJitLinkComplete(JitLinkHandle *Handle) {
  if (!handles().contains(Handle))
    return NullInput;
  if (Result Code = addLTOIR(*Handle); Code != Success)
    return Code;
  if (Handle->WantsPTX)
    return completePTX(*Handle);
  DriverCall Call; // the runtime API's last error is not concerned
  return Handle->Link.complete() == cudaSuccess ? Success : PTXCompile;
}

Result nvJitLinkGetLinkedCubinSize(JitLinkHandle *Handle, size_t *Size) {
  if (!handles().contains(Handle) || !Size)
    return NullInput;
  *Size = Handle->Link.object().size();
  return *Size ? Success : Internal;
}

Result nvJitLinkGetLinkedCubin(JitLinkHandle *Handle, void *To) {
  if (!handles().contains(Handle) || !To)
    return NullInput;
  const std::vector<uint8_t> &Object = Handle->Link.object();
  std::memcpy(To, Object.data(), Object.size());
  return Object.empty() ? Internal : Success;
}

// With the final zero.
Result nvJitLinkGetLinkedPtxSize(JitLinkHandle *Handle, size_t *Size) {
  if (!handles().contains(Handle) || !Size)
    return NullInput;
  std::string_view PTX = ptxOf(*Handle);
  *Size = PTX.empty() ? 0 : PTX.size() + 1;
  return *Size ? Success : LTONotEnabled;
}
Result nvJitLinkGetLinkedPtx(JitLinkHandle *Handle, char *To) {
  if (!handles().contains(Handle) || !To)
    return NullInput;
  std::string_view PTX = ptxOf(*Handle);
  if (PTX.empty())
    return LTONotEnabled;
  *std::copy(PTX.begin(), PTX.end(), To) = 0;
  return Success;
}

// There is LTO-IR of LTO-IR only.
Result nvJitLinkGetLinkedLTOIRSize(JitLinkHandle *, size_t *) {
  return LTONotEnabled;
}
Result nvJitLinkGetLinkedLTOIR(JitLinkHandle *, void *) {
  return LTONotEnabled;
}

// Sizes include the final zero.

Result nvJitLinkGetErrorLogSize(JitLinkHandle *Handle, size_t *Size) {
  if (!handles().contains(Handle) || !Size)
    return NullInput;
  *Size = errorOf(Handle).size() + 1;
  return Success;
}
Result nvJitLinkGetErrorLog(JitLinkHandle *Handle, char *Log) {
  return copyLog(Handle, errorOf(Handle), Log);
}
Result nvJitLinkGetInfoLogSize(JitLinkHandle *Handle, size_t *Size) {
  if (!handles().contains(Handle) || !Size)
    return NullInput;
  *Size = infoOf(Handle).size() + 1;
  return Success;
}
Result nvJitLinkGetInfoLog(JitLinkHandle *Handle, char *Log) {
  return copyLog(Handle, infoOf(Handle), Log);
}

} // extern "C"

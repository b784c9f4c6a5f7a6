//===- CoreFile.cpp - Grids at rest in files --------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A file is a row of numbers of 64 bits and of byte strings, each with its
// length in front. Writer and reader go through them in the same order; pages
// of global memory that hold one pattern all over take no place.
//
//===----------------------------------------------------------------------===//

#include "CoreFile.h"
#include "heddle/Debugger/Debugger.h"
#include "heddle/ISA/ISA.h"
#include "heddle/ISA/TensorMemory.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdio>
#include <cstring>
#include <mutex>

using namespace llvm;

namespace heddle::debug {

using emu::MemorySpace;
using emu::WarpPlace;

static constexpr StringLiteral Magic = "heddle core 3\n";
static constexpr uint64_t PageBytes = 4096;
static constexpr unsigned Lanes = 32, NumPredicates = 7;
static constexpr unsigned TensorLaneShift = 16, CellBytes = 4;

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

namespace {

class CoreWriter {
public:
  CoreWriter(emu::DebuggedGrid &G, raw_ostream &OS) : G(G), OS(OS) {}

  void write(uint64_t Kernel);

private:
  void number(uint64_t N) {
    OS.write(reinterpret_cast<const char *>(&N), sizeof(N));
  }
  void bytes(ArrayRef<uint8_t> B) {
    number(B.size());
    OS.write(reinterpret_cast<const char *>(B.data()), B.size());
  }
  void text(StringRef T) { bytes(arrayRefFromStringRef(T)); }
  void words(const uint32_t *Words, size_t Count) {
    bytes({reinterpret_cast<const uint8_t *>(Words), 4 * Count});
  }
  void dim(const rt::Dim3 &D) {
    number(D.X);
    number(D.Y);
    number(D.Z);
  }
  void writeCode();
  void writeKernel(uint64_t Number);
  void writeFault();
  void writeWarp(WarpPlace W);
  void writeRegisters(const emu::RegisterView &R);
  void writeMBarriers(uint64_t CTA);
  void writeTensorMemory(uint64_t CTA);
  void writeCTA(const emu::CTAView &V);
  void writeBlock(const emu::MemoryBlock &B);

  emu::DebuggedGrid &G;
  raw_ostream &OS;
};

void CoreWriter::writeCode() {
  const emu::CodeDescription &C = G.code();
  bytes(C.Object);
  text(C.Chip);
  number(C.Blocks.size());
  for (const emu::CodeBlock &B : C.Blocks) {
    text(B.Name);
    number(B.First);
    number(B.Count);
    number(B.Section);
  }
  words(C.Offsets.data(), C.Offsets.size());
  number(C.Symbols.size());
  for (const rt::SymbolInfo &S : C.Symbols) {
    text(S.Name);
    number(S.Address);
    number(S.Size);
  }
}

void CoreWriter::writeKernel(uint64_t Number) {
  const rt::LaunchConfig &L = G.config();
  number(Number);
  number(G.id());
  number(G.entry());
  number(G.doneCTAs());
  number(G.sharedBytes());
  number(G.localBytes());
  dim(L.Grid);
  dim(L.Block);
  dim(G.cluster());
  text(G.kernel().Name);
  number(G.kernel().MergedCTAs);
  number(G.kernel().Params.size());
  for (const rt::ParamInfo &P : G.kernel().Params) {
    text(P.Name);
    number(P.Offset);
    number(P.Size);
    text(P.Type);
  }
  bytes(L.Params);
  bytes(G.constants());
}

void CoreWriter::writeFault() {
  const std::optional<rt::Fault> &F = G.fault();
  number(F.has_value());
  if (!F)
    return;
  text(rt::faultKindName(F->Kind));
  text(F->Message);
  number(F->Address.has_value());
  number(F->Address.value_or(0));
  number(F->Warp.value_or(0));
  number(F->Lane.value_or(0));
  dim(F->Block.value_or(rt::Dim3{0, 0, 0}));
}

void CoreWriter::writeWarp(WarpPlace W) {
  std::vector<uint8_t> Local(G.localBytes());
  for (unsigned L = 0; L < Lanes; ++L) {
    emu::LaneView V = G.lane(W, L);
    number(static_cast<uint64_t>(V.State));
    number(V.PC);
    number(V.WaitsFor);
    ArrayRef<uint32_t> Calls = G.calls(W, L);
    words(Calls.data(), Calls.size());
    for (size_t N = 0; N < Calls.size(); ++N)
      writeRegisters(G.registersAt(W, L, N));
    G.read(MemorySpace::Local, W, L, 0, Local);
    bytes(Local);
  }
  writeRegisters(G.registers(W));
}

void CoreWriter::writeRegisters(const emu::RegisterView &R) {
  words(&R.Vector[0][0], size_t(R.Vectors) * Lanes);
  words(&R.Convergence[0][0], size_t(R.Convergences) * Lanes);
  words(R.Predicates, NumPredicates);
  words(R.Uniform, R.Uniforms);
  for (unsigned N = 0; N < NumPredicates; ++N)
    number(R.UniformPredicates[N]);
}

void CoreWriter::writeMBarriers(uint64_t CTA) {
  std::vector<emu::MBarrierUse> All = G.mbarriers(CTA);
  number(All.size());
  for (const emu::MBarrierUse &U : All) {
    number(U.Address);
    number(U.PC);
    number(U.Waiting.size());
    for (auto [W, Waiting] : U.Waiting) {
      number(W.CTA);
      number(W.Warp);
      number(Waiting);
    }
  }
}

void CoreWriter::writeTensorMemory(uint64_t CTA) {
  std::vector<emu::TensorAllocation> All = G.tensorMemory(CTA);
  number(All.size());
  for (const emu::TensorAllocation &A : All) {
    number(A.First);
    number(A.Columns);
    number(A.PC);
    std::vector<uint8_t> Cells(size_t(A.Columns) * CellBytes);
    for (uint64_t L = 0; L < tensor::Lanes; ++L) {
      G.read(MemorySpace::Tensor, {CTA, 0}, 0, L << TensorLaneShift | A.First,
             Cells);
      bytes(Cells);
    }
  }
}

void CoreWriter::writeCTA(const emu::CTAView &V) {
  number(V.Number);
  dim(V.Coordinates);
  number(V.Warps);
  number(V.Running);
  number(V.Core);
  text(G.barriers(V.Number));
  std::vector<uint8_t> Shared(G.sharedBytes());
  G.read(MemorySpace::Shared, {V.Number, 0}, 0, 0, Shared);
  bytes(Shared);
  writeMBarriers(V.Number);
  writeTensorMemory(V.Number);
  for (unsigned W = 0; W < V.Warps; ++W)
    writeWarp({V.Number, W});
}

void CoreWriter::writeBlock(const emu::MemoryBlock &B) {
  number(B.Address);
  number(B.Bytes.size());
  for (uint64_t At = 0; At < B.Bytes.size(); At += PageBytes) {
    ArrayRef<uint8_t> Page = B.Bytes.slice(At).take_front(PageBytes);
    bool IsPattern =
        Page.size() == PageBytes &&
        std::memcmp(Page.data(), Page.data() + 2, Page.size() - 2) == 0;
    bytes(IsPattern ? Page.take_front(2) : Page);
  }
}

void CoreWriter::write(uint64_t Kernel) {
  OS << Magic;
  writeCode();
  writeKernel(Kernel);
  writeFault();
  std::vector<emu::CTAView> CTAs = G.ctas();
  number(CTAs.size());
  for (const emu::CTAView &V : CTAs)
    writeCTA(V);
  std::vector<emu::MemoryBlock> Blocks = G.memory();
  number(Blocks.size());
  for (const emu::MemoryBlock &B : Blocks)
    writeBlock(B);
}

} // namespace

Error writeCore(emu::DebuggedGrid &Grid, uint64_t Kernel, StringRef Path) {
  std::error_code Failure;
  raw_fd_ostream OS(Path, Failure);
  if (Failure)
    return createStringError("cannot write '" + Path +
                             "': " + Failure.message());
  CoreWriter(Grid, OS).write(Kernel);
  OS.close();
  if (!OS.has_error())
    return Error::success();
  Failure = OS.error();
  OS.clear_error();
  return createStringError("cannot write '" + Path + "': " + Failure.message());
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// Reads what CoreWriter writes. Once something is wrong, all that follows is
/// zero and empty.
class CoreReader {
public:
  CoreReader(StringRef Rest, CoreGrid &G) : Rest(Rest), G(G) {}

  bool read();

private:
  uint64_t number() {
    uint64_t N = 0;
    if (Rest.size() < sizeof(N)) {
      fail();
      return 0;
    }
    std::memcpy(&N, Rest.data(), sizeof(N));
    Rest = Rest.drop_front(sizeof(N));
    return N;
  }
  /// A number that is at most \p Most.
  uint64_t upTo(uint64_t Most) {
    uint64_t N = number();
    if (N <= Most)
      return N;
    fail();
    return 0;
  }
  StringRef text() {
    uint64_t Size = number();
    if (Size > Rest.size()) {
      fail();
      return "";
    }
    StringRef T = Rest.take_front(Size);
    Rest = Rest.drop_front(Size);
    return T;
  }
  std::vector<uint8_t> bytes() {
    StringRef T = text();
    return {T.bytes_begin(), T.bytes_end()};
  }
  std::vector<uint32_t> words() {
    StringRef T = text();
    std::vector<uint32_t> Words(T.size() / 4);
    std::memcpy(Words.data(), T.data(), 4 * Words.size());
    return Words;
  }
  rt::Dim3 dim() {
    auto X = uint32_t(upTo(UINT32_MAX)), Y = uint32_t(upTo(UINT32_MAX));
    return {X, Y, uint32_t(upTo(UINT32_MAX))};
  }
  void fail() {
    Failed = true;
    Rest = "";
  }
  void readCode();
  void readKernel();
  void readFault();
  void readCTA();
  void readWarp(CoreGrid::CoreWarp &W);
  emu::RegisterCopy readRegisters();
  void readMBarriers(CoreGrid::CoreCTA &C);
  void readTensorMemory(CoreGrid::CoreCTA &C);
  void readBlock();

  StringRef Rest;
  CoreGrid &G;
  bool Failed = false;
};

void CoreReader::readCode() {
  auto C = std::make_shared<emu::CodeDescription>();
  C->Object = bytes();
  C->Chip = text().str();
  for (uint64_t N = number(); N && !Failed; --N) {
    emu::CodeBlock B;
    B.Name = text().str();
    B.First = upTo(UINT32_MAX);
    B.Count = upTo(UINT32_MAX);
    B.Section = upTo(UINT32_MAX);
    C->Blocks.push_back(std::move(B));
  }
  C->Offsets = words();
  for (const emu::CodeBlock &B : C->Blocks)
    Failed |= uint64_t(B.First) + B.Count >= C->Offsets.size();
  for (uint64_t N = number(); N && !Failed; --N) {
    rt::SymbolInfo S;
    S.Name = text().str();
    S.Address = number();
    S.Size = number();
    C->Symbols.push_back(std::move(S));
  }
  G.Code = std::move(C);
}

void CoreReader::readKernel() {
  G.KernelNumber = number();
  G.Id = number();
  G.Entry = upTo(G.Code->Offsets.size());
  G.Done = number();
  G.SharedBytes = number();
  G.LocalBytes = number();
  G.Config.Grid = dim();
  G.Config.Block = dim();
  G.Cluster = dim();
  G.Kernel.Name = text().str();
  G.Kernel.MergedCTAs = upTo(UINT32_MAX);
  for (uint64_t N = number(); N && !Failed; --N) {
    rt::ParamInfo P;
    P.Name = text().str();
    P.Offset = upTo(UINT32_MAX);
    P.Size = upTo(UINT32_MAX);
    P.Type = text().str();
    G.Kernel.Params.push_back(std::move(P));
  }
  G.Params = bytes();
  G.Config.Params = G.Params;
  G.Constants = bytes();
}

void CoreReader::readFault() {
  if (!upTo(1))
    return;
  rt::Fault F;
  std::optional<rt::FaultKind> Kind = rt::parseFaultKind(text());
  if (!Kind)
    return fail();
  F.Kind = *Kind;
  F.Message = text().str();
  bool HasAddress = upTo(1);
  uint64_t Address = number();
  if (HasAddress)
    F.Address = Address;
  F.Warp = upTo(UINT32_MAX);
  F.Lane = upTo(Lanes - 1);
  F.Block = dim();
  G.Fault = std::move(F);
}

void CoreReader::readWarp(CoreGrid::CoreWarp &W) {
  uint64_t Instructions = G.Code->Offsets.size();
  for (unsigned L = 0; L < Lanes && !Failed; ++L) {
    W.Lanes[L].State = static_cast<emu::LaneState>(
        upTo(static_cast<uint64_t>(emu::LaneState::AtClusterBarrier)));
    W.Lanes[L].PC = upTo(Instructions);
    W.Lanes[L].WaitsFor = upTo(UINT32_MAX);
    W.Calls[L] = words();
    for (uint32_t PC : W.Calls[L])
      Failed |= PC > Instructions;
    for (size_t N = 0; N < W.Calls[L].size() && !Failed; ++N)
      W.AtCalls[L].push_back(readRegisters());
    std::vector<uint8_t> Local = bytes();
    if (Local.size() != G.LocalBytes)
      return fail();
    W.Local.insert(W.Local.end(), Local.begin(), Local.end());
  }
  W.Registers = readRegisters();
}

emu::RegisterCopy CoreReader::readRegisters() {
  emu::RegisterCopy R;
  R.Vector = words();
  R.Convergence = words();
  R.Predicates = words();
  if (R.Predicates.size() != NumPredicates)
    fail();
  R.Uniform = words();
  for (unsigned N = 0; N < NumPredicates; ++N)
    R.UniformPredicates[N] = upTo(1);
  return R;
}

void CoreReader::readMBarriers(CoreGrid::CoreCTA &C) {
  for (uint64_t N = number(); N && !Failed; --N) {
    emu::MBarrierUse U;
    U.Address = upTo(UINT32_MAX);
    U.PC = upTo(G.Code->Offsets.size());
    for (uint64_t Warps = number(); Warps && !Failed; --Warps) {
      WarpPlace W;
      W.CTA = number();
      W.Warp = upTo(UINT32_MAX);
      U.Waiting.push_back({W, uint32_t(upTo(UINT32_MAX))});
    }
    C.MBarriers.push_back(std::move(U));
  }
}

void CoreReader::readTensorMemory(CoreGrid::CoreCTA &C) {
  for (uint64_t N = number(); N && !Failed; --N) {
    emu::TensorAllocation A;
    A.First = upTo(tensor::ExclusiveColumns);
    A.Columns = upTo(tensor::ExclusiveColumns);
    A.PC = upTo(G.Code->Offsets.size());
    for (unsigned L = 0; L < tensor::Lanes && !Failed; ++L) {
      std::vector<uint8_t> Cells = bytes();
      if (Cells.size() != size_t(A.Columns) * CellBytes)
        return fail();
      C.Cells.insert(C.Cells.end(), Cells.begin(), Cells.end());
    }
    C.Tensor.push_back(A);
  }
}

void CoreReader::readCTA() {
  CoreGrid::CoreCTA C;
  C.View.Number = number();
  C.View.Coordinates = dim();
  C.View.Warps = upTo(64);
  C.View.Running = upTo(1);
  C.View.Core = upTo(UINT32_MAX);
  C.Barriers = text().str();
  C.Shared = bytes();
  readMBarriers(C);
  readTensorMemory(C);
  for (unsigned W = 0; W < C.View.Warps && !Failed; ++W)
    readWarp(G.Warps[{C.View.Number, W}]);
  G.CTAs[C.View.Number] = std::move(C);
}

void CoreReader::readBlock() {
  uint64_t Address = number(), Size = number();
  std::vector<uint8_t> Block;
  while (Block.size() < Size && !Failed) {
    std::vector<uint8_t> Page = bytes();
    uint64_t Wanted = std::min<uint64_t>(Size - Block.size(), PageBytes);
    if (Page.size() == 2 && Wanted == PageBytes) {
      for (uint64_t N = 0; N < PageBytes; ++N)
        Block.push_back(Page[N % 2]);
      continue;
    }
    if (Page.size() != Wanted)
      return fail();
    Block.insert(Block.end(), Page.begin(), Page.end());
  }
  G.Blocks[Address] = std::move(Block);
}

bool CoreReader::read() {
  readCode();
  readKernel();
  readFault();
  for (uint64_t N = number(); N && !Failed; --N)
    readCTA();
  for (uint64_t N = number(); N && !Failed; --N)
    readBlock();
  return !Failed && Rest.empty() && !G.CTAs.empty();
}

Expected<std::unique_ptr<CoreGrid>> CoreGrid::read(StringRef Path) {
  auto Buffer = MemoryBuffer::getFile(Path);
  if (!Buffer)
    return createStringError(Path + ": " + Buffer.getError().message());
  StringRef Text = (*Buffer)->getBuffer();
  if (!Text.consume_front(Magic))
    return createStringError(Path + ": no core file of this version");
  auto G = std::make_unique<CoreGrid>();
  if (!CoreReader(Text, *G).read())
    return createStringError(Path + ": the core file is damaged");
  return std::move(G);
}

//===----------------------------------------------------------------------===//
// The grid
//===----------------------------------------------------------------------===//

std::vector<emu::CTAView> CoreGrid::ctas() const {
  std::vector<emu::CTAView> Result;
  Result.reserve(CTAs.size());
  for (const auto &[Number, C] : CTAs)
    Result.push_back(C.View);
  return Result;
}

rt::Dim3 CoreGrid::threadOf(WarpPlace W, unsigned Lane) const {
  const rt::Dim3 &B = Config.Block;
  uint32_t Linear = W.Warp * Lanes + Lane;
  uint32_t X = std::max(B.X, 1u), Y = std::max(B.Y, 1u);
  return {Linear % X, Linear / X % Y, Linear / X / Y};
}

std::vector<emu::MemoryBlock> CoreGrid::memory() const {
  std::vector<emu::MemoryBlock> Result;
  Result.reserve(Blocks.size());
  for (const auto &[Address, Bytes] : Blocks)
    Result.push_back({Address, Bytes});
  return Result;
}

/// Copies from the middle of some bytes; false if they do not have all.
static bool copyFrom(ArrayRef<uint8_t> Bytes, uint64_t Offset,
                     MutableArrayRef<uint8_t> Out) {
  if (Offset > Bytes.size() || Out.size() > Bytes.size() - Offset)
    return false;
  std::copy_n(Bytes.begin() + Offset, Out.size(), Out.begin());
  return true;
}

bool CoreGrid::readTensor(const CoreCTA &C, uint64_t Address,
                          MutableArrayRef<uint8_t> Out) {
  uint64_t Lane = Address >> TensorLaneShift,
           Column = Address & ((1u << TensorLaneShift) - 1);
  size_t Before = 0;
  for (const emu::TensorAllocation &A : C.Tensor) {
    ArrayRef<uint8_t> Cells = ArrayRef(C.Cells).drop_front(Before);
    size_t Row = size_t(A.Columns) * CellBytes;
    Before += Row * tensor::Lanes;
    if (Lane < tensor::Lanes && Column >= A.First &&
        Column < A.First + A.Columns)
      return copyFrom(Cells.slice(Lane * Row, Row),
                      (Column - A.First) * CellBytes, Out);
  }
  return false;
}

bool CoreGrid::read(MemorySpace Space, WarpPlace W, unsigned Lane,
                    uint64_t Address, MutableArrayRef<uint8_t> Out) {
  switch (Space) {
  case MemorySpace::Shared: {
    auto It = CTAs.find(W.CTA);
    return It != CTAs.end() && copyFrom(It->second.Shared, Address, Out);
  }
  case MemorySpace::Local: {
    auto It = Warps.find(W);
    return It != Warps.end() && Address <= LocalBytes &&
           copyFrom(
               ArrayRef(It->second.Local).slice(Lane * LocalBytes, LocalBytes),
               Address, Out);
  }
  case MemorySpace::Constant:
    return copyFrom(Constants, Address, Out);
  case MemorySpace::Param:
    return copyFrom(Params, Address, Out);
  case MemorySpace::Tensor: {
    auto It = CTAs.find(W.CTA);
    return It != CTAs.end() && readTensor(It->second, Address, Out);
  }
  case MemorySpace::Generic:
    break;
  }
  auto Low = static_cast<uint32_t>(Address);
  switch (Address >> 32) {
  case isa::abi::SharedWindow:
    return read(MemorySpace::Shared, W, Lane, Low, Out);
  case isa::abi::LocalWindow:
    return read(MemorySpace::Local, W, Lane, Low, Out);
  case isa::abi::ConstWindow:
    return read(MemorySpace::Constant, W, Lane, Low, Out);
  case isa::abi::ParamWindow:
    return read(MemorySpace::Param, W, Lane, Low, Out);
  default:
    break;
  }
  auto It = Blocks.upper_bound(Address);
  return It != Blocks.begin() &&
         copyFrom(std::prev(It)->second, Address - std::prev(It)->first, Out);
}

//===----------------------------------------------------------------------===//
// Cores of faults
//===----------------------------------------------------------------------===//

namespace {

/// Writes a core file at the first fault, and changes nothing else.
class FaultRecorder : public emu::Debugger {
public:
  explicit FaultRecorder(std::string Path) : Path(std::move(Path)) {}

  void load(std::shared_ptr<const emu::CodeDescription>) override {}
  void unload(const emu::CodeDescription &) override {}
  bool wantsRewind(uint64_t) override { return false; }
  void run(emu::DebuggedGrid &Grid) override {
    uint64_t Number;
    {
      std::lock_guard Lock(Mutex);
      Number = Kernels++;
    }
    if (Grid.resume({}).Kind != emu::GridEvent::Fault)
      return;
    std::lock_guard Lock(Mutex);
    if (std::exchange(HasWritten, true))
      return;
    Error E = writeCore(Grid, Number, Path);
    std::string Text = E ? toString(std::move(E))
                         : "core file " + Path +
                               " has the fault; see "
                               "ptx-debug --core";
    std::fprintf(stderr, "heddle: %s\n", Text.c_str());
  }

private:
  std::string Path;
  std::mutex Mutex;
  uint64_t Kernels = 0;
  bool HasWritten = false;
};

} // namespace

std::shared_ptr<emu::Debugger> recordFault(std::string Path) {
  return std::make_shared<FaultRecorder>(std::move(Path));
}

} // namespace heddle::debug

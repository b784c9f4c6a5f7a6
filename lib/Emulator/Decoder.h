//===- Decoder.h - Instructions prepared for execution ----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each instruction is decoded once, when its module is loaded, into operand
// rows, modifiers and the function that executes it.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_EMULATOR_DECODER_H
#define HEDDLE_LIB_EMULATOR_DECODER_H

#include "Code/LatePages.h"
#include "Code/StraightRuns.h"
#include "heddle/Emulator/Emulator.h"
#include "heddle/Emulator/SoftFloat.h"
#include "heddle/ISA/ISA.h"
#include "heddle/ISA/Matrix.h"
#include "heddle/ISA/TensorMemory.h"
#include "llvm/ADT/ArrayRef.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace heddle::emu {

class LateCode;
class Warp;
struct DecodedInst;

constexpr unsigned WarpSize = 32;
/// One bit for each lane.
using LaneMask = uint32_t;

// Rows of the register files. The zero register has its number's row, and the
// rows behind it are zero too, for its groups; its writes go to rows that
// are never read.
constexpr unsigned ZeroRow = 255;
constexpr unsigned SinkRow = 260;
constexpr unsigned NumRows = 264;
constexpr unsigned UniformZeroRow = 63;
constexpr unsigned UniformSinkRow = 68;
constexpr unsigned NumUniformRows = 72;
constexpr unsigned TruePredicate = 7;
constexpr unsigned SinkPredicate = 8;
constexpr unsigned NumPredicates = 9;
constexpr unsigned NumConvergence = 16;

/// A register of any file, for hazards: R0.., P0.., UR0.., UP0.., B0...
using RegId = uint16_t;
constexpr RegId FirstGPR = 0;
constexpr RegId FirstPredicate = 256;
constexpr RegId FirstUniform = 264;
constexpr RegId FirstUniformPredicate = 328;
constexpr RegId FirstConvergence = 336;
constexpr unsigned NumRegIds = 352;

/// Executes an instruction for the lanes of \p Exec, which is not empty.
using ExecFn = void (*)(Warp &W, const DecodedInst &I, LaneMask Exec);

using isa::AtomOp;
using isa::AtomType32;
using isa::BarMode;
using isa::BulkType;
using isa::CacheOp;
using isa::DataReport;
using isa::ElementOp;
using isa::ElementThen;
using isa::FabricOp;
using isa::FabricType;
using isa::MemOrder;
using isa::MemScope;
using isa::MemSize;
using isa::MufuFn;
using isa::PackType;
using isa::TensorDirection;
using isa::TensorMode;

/// A value of the ISA's modifier ElementType.
struct ElementType {
  uint8_t Code;
  unsigned bits() const { return 32 >> (Code >> 1); }
  bool isSigned() const { return Code & 1; }
};

/// What stands in the place of a source.
enum class SourceKind : uint8_t { Register, Immediate, Uniform };

/// The modifiers of matrix instructions.
struct MatrixModifiers {
  matrix::Shape Shape = matrix::Shape::M8N8K4;
  matrix::Element A = matrix::Element::F16, B = matrix::Element::F16;
  matrix::Result D = matrix::Result::F32, C = matrix::Result::F32;
  bool Saturate = false, BitAnd = false;
  bool ColumnsA = false, ColumnsB = false; ///< How A and B stand.
  bool Part = false;                       ///< Half of eight registers.
  uint8_t Scales = 0;                      ///< Chunks of K with a scale.
  bool ScaleType = false;                  ///< UE4M3, else UE8M0.
  uint8_t Selector = 0;                    ///< Which lanes hold the metadata.
  Rounding Round = Rounding::NearestEven;
  matrix::Tile Tile = matrix::Tile::Words8;
  uint8_t Count = 1; ///< Of matrices.
  matrix::Unpack Unpack = matrix::Unpack::None;
  // Of a warpgroup.
  bool NegatesA = false, NegatesB = false;
  bool TransposesA = false, TransposesB = false;
  bool Sparse = false;
};

/// The modifiers of asynchronous instructions.
struct AsyncModifiers {
  bool Reduces = false, Multicast = false, HasByteMask = false;
  bool ToGlobal = false;
  bool HasEdges = false; ///< Bytes at both ends that are not read.
  bool Cancels = false;  ///< Stores which cluster it has cancelled.
  bool IsHint = false;   ///< Copies nothing.
  DataReport Report = DataReport::None;
  bool Fabric = false;     ///< A tensor in an endpoint.
  bool HasExtents = false; ///< In place of those of the tensor map.
  bool Counts = false;     ///< The bytes that arrive, in the endpoint.
  bool WideSum = false;
  FabricOp FabricFn = FabricOp::Get;
  FabricType FabricTy = FabricType::U32;
  BulkType Type = BulkType::U32;
  TensorDirection Direction = TensorDirection::Load;
  TensorMode Mode = TensorMode::Tile;
  uint8_t Rank = 0;
};

/// The modifiers of instructions on tensor memory.
struct TensorModifiers {
  tensor::Shape Shape = tensor::Shape::L16x64b;
  tensor::Copy Copy = tensor::Copy::Shift;
  tensor::Kind Kind = tensor::Kind::F16;
  bool Pack = false;      ///< Halves of columns.
  bool Pair = false;      ///< Of two CTAs.
  bool Exclusive = false; ///< The only allocation.
  bool AInTensor = false, Stationary = false, ShiftsA = false;
  bool LooksUpB = false;
  uint8_t ScaleDown = 0; ///< D counts 2 to the minus that.
};

/// What each issue looks at stands in the first cache line.
struct alignas(64) DecodedInst {
  ExecFn Execute = nullptr; ///< Null: illegal.
  ExecFn General = nullptr; ///< What executorOf gives; vector code or the same
                            ///< is what executes.
  const isa::InstInfo *Info = nullptr;
  uint64_t Imm = 0;   ///< The immediate source, widened to 64 bits.
  int32_t Offset = 0; ///< Of an address, in bytes; of a branch, in
                      ///< instructions from this one (resolveTargets).
  // Rows. X is the index of a scaled address and U its uniform base.
  uint16_t D = SinkRow, A = ZeroRow, B = ZeroRow, C = ZeroRow, E = ZeroRow;
  uint16_t F = ZeroRow, G = ZeroRow, H = ZeroRow;
  uint16_t X = ZeroRow, U = UniformZeroRow;
  SourceKind KindB = SourceKind::Register, KindC = SourceKind::Register;
  isa::Form Form = isa::Form::R;
  uint8_t Guard = TruePredicate;
  bool GuardNegated = false;
  bool Uniform = false;
  // Predicates; the last letter n is the negation.
  uint8_t P = SinkPredicate, Q = SinkPredicate;
  uint8_t S = TruePredicate, T = TruePredicate, V = TruePredicate;
  bool Sn = false, Tn = false, Vn = false;
  // Modifiers, by role. Select is the operation's choice of function: fn, cmp,
  // lut, sh, minmax, shfn, half. Dty is ety too, and Bop then.
  uint8_t Ma = 0, Mb = 0, Mc = 0;
  uint8_t Select = 0;
  Rounding Rnd = Rounding::NearestEven;
  bool Sat = false, Ftz = false, NaN = false, XorSign = false, Relu = false;
  uint8_t Dty = 0, Sty = 0, Bop = 0, Ext = 0, Sgn = 0, Sgnb = 0;
  isa::MemOrder Order = isa::MemOrder::Weak;
  isa::MemScope Scope = isa::MemScope::CTA;
  isa::CacheOp Cache = isa::CacheOp::All; ///< It changes nothing but time.
  isa::AtomOp AtomOp = isa::AtomOp::Add;
  /// Or AtomType64, or ImageRedType.
  isa::AtomType32 AtomType = isa::AtomType32::Unsigned;
  uint8_t Scale = 0;
  uint8_t Size = 0; ///< MemSize, or ImageSize.
  uint8_t Bank = 0;
  bool Yieldable = false, Aligned = false;
  // Textures and surfaces.
  isa::ImageGeometry Geometry = isa::ImageGeometry::D1;
  isa::LodMode Lod = isa::LodMode::Base;
  isa::OutOfImage OutOfImage = isa::OutOfImage::Trap;
  isa::ImageQuery Query = isa::ImageQuery::Width;
  uint8_t Component = 0;
  bool IntCoords = false, TexelOffset = false, DepthCompare = false;
  bool Formatted = false;
  uint16_t Segment = 0;
  MatrixModifiers Matrix;
  AsyncModifiers Async;
  TensorModifiers Tensor;
  // Control.
  uint8_t Stall = 1;
  bool Yield = false;
  uint8_t WaitMask = 0;
  uint8_t WriteCounter = isa::NoCounter, ReadCounter = isa::NoCounter;
  bool Variable = false; ///< The result has no fixed latency.
  uint16_t Latency = 0;
  /// For hazards: what is read, and behind that what is written.
  const RegId *Registers = nullptr;
  uint8_t NumReads = 0, NumWrites = 0;

  /// Whether all threads of a group execute it.
  bool isUnguarded() const { return Guard == TruePredicate && !GuardNegated; }
};

/// How many registers code names, from the first to the last.
struct RegisterUse {
  unsigned Rows = 0; ///< Of the register file.
  unsigned Uniform = 0;
  unsigned Convergence = 0;

  void add(llvm::ArrayRef<RegId> Registers);
};

/// A text section in a CodeImage.
struct CodeSection {
  std::string Name;
  uint32_t First = 0; ///< Index of its first instruction.
  uint32_t Count = 0;
  uint32_t ObjectSection = 0; ///< Index in the code object.
  RegisterUse Used;
  bool IsAlone = false; ///< Its code goes nowhere else.
};

/// All code of a module, and entries of functions that may lie apart. A program
/// counter is an index into Insts.
struct CodeImage {
  LateVector<DecodedInst> Insts;
  std::deque<std::vector<RegId>> RegLists; ///< What instructions point to.
  std::vector<CodeSection> Sections;
  uint64_t Base = 0; ///< The device address of the first instruction.
  /// Distance in bytes of each instruction from the first, and of the end.
  std::vector<uint32_t> Offsets{0};
  /// The first instruction of the entries, and what its offset is counted from.
  uint32_t FirstEntry = ~uint32_t(0);
  uint64_t EntryBase = 0;
  RegisterUse Used;
  bool Prints = false; ///< Some instruction may.
  StraightRuns Runs;
  /// What is decoded when it is reached; null: all is there.
  std::shared_ptr<LateCode> Late;

  /// Something leads to a PC that direct branches need not lead to.
  void reach(uint32_t PC) const {
    if (Late)
      reachLate(PC);
  }
  /// Something is going to look at all of the code.
  void reachAll() const;

  /// The device address of an instruction and back; an address that is none
  /// gives a PC outside the code.
  uint64_t addressOf(uint32_t PC) const {
    return (PC < FirstEntry ? Base : EntryBase) +
           Offsets[std::min<size_t>(PC, Insts.size())];
  }
  uint32_t indexOf(uint64_t Address) const;
  /// The section that a PC lies in; null if none.
  const CodeSection *sectionOf(uint32_t PC) const;
  /// The registers that code may name which starts at a PC.
  const RegisterUse &usedFrom(uint32_t PC) const {
    const CodeSection *Section = sectionOf(PC);
    return Section && Section->IsAlone ? Section->Used : Used;
  }
  /// Bytes from the start of its section to a PC.
  uint64_t offsetInSection(uint32_t PC) const;
  /// Makes room for so many instructions: those of large programs are not to
  /// be moved, and what is not decoded yet takes no memory then.
  void reserve(size_t Count) {
    Insts.reserve(Count);
    Offsets.reserve(Count + 1);
  }
  llvm::ArrayRef<RegId> reads(const DecodedInst &I) const {
    return {I.Registers, I.NumReads};
  }
  llvm::ArrayRef<RegId> writes(const DecodedInst &I) const {
    return {I.Registers + I.NumReads, I.NumWrites};
  }

private:
  void reachLate(uint32_t PC) const;
};

/// A PC at which there is no instruction.
constexpr uint32_t InvalidPC = ~uint32_t(0);

/// The bytes of addresses that a section's code takes on \p Chip: each starts
/// on a line of its own, so that what a kernel fetches does not depend on what
/// stands before it, and an instruction that is none is behind it.
uint64_t sectionSpace(uint64_t Bytes, const isa::ChipInfo &Chip);

/// How many instructions a section's code becomes in an image, with what is
/// behind it.
size_t countInstructions(llvm::ArrayRef<uint8_t> Bytes);

/// Appends a section to \p Image, without its instructions.
void addSection(CodeImage &Image, std::string Name,
                llvm::ArrayRef<uint8_t> Bytes, const isa::ChipInfo &Chip);

/// Decodes the code of a section of \p Image, to run with \p Vectors. Bytes
/// that are no instruction become entries whose execution is a fault.
void decodeInto(CodeImage &Image, CodeSection &Section,
                llvm::ArrayRef<uint8_t> Bytes, const isa::ChipInfo &Chip,
                HostVectors Vectors);

/// Both, for code that is going to be looked at from the beginning.
void decodeSection(CodeImage &Image, std::string Name,
                   llvm::ArrayRef<uint8_t> Bytes, const isa::ChipInfo &Chip,
                   HostVectors Vectors);

/// Turns the distances of branches from bytes to instructions, once all
/// sections are there, and finds the straight runs. Where no instruction
/// starts, the target is no PC of the image. What is decoded later is left out.
void resolveTargets(CodeImage &Image);
/// The same for a section that was decoded later.
void resolveTargets(CodeImage &Image, CodeSection &Section);

/// What is appended from now on are entries, from \p Address on.
void beginEntries(CodeImage &Image, uint64_t Address);

/// The function that executes an operation.
ExecFn executorOf(isa::Op Operation);

/// The name of a register, for people.
std::string regName(RegId R);

} // namespace heddle::emu

#endif // HEDDLE_LIB_EMULATOR_DECODER_H

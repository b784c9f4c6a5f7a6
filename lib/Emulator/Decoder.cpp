//===- Decoder.cpp - Instructions prepared for execution --------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads operands by role from the tables generated from isa-defs/ and checks
// what the tables leave open: that register groups are aligned and exist.
//
//===----------------------------------------------------------------------===//

#include "Decoder.h"
#include "Code/LateCode.h"
#include "Vector/Vector.h"

#include <algorithm>

using namespace llvm;
using heddle::isa::Op;
using heddle::isa::OperandKind;
using heddle::isa::Role;

namespace heddle::emu {

uint32_t CodeImage::indexOf(uint64_t Address) const {
  auto Find = [&](size_t First, size_t Last, uint64_t Offset) -> uint32_t {
    auto End = Offsets.begin() + Last;
    auto It = std::lower_bound(Offsets.begin() + First, End, Offset);
    return It == End || *It != Offset ? InvalidPC : It - Offsets.begin();
  };
  size_t OwnEnd = std::min<size_t>(FirstEntry, Insts.size());
  uint32_t Own = Find(0, OwnEnd, Address - Base);
  if (Own != InvalidPC || OwnEnd == Insts.size())
    return Own;
  return Find(OwnEnd, Insts.size(), Address - EntryBase);
}

uint64_t CodeImage::offsetInSection(uint32_t PC) const {
  const CodeSection *S = sectionOf(PC);
  return addressOf(PC) - (S ? addressOf(S->First) : Base);
}

const CodeSection *CodeImage::sectionOf(uint32_t PC) const {
  for (const CodeSection &S : Sections)
    if (PC >= S.First && PC - S.First < S.Count)
      return &S;
  return nullptr;
}

std::string regName(RegId R) {
  if (R >= FirstConvergence)
    return "B" + std::to_string(R - FirstConvergence);
  if (R >= FirstUniformPredicate)
    return "UP" + std::to_string(R - FirstUniformPredicate);
  if (R >= FirstUniform)
    return "UR" + std::to_string(R - FirstUniform);
  if (R >= FirstPredicate)
    return "P" + std::to_string(R - FirstPredicate);
  return "R" + std::to_string(R);
}

namespace {

/// How many registers an operand of this kind has, and where its file stands.
struct FileInfo {
  unsigned Group = 0; ///< 0: not a register.
  unsigned Zero = 0;  ///< The number that is no register; past all for none.
  RegId First = 0;
};

FileInfo fileInfo(OperandKind K) {
  switch (K) {
  case OperandKind::GPR32:
    return {1, ZeroRow, FirstGPR};
  case OperandKind::GPR64:
    return {2, ZeroRow, FirstGPR};
  case OperandKind::GPR128:
    return {4, ZeroRow, FirstGPR};
  case OperandKind::UGPR32:
    return {1, UniformZeroRow, FirstUniform};
  case OperandKind::UGPR64:
    return {2, UniformZeroRow, FirstUniform};
  case OperandKind::UGPR128:
    return {4, UniformZeroRow, FirstUniform};
  case OperandKind::PR:
    return {1, TruePredicate, FirstPredicate};
  case OperandKind::UPR:
    return {1, TruePredicate, FirstUniformPredicate};
  case OperandKind::BR:
    return {1, NumConvergence, FirstConvergence};
  default:
    return {};
  }
}

bool isUniformFile(OperandKind K) {
  return K == OperandKind::UGPR32 || K == OperandKind::UGPR64 ||
         K == OperandKind::UGPR128;
}

/// A group must be aligned and may not run into the zero register.
bool isValidRegister(const FileInfo &File, unsigned Number) {
  return Number == File.Zero ||
         (Number % File.Group == 0 && Number + File.Group <= File.Zero);
}

/// Double-precision operations take an immediate as the high half.
bool takesHighHalf(Op O) {
  return O == Op::DADD || O == Op::DMUL || O == Op::DFMA || O == Op::DMNMX ||
         O == Op::DSETP;
}

bool isDefinedAtomic(const DecodedInst &I) {
  bool IsFloat = I.AtomType >= AtomType32::Float;
  bool IsSigned = I.AtomType == AtomType32::Signed;
  switch (I.AtomOp) {
  case AtomOp::Add:
  case AtomOp::Exchange:
  case AtomOp::Min:
  case AtomOp::Max:
    return true;
  case AtomOp::Inc:
  case AtomOp::Dec:
    return !IsFloat && !IsSigned;
  default:
    return !IsFloat;
  }
}

/// Of a surface.
bool isDefinedReduction(const DecodedInst &I) {
  switch (I.AtomOp) {
  case AtomOp::Add:
  case AtomOp::Min:
  case AtomOp::Max:
  case AtomOp::And:
  case AtomOp::Or:
    return true;
  default:
    return false;
  }
}

bool isDefinedProduct(const DecodedInst &I) {
  const MatrixModifiers &M = I.Matrix;
  return matrix::isDefined(
      {M.Shape, M.A, M.B, M.D, M.C, I.Info->Operation == Op::MMASP, M.Scales});
}

/// Matrices for which there are addresses and registers.
bool isDefinedTile(const DecodedInst &I) {
  const MatrixModifiers &M = I.Matrix;
  if (I.Info->Operation == Op::LDSM64 &&
      M.Count * matrix::registersOf(M.Tile) > 2)
    return false;
  switch (M.Tile) {
  case matrix::Tile::Words8:
  case matrix::Tile::Words8Transposed:
  case matrix::Tile::Bytes8Transposed:
    return M.Unpack == matrix::Unpack::None;
  case matrix::Tile::Bytes16Transposed:
    return M.Count <= 2 && M.Unpack != matrix::Unpack::FromSigned4Bits;
  default:
    return true;
  }
}

bool isDefinedOnElements(const DecodedInst &I) {
  auto Fn = static_cast<ElementOp>(I.Select);
  bool MaySaturate = Fn == ElementOp::Add || Fn == ElementOp::Subtract ||
                     Fn == ElementOp::Difference;
  bool MayBeNegative = ElementType{I.Dty}.isSigned() &&
                       I.Bop != unsigned(ElementThen::Accumulate);
  return (!I.Sat || MaySaturate) && (!I.Relu || MayBeNegative);
}

/// Whether the operation has a meaning for its modifiers' combination, where
/// the tables allow more than isa-defs/ defines.
bool isDefined(const DecodedInst &I) {
  switch (I.Info->Operation) {
  case Op::VALU:
    return isDefinedOnElements(I);
  case Op::F2FP:
    return I.Dty != unsigned(PackType::F32) &&
           I.Dty != unsigned(PackType::TF32) &&
           I.Dty <= unsigned(PackType::E2M1);
  case Op::F2FUP:
    return I.Dty == unsigned(PackType::F16) &&
           I.Sty >= unsigned(PackType::E4M3) &&
           I.Sty <= unsigned(PackType::E2M1);
  case Op::I2F:
  case Op::I642F:
  case Op::D2F:
    return I.Dty != unsigned(PackType::TF32);
  case Op::F2I:
  case Op::F2I64:
  case Op::F2D:
  case Op::F2F:
    return I.Sty != unsigned(PackType::TF32);
  case Op::ATOMCAS:
  case Op::ATOMGCAS:
  case Op::ATOMSCAS:
    return I.Size == unsigned(MemSize::U16) ||
           I.Size == unsigned(MemSize::Word);
  case Op::SURED:
    return isDefinedReduction(I);
  case Op::MMA:
  case Op::MMASP:
  case Op::MMASC:
    return isDefinedProduct(I);
  case Op::MMA64:
    return isDefinedProduct(I) &&
           matrix::isPairOfSums(I.Matrix.Shape, I.Matrix.D);
  case Op::LDSM:
  case Op::LDSM64:
  case Op::STSM:
    return isDefinedTile(I);
  default:
    break;
  }
  return !I.Info->operand(Role::aop) || !I.Info->operand(Role::aty) ||
         isDefinedAtomic(I);
}

class InstDecoder {
public:
  InstDecoder(DecodedInst &I, std::vector<RegId> &RegLists)
      : I(I), RegLists(RegLists) {}

  bool decode(const isa::Encoding &E, const isa::ChipInfo &Chip);

private:
  bool decodeRegister(const isa::OperandInfo &O, unsigned Number);
  bool decodeGeneral(const isa::OperandInfo &O, unsigned Row);
  bool decodePredicate(const isa::OperandInfo &O, unsigned Number);
  bool decodeValue(const isa::OperandInfo &O, int64_t Value);
  void decodeModifier(Role R, unsigned Value);
  bool decodeSourceModifier(Role R, unsigned Value);
  bool decodeArithmeticModifier(Role R, unsigned Value);
  bool decodeAccessModifier(Role R, unsigned Value);
  bool decodeTextureModifier(Role R, unsigned Value);
  bool decodeMatrixModifier(Role R, unsigned Value);
  bool decodeMatrixSource(Role R, unsigned Value);
  bool decodeAsyncModifier(Role R, unsigned Value);
  bool decodeFabricModifier(Role R, unsigned Value);
  bool decodeTensorModifier(Role R, unsigned Value);
  void decodeControl(uint32_t Value);
  void addImplicit();
  void finishRegLists();

  DecodedInst &I;
  std::vector<RegId> &RegLists;
  std::vector<RegId> Reads, Writes;
};

bool InstDecoder::decode(const isa::Encoding &E, const isa::ChipInfo &Chip) {
  I.Info = isa::decode(E);
  if (!I.Info)
    return false;
  I.Form = I.Info->F;
  I.Uniform = I.Info->Uniform;
  if (I.Uniform)
    I.A = I.B = I.C = UniformZeroRow;
  for (const isa::OperandInfo &O : I.Info->Operands) {
    int64_t Value = isa::operandValue(E, O);
    bool IsRegister = fileInfo(O.Kind).Group != 0;
    if (IsRegister ? !decodeRegister(O, static_cast<unsigned>(Value))
                   : !decodeValue(O, Value))
      return false;
  }
  I.Variable = isa::latencyClass(I.Info->Latency).Variable;
  I.Latency = Chip.Timings[static_cast<size_t>(I.Info->Latency)].Latency;
  if (!isDefined(I))
    return false;
  addImplicit();
  finishRegLists();
  I.General = executorOf(I.Info->Operation);
  return true;
}

bool InstDecoder::decodeRegister(const isa::OperandInfo &O, unsigned Number) {
  FileInfo File = fileInfo(O.Kind);
  if (!isValidRegister(File, Number))
    return false;
  if (Number != File.Zero)
    for (unsigned N = 0; N < File.Group; ++N)
      (O.IsDef ? Writes : Reads).push_back(File.First + Number + N);
  if (O.Kind == OperandKind::PR || O.Kind == OperandKind::UPR)
    return decodePredicate(O, Number);
  // BREAK both reads and writes its convergence register.
  if (O.Kind == OperandKind::BR && I.Info->Operation == Op::BREAK)
    Reads.push_back(File.First + Number);
  unsigned Row = Number;
  if (O.IsDef && Number == File.Zero)
    Row = isUniformFile(O.Kind) ? UniformSinkRow : SinkRow;
  return decodeGeneral(O, Row);
}

bool InstDecoder::decodeGeneral(const isa::OperandInfo &O, unsigned Row) {
  SourceKind Kind = isUniformFile(O.Kind) && !I.Uniform ? SourceKind::Uniform
                                                        : SourceKind::Register;
  switch (O.R) {
  case Role::d:
    I.D = Row;
    return true;
  case Role::a:
    I.A = Row;
    return true;
  case Role::b:
    I.B = Row;
    I.KindB = Kind;
    return true;
  case Role::c:
    I.C = Row;
    I.KindC = Kind;
    return true;
  case Role::e:
    I.E = Row;
    return true;
  case Role::f:
    I.F = Row;
    return true;
  case Role::g:
    I.G = Row;
    return true;
  case Role::h:
    I.H = Row;
    return true;
  case Role::x:
    I.X = Row;
    return true;
  case Role::u:
    I.U = Row;
    return true;
  default:
    return false;
  }
}

bool InstDecoder::decodePredicate(const isa::OperandInfo &O, unsigned Number) {
  switch (O.R) {
  case Role::p:
    I.P = Number == TruePredicate ? SinkPredicate : Number;
    return true;
  case Role::q:
    I.Q = Number == TruePredicate ? SinkPredicate : Number;
    return true;
  case Role::s:
    I.S = Number;
    return true;
  case Role::t:
    I.T = Number;
    return true;
  case Role::v:
    I.V = Number;
    return true;
  case Role::pg:
    I.Guard = Number;
    return true;
  default:
    return false;
  }
}

bool InstDecoder::decodeValue(const isa::OperandInfo &O, int64_t Value) {
  switch (O.R) {
  case Role::ctl:
    decodeControl(static_cast<uint32_t>(Value));
    return true;
  case Role::b:
  case Role::c:
  case Role::wide:
    I.Imm = static_cast<uint64_t>(Value);
    if (takesHighHalf(I.Info->Operation))
      I.Imm <<= 32;
    (O.R == Role::c ? I.KindC : I.KindB) = SourceKind::Immediate;
    return true;
  case Role::imm:
  case Role::num:
    I.Offset = static_cast<int32_t>(Value);
    return true;
  case Role::tgt:
    I.Offset = static_cast<int32_t>(Value);
    return Value % isa::CompactBytes == 0;
  case Role::bank:
    I.Bank = Value;
    return true;
  case Role::seg:
    I.Segment = Value;
    return true;
  default:
    break;
  }
  // A modifier may have no value for what its bits hold.
  if (O.Modifier >= 0 &&
      uint64_t(Value) >= isa::modifiers()[O.Modifier].Values.size())
    return false;
  decodeModifier(O.R, static_cast<unsigned>(Value));
  return true;
}

void InstDecoder::decodeModifier(Role R, unsigned Value) {
  // Roles differ from group to group; a role that none has is nothing to run.
  (void)(decodeSourceModifier(R, Value) || decodeArithmeticModifier(R, Value) ||
         decodeAccessModifier(R, Value) || decodeMatrixModifier(R, Value) ||
         decodeAsyncModifier(R, Value) || decodeTensorModifier(R, Value) ||
         decodeTextureModifier(R, Value));
}

/// False for the modifiers of other instructions.
bool InstDecoder::decodeAsyncModifier(Role R, unsigned Value) {
  AsyncModifiers &A = I.Async;
  switch (R) {
  case Role::bred:
    A.Reduces = Value;
    return true;
  case Role::bmc:
    A.Multicast = Value;
    return true;
  case Role::bbm:
    A.HasByteMask = Value;
    return true;
  case Role::bto:
    A.ToGlobal = Value;
    return true;
  case Role::bedge:
    A.HasEdges = Value;
    return true;
  case Role::bcan:
    A.Cancels = Value;
    return true;
  case Role::bty:
    A.Type = static_cast<BulkType>(Value);
    return true;
  case Role::tdir:
    A.Direction = static_cast<TensorDirection>(Value);
    return true;
  case Role::tmode:
    A.Mode = static_cast<TensorMode>(Value);
    return true;
  case Role::tdim:
    A.Rank = Value;
    return true;
  case Role::brep:
    A.Report = static_cast<DataReport>(Value);
    return true;
  case Role::bhint:
    A.IsHint = Value;
    return true;
  default:
    return decodeFabricModifier(R, Value);
  }
}

/// False for the modifiers of other instructions.
bool InstDecoder::decodeFabricModifier(Role R, unsigned Value) {
  AsyncModifiers &A = I.Async;
  switch (R) {
  case Role::tfab:
    A.Fabric = Value;
    return true;
  case Role::tshp:
    A.HasExtents = Value;
    return true;
  case Role::fcnt:
    A.Counts = Value;
    return true;
  case Role::facc:
    A.WideSum = Value;
    return true;
  case Role::fdir:
    A.FabricFn = static_cast<FabricOp>(Value);
    return true;
  case Role::fty:
    A.FabricTy = static_cast<FabricType>(Value);
    return true;
  default:
    return false;
  }
}

/// False for the modifiers of other instructions.
bool InstDecoder::decodeTensorModifier(Role R, unsigned Value) {
  TensorModifiers &T = I.Tensor;
  switch (R) {
  case Role::tshape:
    T.Shape = static_cast<tensor::Shape>(Value);
    return true;
  case Role::tpack:
    T.Pack = Value;
    return true;
  case Role::tpair:
    T.Pair = Value;
    return true;
  case Role::texcl:
    T.Exclusive = Value;
    return true;
  case Role::tcopy:
    T.Copy = static_cast<tensor::Copy>(Value);
    return true;
  case Role::tkind:
    T.Kind = static_cast<tensor::Kind>(Value);
    return true;
  case Role::tmema:
    T.AInTensor = Value;
    return true;
  case Role::tws:
    T.Stationary = Value;
    return true;
  case Role::tash:
    T.ShiftsA = Value;
    return true;
  case Role::tlut:
    T.LooksUpB = Value;
    return true;
  case Role::tdscale:
    T.ScaleDown = Value;
    return true;
  default:
    return false;
  }
}

/// How the elements of the factors are read.
bool InstDecoder::decodeMatrixSource(Role R, unsigned Value) {
  MatrixModifiers &M = I.Matrix;
  switch (R) {
  case Role::la:
    M.ColumnsA = Value;
    return true;
  case Role::lb:
    M.ColumnsB = Value;
    return true;
  case Role::munp:
    M.Unpack = static_cast<matrix::Unpack>(Value);
    return true;
  case Role::wna:
    M.NegatesA = Value;
    return true;
  case Role::wnb:
    M.NegatesB = Value;
    return true;
  case Role::wta:
    M.TransposesA = Value;
    return true;
  case Role::wtb:
    M.TransposesB = Value;
    return true;
  case Role::wsp:
    M.Sparse = Value;
    return true;
  default:
    return false;
  }
}

/// False for the modifiers of other instructions.
bool InstDecoder::decodeMatrixModifier(Role R, unsigned Value) {
  MatrixModifiers &M = I.Matrix;
  switch (R) {
  case Role::mshape:
    M.Shape = static_cast<matrix::Shape>(Value);
    return true;
  case Role::mta:
    M.A = static_cast<matrix::Element>(Value);
    return true;
  case Role::mtb:
    M.B = static_cast<matrix::Element>(Value);
    return true;
  case Role::mtd: // C has the same type where it has none of its own.
    M.D = M.C = static_cast<matrix::Result>(Value);
    return true;
  case Role::mtc:
    M.C = static_cast<matrix::Result>(Value);
    return true;
  case Role::mbop:
    M.BitAnd = Value;
    return true;
  case Role::msat:
    M.Saturate = Value;
    return true;
  case Role::part:
    M.Part = Value;
    return true;
  case Role::msv:
    M.Scales = Value == 0 ? 0 : 1 << (Value - 1);
    return true;
  case Role::mst:
    M.ScaleType = Value;
    return true;
  case Role::mpair:
    M.Selector = Value;
    return true;
  case Role::mrnd:
    M.Round = static_cast<Rounding>(Value);
    return true;
  case Role::mtile:
    M.Tile = static_cast<matrix::Tile>(Value);
    return true;
  case Role::mcount:
    M.Count = 1 << Value;
    return true;
  default:
    return decodeMatrixSource(R, Value);
  }
}

/// Of sources, predicates and the guard.
bool InstDecoder::decodeSourceModifier(Role R, unsigned Value) {
  switch (R) {
  case Role::pgn:
    I.GuardNegated = Value;
    return true;
  case Role::sn:
    I.Sn = Value;
    return true;
  case Role::tn:
    I.Tn = Value;
    return true;
  case Role::vn:
    I.Vn = Value;
    return true;
  case Role::ma:
    I.Ma = Value;
    return true;
  case Role::mb:
    I.Mb = Value;
    return true;
  case Role::mc:
    I.Mc = Value;
    return true;
  default:
    return false;
  }
}

/// Of instructions that access memory.
bool InstDecoder::decodeAccessModifier(Role R, unsigned Value) {
  switch (R) {
  case Role::order:
    I.Order = static_cast<MemOrder>(Value);
    return true;
  case Role::scope:
    I.Scope = static_cast<MemScope>(Value);
    return true;
  case Role::cache:
    I.Cache = static_cast<CacheOp>(Value);
    return true;
  case Role::aop:
    I.AtomOp = static_cast<AtomOp>(Value);
    return true;
  case Role::aty:
    I.AtomType = static_cast<AtomType32>(Value);
    return true;
  case Role::sc:
    I.Scale = Value;
    return true;
  case Role::size:
    I.Size = Value;
    return true;
  default:
    return false;
  }
}

/// Of instructions that read and write images.
bool InstDecoder::decodeTextureModifier(Role R, unsigned Value) {
  switch (R) {
  case Role::geom:
    I.Geometry = static_cast<isa::ImageGeometry>(Value);
    return true;
  case Role::cint:
    I.IntCoords = Value;
    return true;
  case Role::lod:
    I.Lod = static_cast<isa::LodMode>(Value);
    return true;
  case Role::off:
    I.TexelOffset = Value;
    return true;
  case Role::dc:
    I.DepthCompare = Value;
    return true;
  case Role::comp:
    I.Component = Value;
    return true;
  case Role::oob:
    I.OutOfImage = static_cast<isa::OutOfImage>(Value);
    return true;
  case Role::query:
    I.Query = static_cast<isa::ImageQuery>(Value);
    return true;
  case Role::fmt:
    I.Formatted = Value;
    return true;
  default:
    return false;
  }
}

/// Of arithmetic, and of all that is left.
bool InstDecoder::decodeArithmeticModifier(Role R, unsigned Value) {
  switch (R) {
  case Role::sat:
    I.Sat = Value;
    return true;
  case Role::ftz:
    I.Ftz = Value;
    return true;
  case Role::relu:
    I.Relu = Value;
    return true;
  case Role::nan:
    I.NaN = Value;
    return true;
  case Role::xorsign:
    I.XorSign = Value;
    return true;
  case Role::rnd:
    I.Rnd = static_cast<Rounding>(Value);
    return true;
  case Role::minmax:
  case Role::cmp:
  case Role::lut:
  case Role::fn:
  case Role::sh:
  case Role::shfn:
  case Role::half:
    I.Select = Value;
    return true;
  case Role::dty:
  case Role::ety:
    I.Dty = Value;
    return true;
  case Role::sty:
    I.Sty = Value;
    return true;
  case Role::bop:
  case Role::then:
    I.Bop = Value;
    return true;
  case Role::ext:
  case Role::aext:
    I.Ext = Value;
    return true;
  case Role::sgn:
    I.Sgn = Value;
    return true;
  case Role::sgnb:
    I.Sgnb = Value;
    return true;
  case Role::yieldable:
    I.Yieldable = Value;
    return true;
  case Role::aligned:
    I.Aligned = Value;
    return true;
  default:
    return false;
  }
}

void InstDecoder::decodeControl(uint32_t Value) {
  isa::Control C = isa::Control::unpack(Value);
  I.Stall = std::max<uint8_t>(C.Stall, 1);
  I.Yield = C.Yield;
  I.WaitMask = C.WaitMask;
  I.WriteCounter = C.WriteCounter;
  I.ReadCounter = C.ReadCounter;
}

/// Registers that no operand names.
void InstDecoder::addImplicit() {
  auto Add = [](std::vector<RegId> &List, unsigned First, unsigned Count) {
    for (unsigned N = 0; N < Count; ++N)
      List.push_back(First + N);
  };
  switch (I.Info->Operation) {
  case Op::P2R:
    Add(Reads, FirstPredicate, TruePredicate);
    break;
  case Op::R2P:
    for (unsigned N = 0; N < TruePredicate; ++N)
      if (I.Imm >> N & 1)
        Writes.push_back(FirstPredicate + N);
    break;
  case Op::SYSCALL:
    for (const isa::SystemCallInfo &S : isa::systemCalls()) {
      if (S.Number != I.Imm)
        continue;
      Add(Reads, isa::abi::FirstArgument, S.ArgumentRegisters);
      Add(Writes, isa::abi::FirstArgument, S.ResultRegisters);
    }
    break;
  default:
    break;
  }
}

void InstDecoder::finishRegLists() {
  auto Append = [&](std::vector<RegId> &List, uint8_t &Count) {
    std::sort(List.begin(), List.end());
    List.erase(std::unique(List.begin(), List.end()), List.end());
    Count = List.size();
    RegLists.insert(RegLists.end(), List.begin(), List.end());
  };
  Append(Reads, I.NumReads);
  Append(Writes, I.NumWrites);
}

} // namespace

uint64_t sectionSpace(uint64_t Bytes, const isa::ChipInfo &Chip) {
  return alignTo(Bytes + isa::InstBytes, Chip.LineBytes);
}

/// The bytes of the instruction that code begins with.
static size_t sizeOfFirst(ArrayRef<uint8_t> Bytes) {
  return std::min<size_t>(isa::instructionBytes(Bytes[0]), Bytes.size());
}

size_t countInstructions(ArrayRef<uint8_t> Bytes) {
  size_t Count = 1; // behind the section
  for (; !Bytes.empty(); ++Count)
    Bytes = Bytes.drop_front(sizeOfFirst(Bytes));
  return Count;
}

void addSection(CodeImage &Image, std::string Name, ArrayRef<uint8_t> Bytes,
                const isa::ChipInfo &Chip) {
  CodeSection Section;
  Section.Name = std::move(Name);
  Section.First = Image.Insts.size();
  size_t Gap = sectionSpace(Bytes.size(), Chip) - Bytes.size();
  while (!Bytes.empty()) {
    size_t Size = sizeOfFirst(Bytes);
    Image.Offsets.push_back(Image.Offsets.back() + Size);
    Bytes = Bytes.drop_front(Size);
  }
  Section.Count = Image.Offsets.size() - 1 - Section.First;
  // Running past the end of a section must not run into the next one.
  Image.Offsets.push_back(Image.Offsets.back() + Gap);
  Image.Insts.resize(Image.Offsets.size() - 1);
  Image.Sections.push_back(std::move(Section));
}

void decodeInto(CodeImage &Image, CodeSection &Section, ArrayRef<uint8_t> Bytes,
                const isa::ChipInfo &Chip, HostVectors Vectors) {
  std::vector<RegId> &Lists = Image.RegLists.emplace_back();
  MutableArrayRef<DecodedInst> Insts(&Image.Insts[Section.First],
                                     Section.Count);
  for (DecodedInst &I : Insts) {
    I = DecodedInst();
    std::optional<isa::Encoding> E = isa::readEncoding(Bytes);
    if (E && InstDecoder(I, Lists).decode(*E, Chip)) {
      ExecFn Vector = vectorExecutor(Vectors, I);
      I.Execute = Vector ? Vector : I.General;
    }
    Bytes = Bytes.drop_front(sizeOfFirst(Bytes));
  }
  // What stands behind the section is one that is illegal.
  Image.Insts[Section.First + Section.Count] = DecodedInst();
  Lists.shrink_to_fit();
  const RegId *Next = Lists.data();
  for (DecodedInst &I : Insts) {
    I.Registers = Next;
    Next += I.NumReads + I.NumWrites;
  }
  Section.Used.add(Lists);
}

void decodeSection(CodeImage &Image, std::string Name, ArrayRef<uint8_t> Bytes,
                   const isa::ChipInfo &Chip, HostVectors Vectors) {
  addSection(Image, std::move(Name), Bytes, Chip);
  CodeSection &Section = Image.Sections.back();
  decodeInto(Image, Section, Bytes, Chip, Vectors);
  Image.Used.add(Image.RegLists.back());
  for (uint32_t N = 0; N != Section.Count; ++N) {
    const DecodedInst &I = Image.Insts[Section.First + N];
    Image.Prints |= I.Execute && I.Info->Operation == isa::Op::SYSCALL;
  }
}

void RegisterUse::add(ArrayRef<RegId> Registers) {
  for (RegId R : Registers)
    if (R < FirstPredicate)
      Rows = std::max<unsigned>(Rows, R + 1);
    else if (R >= FirstUniform && R < FirstUniformPredicate)
      Uniform = std::max<unsigned>(Uniform, R + 1 - FirstUniform);
    else if (R >= FirstConvergence)
      Convergence = std::max<unsigned>(Convergence, R + 1 - FirstConvergence);
}

/// Whether code of \p Section, whose targets are resolved, stays in it.
static bool isAlone(const CodeImage &Image, const CodeSection &Section) {
  for (uint32_t PC = Section.First; PC != Section.First + Section.Count; ++PC) {
    const DecodedInst &I = Image.Insts[PC];
    if (!I.Info)
      continue;
    isa::Op O = I.Info->Operation;
    if (O == isa::Op::BRX || O == isa::Op::CALLR || O == isa::Op::RET)
      return false;
    if (I.Info->operand(Role::tgt) &&
        PC + uint32_t(I.Offset) - Section.First >= Section.Count)
      return false;
  }
  return true;
}

static void resolveTargets(CodeImage &Image, uint32_t First, uint32_t End) {
  for (uint32_t PC = First; PC != End; ++PC) {
    DecodedInst &I = Image.Insts[PC];
    if (!I.Info || !I.Info->operand(Role::tgt))
      continue;
    uint64_t Target = Image.addressOf(PC) + isa::InstBytes + int64_t(I.Offset);
    I.Offset = static_cast<int32_t>(Image.indexOf(Target) - PC);
  }
}

void resolveTargets(CodeImage &Image, CodeSection &Section) {
  resolveTargets(Image, Section.First, Section.First + Section.Count);
  Section.IsAlone = isAlone(Image, Section);
  findStraightRuns(Image, Section.First, Section.First + Section.Count);
}

void resolveTargets(CodeImage &Image) {
  Image.Runs.At.resize(Image.Insts.size());
  auto Sections = MutableArrayRef(Image.Sections)
                      .drop_front(Image.Late ? Image.Late->sections() : 0);
  if (Sections.empty())
    return;
  uint32_t First = Sections.front().First, End = Image.Insts.size();
  resolveTargets(Image, First, End);
  for (CodeSection &Section : Sections)
    Section.IsAlone = isAlone(Image, Section);
  findStraightRuns(Image, First, End);
}

void beginEntries(CodeImage &Image, uint64_t Address) {
  Image.FirstEntry = Image.Insts.size();
  Image.EntryBase = Address - Image.Offsets.back();
}

} // namespace heddle::emu

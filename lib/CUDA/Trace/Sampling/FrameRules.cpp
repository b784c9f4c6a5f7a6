//===- FrameRules.cpp - Where callers' registers are ------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function's description (FDE) and what it has in common with others (CIE)
// are programs: they are run up to the address.
//
//===----------------------------------------------------------------------===//

#include "Trace/Sampling/FrameRules.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Support/DataExtractor.h"

#include <functional>

using namespace llvm;

namespace heddle::cuda::trace {

//===----------------------------------------------------------------------===//
// Descriptions
//===----------------------------------------------------------------------===//

using Cursor = DataExtractor::Cursor;

/// The next bytes; none if there are not as many, which the cursor then tells.
static StringRef bytes(const DataExtractor &Data, Cursor &C, uint64_t Size) {
  StringRef Found = C ? Data.getData().substr(C.tell(), Size) : StringRef();
  Data.skip(C, Size);
  return C ? Found : StringRef();
}

namespace {

/// What functions have in common.
struct Common {
  uint64_t CodeAlign = 1;
  int64_t DataAlign = 1;
  unsigned ReturnRegister = 0;
  uint8_t PointerForm = dwarf::DW_EH_PE_absptr;
  bool HasAugmentation = false, IsSignal = false;
  StringRef Program;
};

struct Description {
  Common Of;
  uint64_t Begin = 0, End = 0;
  StringRef Program;
};

/// Reads .eh_frame of a file.
class Reader {
public:
  explicit Reader(const CodeFile &File)
      : File(File),
        Data(StringRef(reinterpret_cast<const char *>(File.file().Data),
                       File.file().Size),
             /*IsLittleEndian=*/true, /*AddressSize=*/8) {}

  std::optional<Description> readDescription(uint64_t At);

private:
  /// The length of an entry, and where it ends.
  uint64_t readLength(Cursor &C, uint64_t &End) const {
    uint64_t Length = Data.getU32(C);
    if (Length == 0xFFFFFFFF)
      Length = Data.getU64(C);
    End = C.tell() + Length;
    return Length;
  }
  StringRef rest(Cursor &C, uint64_t End) const {
    return bytes(Data, C, End > C.tell() ? End - C.tell() : 0);
  }
  /// A pointer, of which only the form and what it is relative to are known;
  /// indirect ones are not followed.
  uint64_t readPointer(Cursor &C, uint8_t Form) const;
  bool readCommon(uint64_t At, Common &Into) const;
  void readAugmentation(Cursor &C, StringRef Letters, Common &Into) const;

  const CodeFile &File;
  const DataExtractor Data;
};
} // namespace

uint64_t Reader::readPointer(Cursor &C, uint8_t Form) const {
  uint64_t Here = C.tell(), Value = 0;
  switch (Form & 0x0F) {
  case dwarf::DW_EH_PE_absptr:
  case dwarf::DW_EH_PE_udata8:
  case dwarf::DW_EH_PE_sdata8:
    Value = Data.getU64(C);
    break;
  case dwarf::DW_EH_PE_uleb128:
    Value = Data.getULEB128(C);
    break;
  case dwarf::DW_EH_PE_sleb128:
    Value = static_cast<uint64_t>(Data.getSLEB128(C));
    break;
  case dwarf::DW_EH_PE_udata2:
    Value = Data.getU16(C);
    break;
  case dwarf::DW_EH_PE_sdata2:
    Value = static_cast<uint64_t>(int64_t(int16_t(Data.getU16(C))));
    break;
  case dwarf::DW_EH_PE_udata4:
    Value = Data.getU32(C);
    break;
  case dwarf::DW_EH_PE_sdata4:
    Value = static_cast<uint64_t>(int64_t(int32_t(Data.getU32(C))));
    break;
  default:
    break;
  }
  return (Form & 0x70) == dwarf::DW_EH_PE_pcrel ? File.addressOf(Here) + Value
                                                : Value;
}

void Reader::readAugmentation(Cursor &C, StringRef Letters,
                              Common &Into) const {
  for (char Letter : Letters.drop_front()) {
    if (Letter == 'R')
      Into.PointerForm = Data.getU8(C);
    else if (Letter == 'P')
      readPointer(C, Data.getU8(C));
    else if (Letter == 'L')
      Data.getU8(C);
    else if (Letter == 'S')
      Into.IsSignal = true;
  }
}

bool Reader::readCommon(uint64_t At, Common &Into) const {
  Cursor C(At);
  uint64_t End = 0;
  readLength(C, End);
  uint32_t Id = Data.getU32(C);
  uint8_t Version = Data.getU8(C);
  StringRef Letters = Data.getCStrRef(C);
  Into.CodeAlign = Data.getULEB128(C);
  Into.DataAlign = Data.getSLEB128(C);
  Into.ReturnRegister =
      static_cast<unsigned>(Version == 1 ? Data.getU8(C) : Data.getULEB128(C));
  Into.HasAugmentation = Letters.starts_with("z");
  if (Into.HasAugmentation) {
    uint64_t Size = Data.getULEB128(C);
    uint64_t Behind = C.tell() + Size;
    readAugmentation(C, Letters, Into);
    C.seek(Behind);
  }
  Into.Program = rest(C, End);
  bool IsFine = Id == 0 && (Into.HasAugmentation || Letters.empty()) &&
                Into.ReturnRegister <= NumRegisters;
  return !errorToBool(C.takeError()) && IsFine;
}

std::optional<Description> Reader::readDescription(uint64_t At) {
  Cursor C(At);
  uint64_t End = 0;
  uint64_t Length = readLength(C, End);
  uint64_t Here = C.tell();
  uint64_t Back = Data.getU32(C);
  Description D;
  bool IsFine = Length && Back && Back <= Here && readCommon(Here - Back, D.Of);
  if (IsFine) {
    D.Begin = readPointer(C, D.Of.PointerForm);
    D.End = D.Begin + readPointer(C, D.Of.PointerForm & 0x0F);
    if (D.Of.HasAugmentation) {
      uint64_t Size = Data.getULEB128(C);
      C.seek(C.tell() + Size);
    }
    D.Program = rest(C, End);
  }
  if (errorToBool(C.takeError()) || !IsFine)
    return std::nullopt;
  return D;
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

namespace {
/// Runs the programs of a description up to an address.
class Machine {
public:
  explicit Machine(const Description &D, uint64_t Address)
      : Of(D.Of), Location(D.Begin), Address(Address) {
    Rules.ReturnRegister = D.Of.ReturnRegister;
    Rules.IsSignal = D.Of.IsSignal;
  }

  bool run(StringRef Program);
  void keepInitial() { Initial = Rules; }
  const FrameRules &rules() const { return Rules; }

private:
  /// Whether the address is behind what follows.
  bool advance(uint64_t By) {
    Location += By * Of.CodeAlign;
    return Location <= Address;
  }
  void set(uint64_t Register, RegisterRule::Form Kind, int64_t Number = 0,
           StringRef Expression = {}) {
    if (Register <= NumRegisters)
      Rules.Registers[Register] = {Kind, Number, Expression};
  }
  void restore(uint64_t Register) {
    if (Register <= NumRegisters)
      Rules.Registers[Register] = Initial.Registers[Register];
  }
  void setFrame(uint64_t Register, int64_t Offset) {
    Rules.FrameRegister = static_cast<unsigned>(Register);
    Rules.FrameOffset = Offset;
    Rules.FrameExpression = {};
  }
  bool runFrame(uint8_t Code, DataExtractor &Data, Cursor &C);
  bool runRegister(uint8_t Code, DataExtractor &Data, Cursor &C);
  bool runOther(uint8_t Code, DataExtractor &Data, Cursor &C, bool &GoesOn);
  int64_t scaled(uint64_t Number) const {
    return static_cast<int64_t>(Number) * Of.DataAlign;
  }

  const Common &Of;
  uint64_t Location;
  const uint64_t Address;
  FrameRules Rules, Initial;
  std::vector<FrameRules> Kept;
};
} // namespace

static StringRef readBlock(DataExtractor &Data, Cursor &C) {
  uint64_t Size = Data.getULEB128(C);
  return bytes(Data, C, Size);
}

bool Machine::runFrame(uint8_t Code, DataExtractor &Data, Cursor &C) {
  switch (Code) {
  case dwarf::DW_CFA_def_cfa: {
    uint64_t Register = Data.getULEB128(C);
    setFrame(Register, int64_t(Data.getULEB128(C)));
    return true;
  }
  case dwarf::DW_CFA_def_cfa_sf: {
    uint64_t Register = Data.getULEB128(C);
    setFrame(Register, Data.getSLEB128(C) * Of.DataAlign);
    return true;
  }
  case dwarf::DW_CFA_def_cfa_register:
    setFrame(Data.getULEB128(C), Rules.FrameOffset);
    return true;
  case dwarf::DW_CFA_def_cfa_offset:
    setFrame(Rules.FrameRegister, int64_t(Data.getULEB128(C)));
    return true;
  case dwarf::DW_CFA_def_cfa_offset_sf:
    setFrame(Rules.FrameRegister, Data.getSLEB128(C) * Of.DataAlign);
    return true;
  case dwarf::DW_CFA_def_cfa_expression:
    Rules.FrameExpression = readBlock(Data, C);
    return true;
  default:
    break;
  }
  return false;
}

bool Machine::runRegister(uint8_t Code, DataExtractor &Data, Cursor &C) {
  uint64_t Register = 0;
  auto Next = [&] { Register = Data.getULEB128(C); };
  switch (Code) {
  case dwarf::DW_CFA_offset_extended:
    Next();
    set(Register, RegisterRule::AtOffset, scaled(Data.getULEB128(C)));
    return true;
  case dwarf::DW_CFA_offset_extended_sf:
    Next();
    set(Register, RegisterRule::AtOffset, Data.getSLEB128(C) * Of.DataAlign);
    return true;
  case dwarf::DW_CFA_val_offset:
    Next();
    set(Register, RegisterRule::Offset, scaled(Data.getULEB128(C)));
    return true;
  case dwarf::DW_CFA_val_offset_sf:
    Next();
    set(Register, RegisterRule::Offset, Data.getSLEB128(C) * Of.DataAlign);
    return true;
  case dwarf::DW_CFA_register: {
    Next();
    uint64_t In = Data.getULEB128(C);
    set(Register,
        In < NumRegisters ? RegisterRule::InRegister : RegisterRule::Undefined,
        int64_t(In));
    return true;
  }
  case dwarf::DW_CFA_expression:
    Next();
    set(Register, RegisterRule::AtExpression, 0, readBlock(Data, C));
    return true;
  case dwarf::DW_CFA_val_expression:
    Next();
    set(Register, RegisterRule::ByExpression, 0, readBlock(Data, C));
    return true;
  case dwarf::DW_CFA_undefined:
    set(Data.getULEB128(C), RegisterRule::Undefined);
    return true;
  case dwarf::DW_CFA_same_value:
    set(Data.getULEB128(C), RegisterRule::Same);
    return true;
  case dwarf::DW_CFA_restore_extended:
    restore(Data.getULEB128(C));
    return true;
  default:
    break;
  }
  return false;
}

bool Machine::runOther(uint8_t Code, DataExtractor &Data, Cursor &C,
                       bool &GoesOn) {
  switch (Code) {
  case dwarf::DW_CFA_nop:
  case dwarf::DW_CFA_AARCH64_negate_ra_state:
    return true;
  case dwarf::DW_CFA_GNU_args_size:
    Data.getULEB128(C);
    return true;
  case dwarf::DW_CFA_advance_loc1:
    GoesOn = advance(Data.getU8(C));
    return true;
  case dwarf::DW_CFA_advance_loc2:
    GoesOn = advance(Data.getU16(C));
    return true;
  case dwarf::DW_CFA_advance_loc4:
    GoesOn = advance(Data.getU32(C));
    return true;
  case dwarf::DW_CFA_remember_state:
    Kept.push_back(Rules);
    return true;
  case dwarf::DW_CFA_restore_state:
    if (Kept.empty())
      return false;
    Rules = Kept.back();
    Kept.pop_back();
    return true;
  default:
    break;
  }
  return false;
}

/// False if there is something that is not known.
bool Machine::run(StringRef Program) {
  DataExtractor Data(Program, /*IsLittleEndian=*/true, /*AddressSize=*/8);
  Cursor C(0);
  bool IsKnown = true, GoesOn = true;
  while (C && IsKnown && GoesOn && C.tell() < Program.size()) {
    uint8_t Code = Data.getU8(C), Operand = Code & 0x3F;
    switch (Code & 0xC0) {
    case dwarf::DW_CFA_advance_loc:
      GoesOn = advance(Operand);
      break;
    case dwarf::DW_CFA_offset:
      set(Operand, RegisterRule::AtOffset, scaled(Data.getULEB128(C)));
      break;
    case dwarf::DW_CFA_restore:
      restore(Operand);
      break;
    default:
      IsKnown = runFrame(Code, Data, C) || runRegister(Code, Data, C) ||
                runOther(Code, Data, C, GoesOn);
    }
  }
  return !errorToBool(C.takeError()) && IsKnown;
}

std::optional<FrameRules> findRules(const CodeFile &File, uint64_t At,
                                    uint64_t Address) {
  std::optional<Description> D = Reader(File).readDescription(At);
  if (!D || Address < D->Begin || Address >= D->End)
    return std::nullopt;
  Machine M(*D, Address);
  if (!M.run(D->Of.Program))
    return std::nullopt;
  M.keepInitial();
  if (!M.run(D->Program))
    return std::nullopt;
  return M.rules();
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

namespace {
/// The stack of an expression, and what it may ask for.
struct Evaluation {
  const MachineState &S;
  const StackCopy &Stack;
  std::vector<uint64_t> Values;

  bool push(uint64_t Value) {
    Values.push_back(Value);
    return true;
  }
  bool pushRegister(uint64_t Register, int64_t Offset) {
    return Register < NumRegisters && push(S.Registers[Register] + Offset);
  }
  template <typename Function> bool combine(Function Of) {
    if (Values.size() < 2)
      return false;
    uint64_t B = Values.back();
    Values.pop_back();
    Values.back() = Of(Values.back(), B);
    return true;
  }
  bool load() {
    if (Values.empty())
      return false;
    std::optional<uint64_t> Value = Stack.read(Values.back());
    Values.back() = Value.value_or(0);
    return Value.has_value();
  }
  bool pushConstant(uint8_t Code, DataExtractor &Data, Cursor &C);
  bool compute(uint8_t Code, DataExtractor &Data, Cursor &C);
};
} // namespace

bool Evaluation::pushConstant(uint8_t Code, DataExtractor &Data, Cursor &C) {
  switch (Code) {
  case dwarf::DW_OP_const1u:
    return push(Data.getU8(C));
  case dwarf::DW_OP_const1s:
    return push(uint64_t(int64_t(int8_t(Data.getU8(C)))));
  case dwarf::DW_OP_const2u:
    return push(Data.getU16(C));
  case dwarf::DW_OP_const4u:
    return push(Data.getU32(C));
  case dwarf::DW_OP_const8u:
    return push(Data.getU64(C));
  case dwarf::DW_OP_constu:
    return push(Data.getULEB128(C));
  case dwarf::DW_OP_consts:
    return push(uint64_t(Data.getSLEB128(C)));
  default:
    break;
  }
  return false;
}

/// What procedure linkage tables and signal handlers have in their expressions.
bool Evaluation::compute(uint8_t Code, DataExtractor &Data, Cursor &C) {
  if (Code >= dwarf::DW_OP_lit0 && Code <= dwarf::DW_OP_lit31)
    return push(Code - dwarf::DW_OP_lit0);
  if (Code >= dwarf::DW_OP_breg0 && Code <= dwarf::DW_OP_breg31)
    return pushRegister(Code - dwarf::DW_OP_breg0, Data.getSLEB128(C));
  switch (Code) {
  case dwarf::DW_OP_bregx: {
    uint64_t Register = Data.getULEB128(C);
    return pushRegister(Register, Data.getSLEB128(C));
  }
  case dwarf::DW_OP_deref:
    return load();
  case dwarf::DW_OP_dup:
    return !Values.empty() && push(Values.back());
  case dwarf::DW_OP_plus_uconst:
    return push(Data.getULEB128(C)) && combine(std::plus<uint64_t>());
  case dwarf::DW_OP_plus:
    return combine(std::plus<uint64_t>());
  case dwarf::DW_OP_minus:
    return combine(std::minus<uint64_t>());
  case dwarf::DW_OP_mul:
    return combine(std::multiplies<uint64_t>());
  case dwarf::DW_OP_and:
    return combine(std::bit_and<uint64_t>());
  case dwarf::DW_OP_or:
    return combine(std::bit_or<uint64_t>());
  case dwarf::DW_OP_shl:
    return combine([](uint64_t A, uint64_t B) { return B < 64 ? A << B : 0; });
  case dwarf::DW_OP_ge:
    return combine([](uint64_t A, uint64_t B) {
      return uint64_t(int64_t(A) >= int64_t(B));
    });
  default:
    return pushConstant(Code, Data, C);
  }
}

std::optional<uint64_t> evaluate(StringRef Expression, const MachineState &S,
                                 const StackCopy &Stack,
                                 std::optional<uint64_t> Frame) {
  Evaluation E{S, Stack, {}};
  if (Frame)
    E.push(*Frame);
  DataExtractor Data(Expression, /*IsLittleEndian=*/true, /*AddressSize=*/8);
  Cursor C(0);
  bool IsKnown = true;
  while (C && IsKnown && C.tell() < Expression.size()) {
    uint8_t Code = Data.getU8(C);
    IsKnown = E.compute(Code, Data, C);
  }
  if (errorToBool(C.takeError()) || !IsKnown || E.Values.empty())
    return std::nullopt;
  return E.Values.back();
}

} // namespace heddle::cuda::trace

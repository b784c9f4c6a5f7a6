//===- AST.h - Abstract syntax of a PTX module ------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tree that the PTX parser builds and that the importer into the ptx
// dialect reads.
//
// * Everything below Module lives in the module's arena and is never freed
//   one by one; plain pointers and ArrayRefs are valid as long as the Module.
//   StringRefs point into the source buffer, which must outlive the Module.
// * Names are resolved: an operand points at the declaration that it means.
// * Opcodes, modifiers and types are enumerators of the instruction table
//   (Tables.h, generated from PTXInstructions.td), never strings.
// * A mnemonic such as `ld.global.nc.v2.u32` is resolved once for the module;
//   all instructions that spell it share one Mnemonic.
// * A Module that parseModule returns has passed the checker.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_PTX_AST_H
#define HEDDLE_PTX_AST_H

#include "heddle/PTX/Tables.h"
#include "heddle/Support/Arena.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Casting.h"
#include <array>
#include <cstdint>
#include <optional>

namespace heddle::ptx {

/// A place in the source: a byte offset into the buffer. DiagnosticEngine
/// turns it into line and column.
struct SourceLoc {
  static constexpr uint32_t Invalid = ~0u;
  uint32_t Offset = Invalid;

  bool isValid() const { return Offset != Invalid; }
  bool operator==(const SourceLoc &) const = default;
};

class Function;
class Instruction;
class Statement;
class Variable;

//===----------------------------------------------------------------------===//
// Declarations: what a name can mean
//===----------------------------------------------------------------------===//

/// Anything that has a name in PTX.
class Decl {
public:
  enum class Kind : uint8_t {
    Register,
    Variable,
    Function,
    Label,
    BranchTargets,
    CallTargets,
    CallPrototype,
    Alias,
  };

  Kind getKind() const { return K; }
  /// The name as written, a leading `%` or `$` included. For a register range
  /// `%r<100>` the part before `<`.
  llvm::StringRef getName() const { return Name; }
  SourceLoc getLoc() const { return Loc; }

protected:
  Decl(Kind K, llvm::StringRef Name, SourceLoc Loc)
      : Name(Name), Loc(Loc), K(K) {}

private:
  llvm::StringRef Name;
  SourceLoc Loc;
  Kind K;
};

/// `.reg .b32 %r;`, or a range `.reg .b32 %r<100>;` of %r0 to %r99, or a
/// register in the parameter list of a `.func`.
class RegisterDecl : public Decl {
public:
  RegisterDecl(llvm::StringRef Name, SourceLoc Loc, Type Ty,
               unsigned VectorWidth, bool IsRange, uint32_t Count)
      : Decl(Kind::Register, Name, Loc), Ty(Ty), VectorWidth(VectorWidth),
        IsRange(IsRange), Count(Count) {}

  Type getType() const { return Ty; }
  /// 1, or 2, 4 or 8 for a vector register (`.reg .v4 .f32 %v`).
  unsigned getVectorWidth() const { return VectorWidth; }
  /// Whether the name is a prefix that an index completes.
  bool isRange() const { return IsRange; }
  /// Number of registers declared: 1 unless isRange().
  uint32_t getCount() const { return Count; }
  /// Registers of one function are numbered densely from 0 in the order of
  /// declaration (Function::getNumRegisters() in all). This is the number of
  /// the first one; register I of a range has getFirstNumber() + I.
  uint32_t getFirstNumber() const { return FirstNumber; }
  void setFirstNumber(uint32_t N) { FirstNumber = N; }

  static bool classof(const Decl *D) { return D->getKind() == Kind::Register; }

private:
  Type Ty;
  uint8_t VectorWidth;
  bool IsRange;
  uint32_t Count;
  uint32_t FirstNumber = 0;
};

enum class Linkage : uint8_t {
  None,    ///< Local to the module.
  Extern,  ///< `.extern`: defined elsewhere.
  Visible, ///< `.visible`
  Weak,    ///< `.weak`
  Common,  ///< `.common`
};

/// One element of an initializer, its value evaluated.
struct InitElement {
  enum class Kind : uint8_t {
    Bits,   ///< Value holds the element's bits, zero-extended from its type.
    Symbol, ///< The address of Symbol plus Addend.
  };
  Kind K = Kind::Bits;
  /// `generic(sym)`: the generic address of a variable, not the address in
  /// its own state space.
  bool Generic = false;
  /// `mask(sym)`: 0 when there is no mask operator; otherwise the element is
  /// (address & Mask) shifted right until the mask's lowest bit is bit 0.
  uint64_t Mask = 0;
  uint64_t Value = 0;           ///< Bits.
  const Decl *Symbol = nullptr; ///< Symbol: a Variable or a Function.
  int64_t Addend = 0;           ///< Symbol: bytes.
  SourceLoc Loc;
};

/// One field of the initializer of a texture, sampler or surface:
/// `addr_mode_0 = clamp_to_border`, `width = 64`.
struct OpaqueField {
  llvm::StringRef Name;
  llvm::StringRef Word; ///< A value that is a word, else empty.
  uint64_t Value = 0;   ///< One that is a number.
  SourceLoc Loc;
};

/// The 128 bits by which `.unified(lo, hi)` names the same thing in several
/// modules.
using UnifiedId = std::array<uint64_t, 2>;

/// A variable in memory: module-level or local to a function, or a `.param`
/// of a function. Registers are RegisterDecl.
class Variable : public Decl {
public:
  Variable(llvm::StringRef Name, SourceLoc Loc, StateSpace Space, Type Ty)
      : Decl(Kind::Variable, Name, Loc), Space(Space), Ty(Ty) {}

  /// One of StateSpace::{Const, Global, Local, Param, Shared}.
  StateSpace Space;
  Type Ty;                 ///< Element type.
  uint8_t VectorWidth = 1; ///< 1, 2, 4 or 8.
  Linkage Link = Linkage::None;
  bool Managed = false; ///< `.attribute(.managed)`
  /// The identifier in `.attribute(.unified(lo, hi))`.
  std::optional<UnifiedId> Unified;
  bool IsArray = false;       ///< Has at least one `[..]`.
  bool HasInit = false;       ///< Has an initializer, even an empty one.
  uint32_t ExplicitAlign = 0; ///< `.align`, bytes; 0 when not written.
  /// Extents, outermost first. 0 as first extent: `x[]` without an
  /// initializer, the size is not known (dynamic shared memory, or the
  /// variadic part of a parameter list).
  llvm::ArrayRef<uint64_t> Dims;
  /// Row-major elements (an element of a vector type counts as its scalars).
  /// May be shorter than the variable: the rest is zero.
  llvm::ArrayRef<InitElement> Init;

  /// The initializer of a variable of opaque type.
  llvm::ArrayRef<OpaqueField> OpaqueInit;
  /// `.const[N]`, which PTX had before 2.2; 0 when not written.
  uint8_t ConstBank = 0;

  /// Kernel parameters: `.ptr`, its state space (StateSpace::None: generic)
  /// or the opaque type of what it points at, and the alignment of that (bytes,
  /// 0 when not written).
  bool IsPtr = false;
  StateSpace PtrSpace = StateSpace::None;
  std::optional<Type> PtrObject;
  uint32_t PtrAlign = 0;

  /// Size of one element, vector width included, in bytes.
  uint64_t getElementSize() const {
    return uint64_t(getTypeBits(Ty)) / 8 * VectorWidth;
  }
  /// Number of elements; 0 when the size is not known.
  uint64_t getNumElements() const {
    uint64_t N = 1;
    for (uint64_t D : Dims)
      N *= D;
    return N;
  }
  /// Size in bytes; 0 when not known.
  uint64_t getSize() const { return getElementSize() * getNumElements(); }
  bool isUnsized() const { return IsArray && getNumElements() == 0; }
  /// `.align` if written, else the natural alignment of the element.
  uint64_t getAlign() const {
    return ExplicitAlign ? ExplicitAlign : getElementSize();
  }
  /// The function whose parameter, return value or local this is, or null
  /// for a variable of the module.
  const Function *getParent() const { return Parent; }
  void setParent(const Function *F) { Parent = F; }

  static bool classof(const Decl *D) { return D->getKind() == Kind::Variable; }

private:
  const Function *Parent = nullptr;
};

/// A label in a function body. LabelStatement marks its place.
class LabelDecl : public Decl {
public:
  LabelDecl(llvm::StringRef Name, SourceLoc Loc)
      : Decl(Kind::Label, Name, Loc) {}

  /// Labels of one function are numbered densely from 0 in the order of first
  /// mention (Function::getNumLabels() in all).
  uint32_t getNumber() const { return Number; }
  void setNumber(uint32_t N) { Number = N; }

  static bool classof(const Decl *D) { return D->getKind() == Kind::Label; }

private:
  uint32_t Number = 0;
};

/// `ts: .branchtargets L0, L1;`
class BranchTargetsDecl : public Decl {
public:
  BranchTargetsDecl(llvm::StringRef Name, SourceLoc Loc)
      : Decl(Kind::BranchTargets, Name, Loc) {}

  llvm::ArrayRef<const LabelDecl *> Targets;

  static bool classof(const Decl *D) {
    return D->getKind() == Kind::BranchTargets;
  }
};

/// `ct: .calltargets f, g;`
class CallTargetsDecl : public Decl {
public:
  CallTargetsDecl(llvm::StringRef Name, SourceLoc Loc)
      : Decl(Kind::CallTargets, Name, Loc) {}

  llvm::ArrayRef<const Function *> Targets;

  static bool classof(const Decl *D) {
    return D->getKind() == Kind::CallTargets;
  }
};

/// A parameter or return value: a Variable in `.param` space, or a
/// RegisterDecl.
using Parameter = const Decl *;

/// `p: .callprototype (.param .b32 _) _ (.param .b64 _);`
class CallPrototypeDecl : public Decl {
public:
  CallPrototypeDecl(llvm::StringRef Name, SourceLoc Loc)
      : Decl(Kind::CallPrototype, Name, Loc) {}

  llvm::ArrayRef<Parameter> Returns;
  llvm::ArrayRef<Parameter> Params;
  bool NoReturn = false;
  std::optional<uint32_t> AbiPreserve;
  std::optional<uint32_t> AbiPreserveControl;

  static bool classof(const Decl *D) {
    return D->getKind() == Kind::CallPrototype;
  }
};

/// `.maxntid 128, 1, 1` and its relatives; absent ones are std::nullopt.
/// Extents that are not written are 1.
struct PerformanceDirectives {
  std::optional<std::array<uint32_t, 3>> MaxNTid;
  std::optional<std::array<uint32_t, 3>> ReqNTid;
  std::optional<std::array<uint32_t, 3>> ReqNCtaPerCluster;
  std::optional<uint32_t> MinNCtaPerSm;
  std::optional<uint32_t> MaxNCtaPerSm;
  std::optional<uint32_t> MaxNReg;
  std::optional<uint32_t> MaxClusterRank;
  std::optional<uint32_t> AbiPreserve;
  std::optional<uint32_t> AbiPreserveControl;
  std::optional<uint32_t> MinPerCtaMemory; ///< Bytes.
  /// The codes 0 to 10 of `.language`, a bit each; 0 when there is none.
  uint16_t Languages = 0;
  bool ExplicitCluster = false;
  bool BlocksAreClusters = false;
  bool NoReturn = false;
  /// Strings of `.pragma` between the signature and the body.
  llvm::ArrayRef<llvm::StringRef> Pragmas;
};

/// An `.entry` or a `.func`. A prototype and its definition are one Function.
class Function : public Decl {
public:
  Function(llvm::StringRef Name, SourceLoc Loc, bool IsEntry)
      : Decl(Kind::Function, Name, Loc), IsEntry(IsEntry) {}

  /// True for a kernel (`.entry`), false for a device function (`.func`).
  bool isEntry() const { return IsEntry; }
  /// Whether there is a body here; false for a mere prototype.
  bool isDefinition() const { return Defined; }

  Linkage Link = Linkage::None;
  llvm::ArrayRef<Parameter> Returns;
  llvm::ArrayRef<Parameter> Params; ///< Of the definition, if there is one.
  /// The last parameter is an unsized array that takes further arguments; it
  /// is part of Params.
  bool Variadic = false;
  /// The identifier in `.attribute(.unified(lo, hi))`.
  std::optional<UnifiedId> Unified;
  PerformanceDirectives Directives;
  /// The statements in order; nested scopes are BlockStatements.
  llvm::ArrayRef<const Statement *> Body;
  /// Instructions of the body that ptxas accepts and whose meaning is
  /// not known; they cannot be compiled.
  llvm::ArrayRef<const Instruction *> Meaningless;

  uint32_t getNumRegisters() const { return NumRegisters; }
  uint32_t getNumLabels() const { return NumLabels; }
  void setCounts(uint32_t Registers, uint32_t Labels) {
    NumRegisters = Registers;
    NumLabels = Labels;
  }
  void setDefined() { Defined = true; }

  static bool classof(const Decl *D) { return D->getKind() == Kind::Function; }

private:
  bool IsEntry;
  bool Defined = false;
  uint32_t NumRegisters = 0;
  uint32_t NumLabels = 0;
};

/// `.alias f, g;`: the function f is another name of g.
class AliasDecl : public Decl {
public:
  AliasDecl(llvm::StringRef Name, SourceLoc Loc, const Function *Alias,
            const Function *Aliasee)
      : Decl(Kind::Alias, Name, Loc), Alias(Alias), Aliasee(Aliasee) {}

  const Function *Alias;
  const Function *Aliasee;

  static bool classof(const Decl *D) { return D->getKind() == Kind::Alias; }
};

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// One operand of an instruction. A value type of which only the fields that
/// belong to its kind are meaningful; the accessors say which those are.
class Operand {
public:
  enum class Kind : uint8_t {
    None,       ///< An optional operand that is not written.
    Register,   ///< `%r1`, `%v.x`, `!%p`
    Sink,       ///< `_`
    IntImm,     ///< `42`, `-1`, `0xFFU`, `WARP_SZ`
    FloatImm,   ///< `0f3F800000`, `0d...`, `1.5`
    Symbol,     ///< `var`, `var+4`, `var[1]`, a function's or prototype's name
    SpecialReg, ///< `%tid.x`, `%clock64`
    Address,    ///< `[...]`
    Vector,     ///< `{a, b, c, d}`
    Pair,       ///< `d|p`: two destinations
    Label,      ///< The target of a branch
    List,       ///< `(a, b)`: returns or arguments of a call
    Group,      ///< `[a, b]`: in the parser; an Instruction has the parts.
  };

  Kind getKind() const { return K; }
  bool is(Kind Other) const { return K == Other; }
  SourceLoc getLoc() const { return Loc; }

  // Register. Also the base of an Address, when getAddressBase() says so.
  const RegisterDecl *getRegister() const {
    return static_cast<const RegisterDecl *>(D);
  }
  /// Index within a range declaration, 0 otherwise.
  uint32_t getRegisterIndex() const { return Index; }
  /// Dense number within the function, see RegisterDecl::getFirstNumber().
  uint32_t getRegisterNumber() const {
    return getRegister()->getFirstNumber() + Index;
  }
  /// Register (a vector's) and SpecialReg: 0-3 for .x .y .z .w (.r .g .b .a),
  /// -1 when the whole is meant.
  int getComponent() const { return Component; }
  /// Register: `!p`, or `-a` of vmad.
  bool isNegated() const { return Negated; }
  /// Register: what a video instruction selects of it, by the OperandSelector
  /// of its place.
  unsigned getSelector() const { return Selector; }

  /// IntImm: the value as 64 bits, after the evaluation of the expression.
  uint64_t getInt() const { return Bits; }
  /// IntImm: whether its type is .u64 by PTX's rules (a `U` suffix or a value
  /// above 2^63-1) rather than .s64.
  bool isUnsigned() const { return Unsigned; }
  /// FloatImm: the bits of the double (a `0f` literal is widened exactly,
  /// NaN payloads included; see getFloatBits32).
  uint64_t getDoubleBits() const { return Bits; }
  /// FloatImm: whether it was written as `0fXXXXXXXX`, and those 32 bits.
  bool isSingle() const { return Single; }
  uint32_t getFloatBits32() const { return SingleBits; }

  /// Symbol: a Variable, Function, CallPrototypeDecl, CallTargetsDecl or
  /// BranchTargetsDecl.
  const Decl *getSymbol() const { return D; }
  /// Symbol: written `var[1]`.
  bool isElement() const { return Element; }
  /// Address: `[...].unified`.
  bool isUnified() const { return UnifiedAddress; }
  /// Label.
  const LabelDecl *getLabel() const {
    return static_cast<const LabelDecl *>(D);
  }
  /// Symbol and Address: bytes added to the base.
  int64_t getOffset() const { return Offset; }

  SpecialReg getSpecialReg() const { return Special; }

  enum class Base : uint8_t {
    Absolute, ///< `[imm]`: getOffset() is the whole address.
    Register, ///< `[%r + imm]`: getRegister() and getOffset().
    Symbol,   ///< `[var + imm]`: getSymbol() and getOffset().
    Special,  ///< `[%clock64 + imm]`: getSpecialReg(), as ptxas takes it.
  };
  Base getAddressBase() const { return AddrBase; }

  /// Vector, Pair, List and Group: the parts.
  llvm::ArrayRef<Operand> getElements() const {
    return {Elements, NumElements};
  }

  // Construction, for the parser.
  Operand() = default;
  static Operand makeNone(SourceLoc L) { return Operand(Kind::None, L); }
  static Operand makeSink(SourceLoc L) { return Operand(Kind::Sink, L); }
  static Operand makeRegister(SourceLoc L, const RegisterDecl *R,
                              uint32_t Index, int Component = -1,
                              bool Negated = false) {
    Operand O(Kind::Register, L);
    O.D = R;
    O.Index = Index;
    O.Component = Component;
    O.Negated = Negated;
    return O;
  }
  static Operand makeInt(SourceLoc L, uint64_t Value, bool Unsigned) {
    Operand O(Kind::IntImm, L);
    O.Bits = Value;
    O.Unsigned = Unsigned;
    return O;
  }
  static Operand makeDouble(SourceLoc L, uint64_t Bits) {
    Operand O(Kind::FloatImm, L);
    O.Bits = Bits;
    return O;
  }
  static Operand makeSingle(SourceLoc L, uint32_t Bits, uint64_t Widened) {
    Operand O(Kind::FloatImm, L);
    O.Bits = Widened;
    O.SingleBits = Bits;
    O.Single = true;
    return O;
  }
  static Operand makeSymbol(SourceLoc L, const Decl *D, int64_t Offset) {
    Operand O(Kind::Symbol, L);
    O.D = D;
    O.Offset = Offset;
    return O;
  }
  static Operand makeLabel(SourceLoc L, const LabelDecl *D) {
    Operand O(Kind::Label, L);
    O.D = D;
    return O;
  }
  static Operand makeSpecial(SourceLoc L, SpecialReg R, int Component,
                             bool Negated = false) {
    Operand O(Kind::SpecialReg, L);
    O.Special = R;
    O.Component = Component;
    O.Negated = Negated;
    return O;
  }
  static Operand makeAggregate(Kind K, SourceLoc L,
                               llvm::ArrayRef<Operand> Parts) {
    Operand O(K, L);
    O.Elements = Parts.data();
    O.NumElements = Parts.size();
    return O;
  }
  void setSelector(uint16_t Code) { Selector = Code; }
  void setNegated() { Negated = true; }
  void setElement() { Element = true; }
  void setUnified() { UnifiedAddress = true; }
  /// \p BaseOperand is a Register, a Symbol, a SpecialReg or an IntImm.
  static Operand makeAddress(SourceLoc L, const Operand &BaseOperand,
                             int64_t Offset) {
    Operand O = BaseOperand;
    O.K = Kind::Address;
    O.Loc = L;
    O.Offset = Offset;
    O.AddrBase = BaseOperand.is(Kind::Register)     ? Base::Register
                 : BaseOperand.is(Kind::Symbol)     ? Base::Symbol
                 : BaseOperand.is(Kind::SpecialReg) ? Base::Special
                                                    : Base::Absolute;
    return O;
  }

private:
  Operand(Kind K, SourceLoc Loc) : Loc(Loc), K(K) {}

  union {
    const Decl *D = nullptr;
    const Operand *Elements;
    uint64_t Bits;
  };
  union {
    int64_t Offset = 0;
    uint32_t SingleBits;
    uint32_t NumElements;
  };
  SourceLoc Loc;
  uint32_t Index = 0;
  Kind K = Kind::None;
  Base AddrBase = Base::Absolute;
  int8_t Component = -1;
  bool Negated : 1 = false;
  bool Unsigned : 1 = false;
  bool Single : 1 = false;
  bool UnifiedAddress : 1 = false;
  bool Element : 1 = false;
  SpecialReg Special = SpecialReg(0);
  uint16_t Selector = 0;
};

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

/// A resolved mnemonic: opcode, modifiers and types, and the table row that
/// they match. Shared by all instructions of a module that spell it.
class Mnemonic {
public:
  /// The text as written, for messages: `ld.global.nc.v2.u32`.
  llvm::StringRef Spelling;
  Opcode Op;
  /// The matched row of the table.
  const FormRow *Form = nullptr;
  uint8_t NumTypes = 0;
  /// The type suffixes in the order of the mnemonic; None behind the last.
  std::array<Type, MaxTypesPerForm> Types;
  /// Value of each modifier kind, 0 when absent; indexed by ModKind.
  std::array<uint8_t, NumModKinds> Mods{};

  Mnemonic() { Types.fill(Type::None); }
};

/// Statement of a function body.
class Statement {
public:
  enum class Kind : uint8_t {
    Label,
    Instruction,
    Block,
    VariableDecl,
    Loc,
    Pragma,
    LocIntermediate,
    Declaration,
  };
  Kind getKind() const { return K; }
  SourceLoc getLoc() const { return Loc; }

protected:
  Statement(Kind K, SourceLoc Loc) : Loc(Loc), K(K) {}

private:
  SourceLoc Loc;
  Kind K;
};

/// A guard predicate `@p` or `@!p`.
struct Guard {
  /// Register number within the function is Register->getFirstNumber() +
  /// Index. Null when the instruction has no guard.
  const RegisterDecl *Register = nullptr;
  uint32_t Index = 0;
  bool Negated = false;

  explicit operator bool() const { return Register; }
  uint32_t getRegisterNumber() const {
    return Register->getFirstNumber() + Index;
  }
};

/// An instruction. Operands stand in the order of the table row, destination
/// first; optional ones that are not written are Kind::None, so that an
/// operand's position tells its role.
///
/// Operands of `call`: 0 the returns (List), 1 the callee (Symbol of a
/// Function, or Register), 2 the arguments (List), 3 the prototype or call
/// targets of an indirect call (Symbol) or None.
class Instruction : public Statement {
public:
  Instruction(SourceLoc Loc, const Mnemonic *M, Guard G,
              llvm::ArrayRef<Operand> Operands)
      : Statement(Kind::Instruction, Loc), M(M), G(G), Operands(Operands) {}

  Opcode getOpcode() const { return M->Op; }
  const Mnemonic &getMnemonic() const { return *M; }
  const FormRow &getForm() const { return *M->Form; }
  const Guard &getGuard() const { return G; }

  unsigned getNumTypes() const { return M->NumTypes; }
  /// Type suffix \p I of the mnemonic: for `cvt.rn.f32.s32` 0 is f32. None
  /// where there are fewer.
  Type getType(unsigned I = 0) const { return M->Types[I]; }

  /// Whether the mnemonic has a modifier of this kind.
  bool has(ModKind K) const { return M->Mods[unsigned(K)] != 0; }
  /// The value of a modifier, EnumT::None when absent:
  /// `Inst.get<Rounding>() == Rounding::Rn`.
  template <typename EnumT> EnumT get() const {
    return EnumT(M->Mods[unsigned(ModKindOf<EnumT>::Value)]);
  }

  llvm::ArrayRef<Operand> getOperands() const { return Operands; }
  const Operand &getOperand(unsigned I) const { return Operands[I]; }
  unsigned getNumOperands() const { return Operands.size(); }

  static bool classof(const Statement *S) {
    return S->getKind() == Kind::Instruction;
  }

private:
  const Mnemonic *M;
  Guard G;
  llvm::ArrayRef<Operand> Operands;
};

/// `L:`
class LabelStatement : public Statement {
public:
  LabelStatement(SourceLoc Loc, const LabelDecl *Label)
      : Statement(Kind::Label, Loc), Label(Label) {}
  const LabelDecl *Label;

  static bool classof(const Statement *S) {
    return S->getKind() == Kind::Label;
  }
};

/// `{ ... }`: a scope for names; it has no run-time meaning.
class BlockStatement : public Statement {
public:
  BlockStatement(SourceLoc Loc) : Statement(Kind::Block, Loc) {}
  llvm::ArrayRef<const Statement *> Body;

  static bool classof(const Statement *S) {
    return S->getKind() == Kind::Block;
  }
};

/// A RegisterDecl or Variable (`.local`, `.shared`, `.param`, ...) declared in
/// a body.
class VariableStatement : public Statement {
public:
  VariableStatement(SourceLoc Loc, const Decl *D)
      : Statement(Kind::VariableDecl, Loc), D(D) {}
  const Decl *D;

  static bool classof(const Statement *S) {
    return S->getKind() == Kind::VariableDecl;
  }
};

/// `.loc 1 12 5` with optional `function_name` and `inlined_at`.
class LocStatement : public Statement {
public:
  LocStatement(SourceLoc Loc) : Statement(Kind::Loc, Loc) {}
  uint32_t File = 0;
  uint32_t Line = 0;
  uint32_t Column = 0;
  /// The label in .debug_str that names the inlined function, and the offset;
  /// empty when the location is not inlined.
  llvm::StringRef FunctionName;
  int64_t FunctionNameOffset = 0;
  bool Inlined = false;
  uint32_t InlinedAtFile = 0;
  uint32_t InlinedAtLine = 0;
  uint32_t InlinedAtColumn = 0;

  static bool classof(const Statement *S) { return S->getKind() == Kind::Loc; }
};

/// `.pragma "nounroll";`
class PragmaStatement : public Statement {
public:
  PragmaStatement(SourceLoc Loc, llvm::ArrayRef<llvm::StringRef> Strings)
      : Statement(Kind::Pragma, Loc), Strings(Strings) {}
  /// Without the quotes.
  llvm::ArrayRef<llvm::StringRef> Strings;

  static bool classof(const Statement *S) {
    return S->getKind() == Kind::Pragma;
  }
};

/// `.loc_intermediate 2 23 6`
class LocIntermediateStatement : public Statement {
public:
  explicit LocIntermediateStatement(SourceLoc Loc)
      : Statement(Kind::LocIntermediate, Loc) {}
  uint32_t File = 0, Line = 0, Column = 0;

  static bool classof(const Statement *S) {
    return S->getKind() == Kind::LocIntermediate;
  }
};

/// `.branchtargets`, `.calltargets` or `.callprototype` with its label. The
/// operands that use it point at the declaration, so that an importer can
/// skip this statement.
class DeclarationStatement : public Statement {
public:
  DeclarationStatement(SourceLoc Loc, const Decl *D)
      : Statement(Kind::Declaration, Loc), D(D) {}
  const Decl *D;

  static bool classof(const Statement *S) {
    return S->getKind() == Kind::Declaration;
  }
};

//===----------------------------------------------------------------------===//
// Module
//===----------------------------------------------------------------------===//

/// A PTX ISA version, 8.5 as {8, 5}.
struct Version {
  uint8_t Major = 0;
  uint8_t Minor = 0;
  /// Major * 10 + Minor, the form that the table uses.
  unsigned getCode() const { return Major * 10u + Minor; }
};

/// `.file 1 "a.cu", 1234, 5678`
struct FileEntry {
  uint32_t Index;
  llvm::StringRef Name;
  std::optional<uint64_t> Timestamp;
  std::optional<uint64_t> Size;
};

/// One datum or label of a `.section`.
struct SectionItem {
  enum class Kind : uint8_t { Label, Int, Symbol, String };
  Kind K;
  uint8_t Width = 0;     ///< Bytes of a datum: 1, 2, 4 or 8.
  uint64_t Value = 0;    ///< Int; Symbol: the addend.
  llvm::StringRef Name;  ///< Label, Symbol, String.
  llvm::StringRef Minus; ///< Symbol: the label of a difference `a-b`.
  SourceLoc Loc;
};

/// `.section .debug_info { ... }`
struct Section {
  llvm::StringRef Name;
  llvm::ArrayRef<SectionItem> Items;
  SourceLoc Loc;
};

/// What one PTX file says.
class Module {
public:
  Version PTXVersion;
  /// The GPU of `.target`.
  Target GPU;
  bool TargetDebug = false;            ///< `.target sm_90, debug`
  bool TextureModeIndependent = false; ///< texmode_independent
  bool MapF64ToF32 = false;            ///< map_f64_to_f32
  /// 32 or 64; 64 when `.address_size` is absent, as ptxas has it.
  unsigned AddressSize = 64;
  bool HasAddressSize = false;
  llvm::ArrayRef<FileEntry> Files;
  /// Variables of the module, in order. A declaration and its definition are
  /// one Variable.
  llvm::ArrayRef<const Variable *> Globals;
  /// Functions in the order of first mention.
  llvm::ArrayRef<const Function *> Functions;
  llvm::ArrayRef<const AliasDecl *> Aliases;
  llvm::ArrayRef<const Section *> Sections;
  /// Strings of `.pragma` outside of functions.
  llvm::ArrayRef<llvm::StringRef> Pragmas;

  Arena &getArena() { return Nodes; }

private:
  Arena Nodes;
};

} // namespace heddle::ptx

#endif // HEDDLE_PTX_AST_H

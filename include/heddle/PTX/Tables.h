//===- Tables.h - The PTX instruction table ---------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Access to the table that PTXInstructions.td generates: enumerators of types,
// opcodes, modifiers and special registers with their spellings, and one row
// for each form of an instruction.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_PTX_TABLES_H
#define HEDDLE_PTX_TABLES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>

namespace heddle::ptx {

/// What a type holds, which decides what it is compatible with.
enum class TypeClass : uint8_t {
  SInt,
  UInt,
  Float,
  Packed,
  Bits,
  Pred,
  Opaque
};

/// Value of modifier kind that an element of a mnemonic does not have.
inline constexpr uint8_t NoModKind = 0xFF;
/// Most type suffixes that a mnemonic can have.
inline constexpr unsigned MaxTypesPerForm = 6;

// enum class Type, Opcode, SpecialReg, ModKind and one enum for each modifier
// kind, whose enumerator None is 0; NumModKinds; ModKindOf<EnumT>::Value.
#define GET_PTX_ENUMS
#include "heddle/PTX/PTXTables.inc"

/// A GPU of `.target`: sm_90a is {90, 'a'}.
struct Target {
  uint16_t Sm = 0;
  char Suffix = 0; ///< 0, 'a' (this architecture only) or 'f' (family).

  bool operator==(const Target &) const = default;
  /// Whether code for this target may use what \p Need requires. sm_XY is
  /// met by any later GPU, sm_XYf by the f and a targets of its family (the
  /// same major number and no lower minor number), sm_XYa by itself only.
  bool meets(Target Need) const;
  std::string str() const;
};

/// A GPU that `.target` can name.
struct KnownTarget {
  Target GPU;
  uint8_t MinVersion; ///< The first PTX version that knows it.
};
llvm::ArrayRef<KnownTarget> getKnownTargets();

/// The minor versions of a major version of PTX: 0 to LastMinor.
struct VersionRange {
  uint8_t Major;
  uint8_t LastMinor;
};
/// All PTX versions there are, oldest first.
llvm::ArrayRef<VersionRange> getKnownVersions();

/// Parses `sm_90`, `sm_90a`, `sm_100f`; false when it is none.
bool parseTarget(llvm::StringRef Text, Target &Result);

/// A text of the tables. The large ones hold no pointers: a process would have
/// to relocate all of them before it can use one.
struct TableText {
  uint32_t Offset;
  uint16_t Length;

  llvm::StringRef get() const;
};

/// A spelling that an element of a mnemonic may have.
struct FormChoice {
  uint16_t Spelling; ///< Index of the spelling, see findSpelling.
  uint8_t Kind;      ///< ModKind, or NoModKind for a part of the opcode.
  uint8_t Value;     ///< Value of that kind, or the Type.
};

/// One dotted element of a mnemonic.
struct FormElement {
  uint16_t FirstChoice;
  uint8_t NumChoices;
  bool Optional;
  bool IsType;
  /// The dotted part that it must be, counted from 0, or AnyPosition.
  uint8_t Position;
};
/// Of an element that may stand anywhere among the parts.
inline constexpr uint8_t AnyPosition = 0xFF;

/// What an operand may be.
enum class OperandRole : uint8_t {
  Dest,      ///< Register that is written.
  Source,    ///< Register, immediate or address of a symbol.
  Immediate, ///< Integer constant.
  Address,   ///< `[...]`
  Object,    ///< Texture, sampler or surface: a name or a 64-bit handle.
  Label,     ///< Label of this function.
  Targets,   ///< Label of a `.branchtargets`.
  Returns,   ///< `(...)` of a call.
  Callee,    ///< Function or register.
  Arguments, ///< `(...)` of a call.
  Prototype, ///< Label of a `.callprototype` or `.calltargets`.
};

/// How the type of an operand follows from the mnemonic.
enum class OperandTypeRule : uint8_t {
  Fixed,  ///< OperandSpec::Value is the Type.
  Suffix, ///< Type suffix number Value.
  Wide,   ///< Twice the width of type suffix number Value.
  Any,    ///< Any type.
  Sink,   ///< Only `_`.
};

/// What a video instruction may select of an operand, and how
/// Operand::getSelector() gives it.
enum class OperandSelector : uint8_t {
  None,
  Part,    ///< `.b0` to `.b3`: 1 to 4; `.h0`, `.h1`: 5, 6; 0: the whole.
  Mask2,   ///< `.h10`: a bit for each half; all when not written.
  Mask4,   ///< `.b3210`: a bit for each byte; all when not written.
  Lanes2A, ///< `.h10`: four bits for each half of the result; 0x10 by default.
  Lanes2B, ///< Likewise, 0x32 by default.
  Lanes4A, ///< `.b3210`: four bits for each byte; 0x3210 by default.
  Lanes4B, ///< Likewise, 0x7654 by default.
};

/// One operand of a form.
struct OperandSpec {
  OperandRole Role;
  OperandTypeRule Rule;
  uint8_t Value;
  /// Number of elements of a brace vector, 0 for a scalar.
  uint8_t VectorWidth;
  /// Address: the ModKind that names its state space, or NoModKind with the
  /// state space in Value.
  uint8_t SpaceKind;
  /// An optional operand that is there exactly when the mnemonic has a modifier
  /// of this kind; NoModKind otherwise.
  uint8_t WithKind;
  /// The modifier whose number gives the elements of a brace vector, which are
  /// number * WidthTimes / WidthOver, rounded up, - WidthLess; or NoModKind.
  uint8_t WidthKind;
  uint8_t WidthTimes;
  uint8_t WidthOver;
  uint8_t WidthLess;
  /// Of the first of several operands that share one pair of brackets: their
  /// number. 0 otherwise.
  uint8_t GroupSize;
  /// Address: the StateSpace of a variable that stands where the address is
  /// generic; 0 for any whose address can be made generic.
  uint8_t VariableSpace;
  OperandSelector Selector;
  /// The values that a constant may have, none for all.
  uint8_t NumValues;
  uint16_t FirstValue;
  /// What a constant must be a multiple of.
  uint8_t Multiple;
  bool Optional : 1;
  bool Wider : 1;         ///< A wider register than the type is allowed,
  bool Twice : 1;         ///< but only one of twice the width.
  bool Sink : 1;          ///< `_` is allowed.
  bool PairPredicate : 1; ///< `d|p` is allowed.
  bool PairRequired : 1;  ///< `d|p` is required.
  bool Negatable : 1;     ///< `!p` is allowed.
  bool VecModifier : 1;   ///< A vector when the mnemonic has .v2, .v4 or .v8.
  bool Packable : 1;      ///< A vector of registers that make up the type.
  bool Special : 1;       ///< A special register is allowed.
  bool AddressOf : 1;     ///< The address of a symbol is allowed.
  bool Minus : 1;         ///< `-a` is allowed.
  bool NoConstant : 1;    ///< A constant is not allowed.
  bool Longer : 1;        ///< A vector may have more elements than needed.
  bool FirstIndex : 1;    ///< The first element of a vector is a .u32.
  bool Braces : 1;        ///< A vector of one needs its braces, too.
  bool Independent : 1;   ///< A sampler only where it is no part of a texture.
  bool Exact : 1;         ///< An address: no narrow or special register.
  bool Unchecked : 1;     ///< ptxas does not look at what stands here.
  TableText Name;

  /// For messages.
  llvm::StringRef getName() const { return Name.get(); }
  llvm::ArrayRef<int64_t> getAllowedValues() const;
  /// Whether a register of \p Have bits can hold a value of \p Need bits here.
  bool fits(unsigned Have, unsigned Need) const {
    return Have == Need ||
           (Wider && Have > Need && (!Twice || Have == 2 * Need));
  }
};

/// One form of an instruction.
struct FormRow {
  Opcode Op;
  uint8_t NumElements;
  uint8_t NumOperands;
  uint8_t NumTargets;
  uint8_t MinVersion; ///< Major * 10 + minor.
  /// Not for targets from sm_GoneSm on in files of this version or later.
  uint8_t GoneVersion;
  uint16_t GoneSm;
  uint16_t MaxVectorBits;  ///< Of a vector by .v2, .v4 or .v8.
  uint8_t DeprecatedSince; ///< Major * 10 + minor, or 0.
  bool Undocumented;       ///< ptxas takes it, and the manual does not have it.
  bool Meaningless;        ///< Likewise, and its meaning is not known.
  uint16_t FirstElement;
  uint16_t FirstOperand;
  uint16_t FirstTarget;
  TableText Syntax;
  TableText Advice;

  /// As the table writes it, for messages.
  llvm::StringRef getSyntax() const { return Syntax.get(); }
  /// What to write instead of a deprecated form.
  llvm::StringRef getAdvice() const { return Advice.get(); }
  llvm::ArrayRef<FormElement> getElements() const;
  llvm::ArrayRef<OperandSpec> getOperands() const;
  /// Alternatives: one of them has to be met. Empty: any target.
  llvm::ArrayRef<Target> getTargets() const;
};

llvm::ArrayRef<FormChoice> getChoices(const FormElement &E);

/// The rows whose mnemonic begins with \p Head (`ld`, `bar`), in table order;
/// empty when there is no such instruction.
llvm::ArrayRef<FormRow> findForms(llvm::StringRef Head);
/// All rows.
llvm::ArrayRef<FormRow> getAllForms();
/// First parts of all mnemonics, sorted.
llvm::SmallVector<llvm::StringRef> getAllHeads();

/// Index of a modifier or type spelling without the dot, -1 when there is
/// none such.
int findSpelling(llvm::StringRef Text);
/// The spelling of an index.
llvm::StringRef getSpelling(unsigned Index);
/// All modifier and type spellings, sorted.
llvm::ArrayRef<llvm::StringLiteral> getAllSpellings();

/// The opcode as the table writes it: `add`, `bar.warp.sync`.
llvm::StringRef getOpcodeName(Opcode Op);
/// The spelling of a type without the dot.
llvm::StringRef getTypeName(Type Ty);
/// Width in bits; 1 for .pred, 64 for opaque types.
unsigned getTypeBits(Type Ty);
TypeClass getTypeClass(Type Ty);
/// Whether an operand of this type may be a constant.
bool hasConstants(Type Ty);
/// The type with this spelling; false when there is none.
bool findType(llvm::StringRef Text, Type &Result);
/// Spelling of value \p Value (not 0) of a modifier kind, without the dot.
llvm::StringRef getModifierName(ModKind Kind, unsigned Value);
/// The value of a modifier kind with this spelling, 0 when there is none.
unsigned findModifierValue(ModKind Kind, llvm::StringRef Spelling);
/// Least PTX version (major * 10 + minor) and sm of a modifier's value, 0 when
/// it is as old as the forms that have it.
unsigned getModifierMinVersion(ModKind Kind, unsigned Value);
unsigned getModifierMinSm(ModKind Kind, unsigned Value);
/// Alternatives of which the target has to meet one, empty when any will do.
llvm::ArrayRef<Target> getModifierTargets(ModKind Kind, unsigned Value);
/// Whether ptxas takes the values of a modifier kind on instructions that have
/// no such modifier, where they mean nothing.
bool isOverlooked(ModKind Kind);
/// The number that value \p Value (not 0) of a modifier stands for: elements,
/// dimensions; 0 when it stands for none.
unsigned getModifierNumber(ModKind Kind, unsigned Value);

/// A special register as PTX declares it.
struct SpecialRegInfo {
  llvm::StringLiteral Name; ///< With the `%`.
  Type Ty;
  uint8_t VectorWidth; ///< 4 for %tid and its like, else 1.
  uint8_t MinVersion;
  uint16_t MinSm;
  /// Bits of the narrowest type that it can be read with.
  uint8_t LeastWidth;
};
const SpecialRegInfo &getSpecialRegInfo(SpecialReg R);
llvm::ArrayRef<SpecialRegInfo> getAllSpecialRegs();
/// The special register with this name (with the `%`); false when none.
bool findSpecialReg(llvm::StringRef Name, SpecialReg &Result);

} // namespace heddle::ptx

#endif // HEDDLE_PTX_TABLES_H

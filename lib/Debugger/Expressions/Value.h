//===- Value.h - Typed values of the debugger -------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// C's types as far as expressions of the debugger have them, values of them,
// and how values are printed.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_DEBUGGER_VALUE_H
#define HEDDLE_LIB_DEBUGGER_VALUE_H

#include "heddle/Emulator/Debug.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace heddle::debug {

using emu::MemorySpace;

/// How much further in a space what follows so many bytes is: addresses in
/// tensor memory count cells of four bytes.
inline uint64_t stepOf(MemorySpace Space, uint64_t Bytes) {
  constexpr uint64_t CellBytes = 4;
  return Space == MemorySpace::Tensor ? (Bytes + CellBytes - 1) / CellBytes
                                      : Bytes;
}

struct Type {
  enum KindType : uint8_t { Void, Integer, Float, Pointer, Array, Struct };
  struct Field {
    std::string Name;
    unsigned Offset; ///< In bytes.
    const Type *Of;
    unsigned FirstBit = 0; ///< Of a bit field, from that byte on,
    unsigned Bits = 0;     ///< and its width; 0: it is none.
    bool IsBase = false;
  };

  KindType Kind = Void;
  std::string Name;    ///< As C has it: `unsigned int`, `float *`.
  uint64_t Size = 0;   ///< In bytes.
  bool Signed = false; ///< Of an integer.
  bool IsChar = false; ///< Is printed as a character, too.
  bool IsBool = false;
  bool IsBFloat = false;         ///< Else a float of 2 bytes is IEEE's.
  const Type *Element = nullptr; ///< Of a pointer or an array.
  uint64_t Count = 0;            ///< Of an array.
  MemorySpace Space = MemorySpace::Generic; ///< Of a pointer.
  std::vector<Field> Fields;
  std::vector<std::pair<std::string, int64_t>> Enumerators;
  std::string Tag;          ///< `struct`, `class`, `union`, `enum`, or nothing.
  bool IsReference = false; ///< A pointer that stands for what it points to.
  const Type *Aliased = nullptr; ///< What a typedef stands for.
  /// Of a structure that is a number to people, as `__half`; null: it is none.
  const Type *AsNumber = nullptr;

  bool isScalar() const {
    return Kind == Integer || Kind == Float || Kind == Pointer;
  }
};

/// All types of a session, which live as long as it.
class TypePool {
public:
  TypePool();
  /// The type that C, CUDA or PTX calls so: `unsigned int`, `__half`, `u32`.
  const Type *find(llvm::StringRef Name) const;
  const Type *pointerTo(const Type *Element,
                        MemorySpace Space = MemorySpace::Generic);
  const Type *arrayOf(const Type *Element, uint64_t Count);
  /// A type of the source. It may be completed until it is used.
  Type *add(Type T);
  /// Asks \p Source for types that are not known by name.
  void setSource(std::function<const Type *(llvm::StringRef)> Source) {
    this->Source = std::move(Source);
  }
  /// What the source calls so; null if it has no such type.
  const Type *findInSource(llvm::StringRef Name) const {
    return Source ? Source(Name) : nullptr;
  }

  const Type *Int, *UInt, *Long, *ULong, *Double, *FloatType, *Char, *Bool,
      *VoidType, *Dim3;

private:
  const Type *addInteger(llvm::StringRef Name, unsigned Size, bool Signed);
  void addAlias(llvm::StringRef Name, const Type *T);

  std::deque<Type> Types;
  std::vector<std::pair<std::string, const Type *>> ByName;
  std::function<const Type *(llvm::StringRef)> Source;
};

/// Where a value stands, and can be changed.
struct Place {
  enum KindType : uint8_t { Nowhere, Memory, Register } Kind = Nowhere;
  MemorySpace Space = MemorySpace::Generic;
  uint64_t Address = 0;
  emu::RegisterFile File = emu::RegisterFile::Vector;
  unsigned Number = 0; ///< The first of Size / 4 registers.
};

struct Value {
  const Type *Of = nullptr;
  llvm::SmallVector<uint8_t, 16> Bytes;
  /// The bytes that are nowhere, since the compiler needs them no more; of no
  /// size if there are none.
  llvm::SmallBitVector Lost;
  Place At;

  bool isComplete() const { return Lost.none(); }
  /// Whether nothing of it is known.
  bool isLost() const { return !Lost.empty() && Lost.all(); }

  /// The number that an integer or a pointer is, widened as its type says.
  uint64_t integer() const;
  /// What a scalar is as a number.
  double number() const;
  bool isTrue() const;
};

Value makeInteger(const Type *T, uint64_t Number);
Value makeFloat(const Type *T, double Number);
/// What is said instead of a value that is nowhere.
constexpr llvm::StringLiteral OptimizedOut = "<optimized out>";
/// The same as an error.
llvm::Error optimizedOut();
/// A member of a structure, which is where it is in the structure.
Value memberOf(const Value &V, const Type::Field &F);
/// An element of an array.
Value elementOf(const Value &V, uint64_t Number);
/// A structure that is a number to people, as that.
Value asNumber(const Value &V);
/// A scalar as another scalar type, as C converts it.
llvm::Expected<Value> convert(const Value &V, const Type *To);

/// A format of print or x.
struct Format {
  char Letter = 0; ///< d u x o t c f a s i z, or none.
  char Size = 0;   ///< b h w g, or none.
  uint64_t Count = 1;
  uint64_t Elements = 200; ///< Of arrays and strings, at most.
  bool IsPretty = false;   ///< A line for each member of a structure.
};

/// As print shows it.
std::string formatValue(const Value &V, Format F = {});
/// Characters as a literal of C: `"a\000b"`, repeated ones as gdb has them.
/// \p IsCut: there are more.
std::string formatString(llvm::ArrayRef<uint8_t> Characters, bool IsCut);
/// The number of up to eight bytes.
uint64_t bitsOf(llvm::ArrayRef<uint8_t> Bytes);
/// A type as ptype shows it: with its members.
std::string describeType(const Type &T);
/// A floating-point number, with as many digits as tell it from its
/// neighbours.
std::string formatFloat(double Number, unsigned Bytes);

} // namespace heddle::debug

#endif // HEDDLE_LIB_DEBUGGER_VALUE_H

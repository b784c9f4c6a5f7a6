//===- Database.cpp - A file of SQLite --------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A table is a tree of pages: leaves have rows, the others the numbers of pages
// below them. The first page has the list of the tables, and is written last.
//
//===----------------------------------------------------------------------===//

#include "Trace/Database.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/Endian.h"

#include <algorithm>
#include <cstring>
#include <limits>

using namespace llvm;

namespace heddle::cuda::trace {

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

static constexpr size_t MostVarintBytes = 9;

/// Big-endian, seven bits a byte, but eight in the ninth. Returns where the
/// next number may stand.
static char *putVarint(char *At, uint64_t Value) {
  if (Value < 0x80) {
    *At = static_cast<char>(Value);
    return At + 1;
  }
  if (Value < 0x4000) {
    At[0] = static_cast<char>(Value >> 7 | 0x80);
    At[1] = static_cast<char>(Value & 0x7F);
    return At + 2;
  }
  char Bytes[MostVarintBytes];
  unsigned Count = 0;
  if (Value >> 56) {
    Bytes[8 - Count++] = static_cast<char>(Value);
    Value >>= 8;
    for (; Count != 9; Value >>= 7)
      Bytes[8 - Count++] = static_cast<char>(Value | 0x80);
  } else {
    for (; Count == 0 || Value; Value >>= 7)
      Bytes[8 - Count++] =
          static_cast<char>(Count ? Value | 0x80 : Value & 0x7F);
  }
  std::memcpy(At, Bytes + MostVarintBytes - Count, Count);
  return At + Count;
}

static void appendVarint(SmallVectorImpl<char> &To, uint64_t Value) {
  char Bytes[MostVarintBytes];
  To.append(Bytes, putVarint(Bytes, Value));
}

static void appendBytes(SmallVectorImpl<char> &To, uint64_t Value,
                        unsigned Count) {
  char Bytes[8];
  support::endian::write64be(Bytes, Value);
  To.append(std::end(Bytes) - Count, std::end(Bytes));
}

/// How a number is kept: the type's number, and its bytes.
struct NumberType {
  uint8_t Type;
  uint8_t Bytes;
};

static NumberType typeOf(int64_t Number) {
  if (Number == 0 || Number == 1)
    return {static_cast<uint8_t>(8 + Number), 0};
  // By the bytes that hold the number with its sign.
  constexpr NumberType Types[] = {{1, 1}, {2, 2}, {3, 3}, {4, 4},
                                  {5, 6}, {5, 6}, {6, 8}, {6, 8}};
  auto Positive = static_cast<uint64_t>(Number < 0 ? ~Number : Number);
  return Types[llvm::bit_width(Positive) / 8];
}

//===----------------------------------------------------------------------===//
// Pages
//===----------------------------------------------------------------------===//

/// Kinds of pages, and the bytes of their headers.
static constexpr uint8_t InnerPage = 5, LeafPage = 13;
static constexpr size_t InnerHeader = 12, LeafHeader = 8;

inline char *Database::Page::makeRoom(size_t CellBytes) {
  Content -= CellBytes;
  support::endian::write16be(&Bytes[Front], static_cast<uint16_t>(Content));
  Front += sizeof(uint16_t);
  return &Bytes[Content];
}

void Database::Page::add(StringRef Cell) {
  std::memcpy(makeRoom(Cell.size()), Cell.data(), Cell.size());
}

/// What is in front of the header becomes 0. Between places and cells is what
/// was there in the page before, which nobody reads.
void Database::Page::end() {
  std::fill(&Bytes[0], &Bytes[Behind], 0);
  Bytes[Begin] = static_cast<char>(Kind);
  size_t Count = (Front - Behind) / sizeof(uint16_t);
  support::endian::write16be(&Bytes[Begin + 3], static_cast<uint16_t>(Count));
  support::endian::write16be(&Bytes[Begin + 5], static_cast<uint16_t>(Content));
  Front = Behind;
  Content = PageBytes;
}

Database::Database(std::unique_ptr<raw_fd_ostream> Opened)
    : File(std::move(Opened)), Inner(InnerPage, 0, InnerHeader) {
  // Its place, until it is written.
  write(std::vector<char>(PageBytes));
}

/// Programs lock a byte of this page, which therefore is nobody's.
static constexpr uint32_t LockPage = (1 << 30) / Database::PageBytes + 1;

Database::PageNumber Database::next() const {
  return NumPages + 1 == LockPage ? NumPages + 2 : NumPages + 1;
}

Database::PageNumber Database::write(ArrayRef<char> Bytes) {
  if (NumPages + 1 == LockPage) {
    File->write_zeros(PageBytes);
    ++NumPages;
  }
  File->write(Bytes.data(), Bytes.size());
  return ++NumPages;
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// Makes the record of a row: types, then values. A key is the row's number.
void Database::encode(ArrayRef<Field> Row, bool HasKey) {
  SmallString<256> Types;
  SmallString<512> Values;
  for (const Field &F : Row) {
    if (HasKey && &F == Row.begin()) {
      Types.push_back(0);
    } else if (const auto *Number = std::get_if<int64_t>(&F)) {
      NumberType T = typeOf(*Number);
      Types.push_back(static_cast<char>(T.Type));
      appendBytes(Values, static_cast<uint64_t>(*Number), T.Bytes);
    } else if (const auto *Real = std::get_if<double>(&F)) {
      constexpr char RealType = 7;
      Types.push_back(RealType);
      appendBytes(Values, bit_cast<uint64_t>(*Real), sizeof(double));
    } else if (const auto *Text = std::get_if<StringRef>(&F)) {
      constexpr uint64_t TextType = 13;
      appendVarint(Types, TextType + 2 * Text->size());
      Values += *Text;
    } else {
      Types.push_back(0);
    }
  }
  // The size counts itself, and may need a second byte for that.
  size_t Size = Types.size() + 1;
  Record.clear();
  appendVarint(Record, Size < 0x80 ? Size : Size + 1);
  Record += Types;
  Record += Values;
}

/// What does not fit into a page goes into a chain of pages.
Database::PageNumber Database::writeOverflow(StringRef Rest) {
  constexpr size_t Most = PageBytes - sizeof(PageNumber);
  PageNumber First = next();
  while (!Rest.empty()) {
    std::vector<char> Bytes(PageBytes);
    StringRef Part = Rest.take_front(Most);
    Rest = Rest.drop_front(Part.size());
    std::memcpy(&Bytes[sizeof(PageNumber)], Part.data(), Part.size());
    // The page behind this one.
    PageNumber Own = next();
    PageNumber After = Own + 1 == LockPage ? Own + 2 : Own + 1;
    support::endian::write32be(Bytes.data(), Rest.empty() ? 0 : After);
    write(Bytes);
  }
  return First;
}

/// Puts a row's number in front of its record.
void Database::makeCell(int64_t Row) {
  // What the format says of how much of a long record stays in the page.
  constexpr size_t Most = PageBytes - 35,
                   Least = (PageBytes - 12) * 32 / 255 - 23;
  size_t Kept = Record.size();
  if (Kept > Most) {
    Kept = Least + (Record.size() - Least) % (PageBytes - sizeof(PageNumber));
    if (Kept > Most)
      Kept = Least;
  }
  Cell.clear();
  appendVarint(Cell, Record.size());
  appendVarint(Cell, static_cast<uint64_t>(Row));
  Cell += StringRef(Record).take_front(Kept);
  if (Kept != Record.size())
    appendBytes(Cell, writeOverflow(StringRef(Record).drop_front(Kept)),
                sizeof(PageNumber));
}

void Database::endLeaf(Tree &T) {
  T.Leaf.end();
  T.Leaves.push_back({write(T.Leaf.bytes()), T.Last});
}

Database::Tree &Database::treeOf(const TableFormat &Table) {
  auto It = Trees.find(&Table);
  if (It != Trees.end())
    return It->second;
  StringRef First = StringRef(Table.Columns).split(',').first;
  Tree New{&Table, First.ends_with("PRIMARY KEY"), 0,
           Page(LeafPage, 0, LeafHeader)};
  return Trees.emplace(&Table, std::move(New)).first->second;
}

inline char *Database::makeRoom(Tree &T, size_t CellBytes, int64_t Row) {
  if (!T.Leaf.hasRoom(CellBytes))
    endLeaf(T);
  T.Last = Row;
  return T.Leaf.makeRoom(CellBytes);
}

void Database::insert(const TableFormat &Table, ArrayRef<Field> Row) {
  Tree &T = treeOf(Table);
  encode(Row, T.HasKey);
  int64_t Number = T.HasKey ? std::get<int64_t>(Row.front()) : T.Last + 1;
  makeCell(Number);
  std::memcpy(makeRoom(T, Cell.size(), Number), Cell.data(), Cell.size());
}

/// How many bytes a field has in a record.
static size_t bytesOf(const Field &F) {
  if (const auto *Number = std::get_if<int64_t>(&F))
    return typeOf(*Number).Bytes;
  if (const auto *Text = std::get_if<StringRef>(&F))
    return Text->size();
  return std::holds_alternative<double>(F) ? sizeof(double) : 0;
}

/// Bytes of a row's number in a pattern, with zeros in front, as numbers of the
/// format may have them: enough for two terabytes of the shortest rows.
static constexpr size_t RowBytes = 5;

static void putRow(char *At, uint64_t Row) {
  auto Seven = [Row](unsigned Shift) { return Row >> Shift & 0x7F; };
  // The first four bytes at once; the last one has no bit that says that
  // another one follows.
  uint64_t Four = Seven(28) << 24 | Seven(21) << 16 | Seven(14) << 8 | Seven(7);
  support::endian::write32be(At, static_cast<uint32_t>(Four | 0x80808080));
  At[RowBytes - 1] = static_cast<char>(Seven(0));
}

Database::Pattern Database::prepare(const TableFormat &Table,
                                    ArrayRef<Field> Row,
                                    ArrayRef<unsigned> Changing) {
  // Numbers that take as many bytes as any.
  std::vector<Field> Widest = Row.vec();
  for (unsigned Column : Changing)
    Widest[Column] = std::numeric_limits<int64_t>::min();
  encode(Widest, /*HasKey=*/false);
  Pattern P;
  P.Of = &treeOf(Table);
  Cell.clear();
  appendVarint(Cell, Record.size());
  P.RowAt = Cell.size();
  Cell.append(RowBytes, 0);
  Cell += Record;
  P.Cell = Cell.str();
  for (unsigned Column : Changing) {
    size_t Behind = 0;
    for (const Field &F : ArrayRef(Widest).drop_front(Column))
      Behind += bytesOf(F);
    P.Places.push_back(P.Cell.size() - Behind);
  }
  return P;
}

void Database::insert(const Pattern &P, ArrayRef<int64_t> Numbers) {
  int64_t Row = P.Of->Last + 1;
  char *At = makeRoom(*P.Of, P.Cell.size(), Row);
  std::copy(P.Cell.begin(), P.Cell.end(), At);
  putRow(At + P.RowAt, static_cast<uint64_t>(Row));
  for (size_t I = 0; I != Numbers.size(); ++I)
    support::endian::write64be(At + P.Places[I],
                               static_cast<uint64_t>(Numbers[I]));
}

//===----------------------------------------------------------------------===//
// The end
//===----------------------------------------------------------------------===//

/// A page above others.
Database::Child Database::join(ArrayRef<Child> Children) {
  for (const Child &C : Children.drop_back()) {
    Cell.clear();
    appendBytes(Cell, C.Page, sizeof(PageNumber));
    appendVarint(Cell, static_cast<uint64_t>(C.Last));
    Inner.add(Cell);
  }
  Inner.end();
  support::endian::write32be(Inner.at(LeafHeader), Children.back().Page);
  return {write(Inner.bytes()), Children.back().Last};
}

Database::PageNumber Database::root(Tree &T) {
  endLeaf(T);
  // A cell has 13 bytes at most, and two for its place.
  constexpr size_t Most = (PageBytes - InnerHeader) / 15;
  std::vector<Child> Level = std::move(T.Leaves);
  while (Level.size() > 1) {
    // Evenly: a page has two pages below it at least.
    size_t Count = (Level.size() + Most - 1) / Most;
    std::vector<Child> Above;
    for (size_t I = 0; I != Count; ++I) {
      size_t Begin = Level.size() * I / Count,
             End = Level.size() * (I + 1) / Count;
      Above.push_back(join(ArrayRef(Level).slice(Begin, End - Begin)));
    }
    Level = std::move(Above);
  }
  return Level.front().Page;
}

void Database::writeFirstPage() {
  constexpr size_t HeaderBytes = 100;
  Page P(LeafPage, HeaderBytes, LeafHeader);
  int64_t Number = 0;
  std::vector<std::pair<const TableFormat *, PageNumber>> Roots;
  Roots.reserve(Trees.size());
  for (auto &[Format, T] : Trees)
    Roots.emplace_back(Format, root(T));
  for (const auto &[Format, Root] : Roots) {
    std::string Text = std::string("CREATE TABLE ") + Format->Name + " (" +
                       Format->Columns + ")";
    encode({StringRef("table"), StringRef(Format->Name),
            StringRef(Format->Name), int64_t(Root), StringRef(Text)},
           /*HasKey=*/false);
    makeCell(++Number);
    if (P.hasRoom(Cell.size()))
      P.add(Cell);
  }
  P.end();
  char *At = P.at(0);
  std::memcpy(At, "SQLite format 3", 16);
  // The page's size, which does not fit, is 1; then versions of the format for
  // writing and reading, and what cells take of a page.
  constexpr unsigned char Fixed[] = {0, 1, 1, 1, 0, 64, 32, 32};
  std::memcpy(At + 16, Fixed, sizeof(Fixed));
  auto Set = [At](size_t Offset, uint32_t Value) {
    support::endian::write32be(At + Offset, Value);
  };
  Set(24, 1); // How often the file was changed,
  Set(92, 1); // and at which time the next two were right.
  Set(28, NumPages);
  Set(96, 3'040'001); // A version of SQLite that writes such files.
  Set(40, 1);         // How often the tables were changed.
  Set(44, 4);         // The format of the list of tables.
  Set(56, 1);         // UTF-8.
  File->flush();
  File->pwrite(At, PageBytes, 0);
}

std::error_code Database::finish() {
  writeFirstPage();
  File->close();
  std::error_code Failure = File->error();
  File->clear_error();
  return Failure;
}

} // namespace heddle::cuda::trace

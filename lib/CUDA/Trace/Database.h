//===- Database.h - A file of SQLite ----------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows in tables, which are made when they get their first row. The file is
// written as SQLite has it (sqlite.org/fileformat2.html): rows only come, and
// never change, so that pages are written one after the other, once each. That
// takes a fraction of what SQLite itself takes.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_TRACE_DATABASE_H
#define HEDDLE_LIB_CUDA_TRACE_DATABASE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdint>
#include <map>
#include <memory>
#include <variant>
#include <vector>

namespace heddle::cuda::trace {

/// A table as SQL has it: its name and its columns.
struct TableFormat {
  const char *Name, *Columns;
};

/// A field of a row; null is SQL's.
using Field = std::variant<std::nullptr_t, int64_t, double, llvm::StringRef>;

class Database {
  struct Tree;

public:
  /// Rows of a table that differ in a few numbers, put into bytes once.
  class Pattern {
    friend class Database;
    Tree *Of = nullptr;
    std::string Cell;           ///< The record, with a row's number in front.
    size_t RowAt = 0;           ///< Where that is.
    std::vector<size_t> Places; ///< Of the numbers that differ.
  };

  /// An empty file becomes a database.
  explicit Database(std::unique_ptr<llvm::raw_fd_ostream> File);

  /// Adds a row with as many fields as the table has columns. If the first
  /// column is the table's key, it grows from row to row.
  void insert(const TableFormat &Table, llvm::ArrayRef<Field> Row);
  /// What rows of a table without a key have in common: all fields but those
  /// that are \p Changing. It must fit into a page.
  Pattern prepare(const TableFormat &Table, llvm::ArrayRef<Field> Row,
                  llvm::ArrayRef<unsigned> Changing);
  /// Adds such a row, with a number for each field that changes.
  void insert(const Pattern &P, llvm::ArrayRef<int64_t> Numbers);
  /// Completes the file. What is wrong with it is the stream's error.
  std::error_code finish();

  static constexpr size_t PageBytes = 65536;

private:
  using PageNumber = uint32_t;
  /// A page, with the number of the last row in it or below it.
  struct Child {
    PageNumber Page;
    int64_t Last;
  };
  /// A page that is being filled: cells from its end on, and from its begin on,
  /// behind a header, their places.
  class Page {
  public:
    Page(uint8_t Kind, size_t Begin, size_t HeaderBytes)
        : Kind(Kind), Begin(Begin), Behind(Begin + HeaderBytes) {}
    bool hasRoom(size_t CellBytes) const {
      return Front + sizeof(uint16_t) + CellBytes <= Content;
    }
    void add(llvm::StringRef Cell);
    /// Where a new cell is to be put.
    char *makeRoom(size_t CellBytes);
    /// Completes the page, and makes it empty for the next one.
    void end();
    char *at(size_t Place) { return &Bytes[Place]; }
    llvm::ArrayRef<char> bytes() const { return {Bytes.get(), PageBytes}; }

  private:
    std::unique_ptr<char[]> Bytes = std::make_unique<char[]>(PageBytes);
    uint8_t Kind;
    size_t Begin, Behind; ///< The header.
    size_t Front = Behind, Content = PageBytes;
  };
  /// The rows of a table.
  struct Tree {
    const TableFormat *Format;
    bool HasKey;
    int64_t Last = 0;
    Page Leaf;
    std::vector<Child> Leaves = {};
  };

  Tree &treeOf(const TableFormat &Table);
  void encode(llvm::ArrayRef<Field> Row, bool HasKey);
  void makeCell(int64_t Row);
  /// Room for a row of that size, which is the last one now.
  char *makeRoom(Tree &T, size_t CellBytes, int64_t Row);
  void endLeaf(Tree &T);
  PageNumber root(Tree &T);
  Child join(llvm::ArrayRef<Child> Children);
  PageNumber write(llvm::ArrayRef<char> Bytes);
  PageNumber next() const;
  PageNumber writeOverflow(llvm::StringRef Rest);
  void writeFirstPage();

  std::unique_ptr<llvm::raw_fd_ostream> File;
  PageNumber NumPages = 0;
  std::map<const TableFormat *, Tree> Trees;
  Page Inner; ///< For pages above leaves, one after the other.
  llvm::SmallString<1024> Record, Cell;
};

} // namespace heddle::cuda::trace

#endif // HEDDLE_LIB_CUDA_TRACE_DATABASE_H

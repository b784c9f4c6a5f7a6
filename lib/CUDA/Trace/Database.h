//===- Database.h - A file of SQLite ----------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows in tables, which are made when they get their first row.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_TRACE_DATABASE_H
#define HEDDLE_LIB_CUDA_TRACE_DATABASE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <map>
#include <memory>
#include <string>
#include <variant>

struct sqlite3;
struct sqlite3_stmt;

namespace heddle::cuda::trace {

/// A table as SQL has it: its name and its columns.
struct TableFormat {
  const char *Name, *Columns;
};

/// A field of a row; null is SQL's.
using Field = std::variant<std::nullptr_t, int64_t, double, llvm::StringRef>;

class Database {
public:
  /// An empty file becomes a database.
  static llvm::Expected<std::unique_ptr<Database>>
  open(const std::string &Path);
  ~Database();
  Database(const Database &) = delete;
  Database &operator=(const Database &) = delete;

  /// Adds a row with as many fields as the table has columns. The first error
  /// ends the writing.
  void insert(const TableFormat &Table, llvm::ArrayRef<Field> Row);
  /// Makes what was inserted permanent. The error is the first.
  llvm::Error finish();

private:
  explicit Database(sqlite3 *Open) : Handle(Open) {}
  bool run(const std::string &Text);
  bool check(int Code);
  sqlite3_stmt *insertion(const TableFormat &Table, size_t NumFields);

  sqlite3 *Handle;
  std::map<const TableFormat *, sqlite3_stmt *> Insertions;
  std::string Fault; ///< The first error; empty: there was none.
};

} // namespace heddle::cuda::trace

#endif // HEDDLE_LIB_CUDA_TRACE_DATABASE_H

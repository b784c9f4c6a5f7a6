//===- Database.cpp - A file of SQLite --------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One transaction, without a journal: the file is new, and nobody else has it.
//
//===----------------------------------------------------------------------===//

#include "Trace/Database.h"

#include <sqlite3.h>

using namespace llvm;

namespace heddle::cuda::trace {

Expected<std::unique_ptr<Database>> Database::open(const std::string &Path) {
  sqlite3 *Handle = nullptr;
  // One thread at a time: the recorder sees to that.
  int Code = sqlite3_open_v2(Path.c_str(), &Handle,
                             SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE |
                                 SQLITE_OPEN_NOMUTEX,
                             nullptr);
  std::unique_ptr<Database> Opened(new Database(Handle));
  if (!Opened->check(Code) || !Opened->run("PRAGMA journal_mode=OFF") ||
      !Opened->run("PRAGMA synchronous=OFF") ||
      !Opened->run("PRAGMA locking_mode=EXCLUSIVE") || !Opened->run("BEGIN"))
    return createStringError(Path + ": " + Opened->Fault);
  return Opened;
}

Database::~Database() {
  for (const auto &[Table, Statement] : Insertions)
    sqlite3_finalize(Statement);
  sqlite3_close(Handle);
}

bool Database::check(int Code) {
  bool IsFine = Code == SQLITE_OK || Code == SQLITE_DONE;
  if (!IsFine && Fault.empty())
    Fault = Handle ? sqlite3_errmsg(Handle) : "out of memory";
  return IsFine;
}

bool Database::run(const std::string &Text) {
  return check(sqlite3_exec(Handle, Text.c_str(), nullptr, nullptr, nullptr));
}

sqlite3_stmt *Database::insertion(const TableFormat &Table, size_t NumFields) {
  sqlite3_stmt *&Statement = Insertions[&Table];
  if (Statement)
    return Statement;
  std::string Name = Table.Name;
  if (!run("CREATE TABLE " + Name + " (" + Table.Columns + ")"))
    return nullptr;
  std::string Text = "INSERT INTO " + Name + " VALUES (?";
  for (size_t I = 1; I != NumFields; ++I)
    Text += ", ?";
  check(sqlite3_prepare_v2(Handle, (Text + ")").c_str(), -1, &Statement,
                           nullptr));
  return Statement;
}

void Database::insert(const TableFormat &Table, ArrayRef<Field> Row) {
  sqlite3_stmt *S = Fault.empty() ? insertion(Table, Row.size()) : nullptr;
  if (!S)
    return;
  for (size_t I = 0; I != Row.size(); ++I) {
    int At = static_cast<int>(I + 1);
    if (const auto *Number = std::get_if<int64_t>(&Row[I]))
      sqlite3_bind_int64(S, At, *Number);
    else if (const auto *Real = std::get_if<double>(&Row[I]))
      sqlite3_bind_double(S, At, *Real);
    else if (const auto *Text = std::get_if<StringRef>(&Row[I]))
      sqlite3_bind_text64(S, At, Text->data() ? Text->data() : "", Text->size(),
                          SQLITE_STATIC, SQLITE_UTF8);
    else
      sqlite3_bind_null(S, At);
  }
  check(sqlite3_step(S));
  sqlite3_reset(S);
}

Error Database::finish() {
  if (Fault.empty())
    run("COMMIT");
  return Fault.empty() ? Error::success() : createStringError(Fault);
}

} // namespace heddle::cuda::trace

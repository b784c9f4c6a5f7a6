//===- Diff.cpp - Two reports against each other ----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A launch's warp cycles are the sum over source lines and states, so a change
// of them is the sum of the changes of each.
//
//===----------------------------------------------------------------------===//

#include "Diff.h"
#include "heddle/Support/JSON.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

#include <map>

using namespace llvm;

namespace heddle::prof {

namespace {

/// Warp cycles by line (`file:line`) and state.
using Cells = std::map<std::pair<std::string, std::string>, int64_t>;

struct Launch {
  std::string Kernel;
  int64_t Cycles = 0;
  Cells ByLineAndState;
};

/// Reports that ptx-prof did not write are an error.
class Reader {
public:
  explicit Reader(StringRef Path) : Path(Path) {}
  Expected<std::vector<Launch>> read();

private:
  Error malformed() const {
    return createStringError(Path + ": no report of ptx-prof run --json");
  }
  Expected<Launch> readLaunch(const json::Value &V) const;
  Error readLine(const json::Value &V, Cells &Into) const;

  StringRef Path;
};

} // namespace

Error Reader::readLine(const json::Value &V, Cells &Into) const {
  const json::Object *Line = V.getAsObject();
  if (!Line)
    return malformed();
  auto File = Line->getString("file");
  auto Number = Line->getInteger("line");
  const json::Object *States = Line->getObject("states");
  if (!File || !Number || !States)
    return malformed();
  std::string Place =
      File->empty() ? "(no line)" : (*File + ":" + Twine(*Number)).str();
  for (const auto &[Name, Cycles] : *States) {
    auto Value = Cycles.getAsInteger();
    if (!Value)
      return malformed();
    Into[{Place, StringRef(Name).str()}] += *Value;
  }
  return Error::success();
}

Expected<Launch> Reader::readLaunch(const json::Value &V) const {
  const json::Object *O = V.getAsObject();
  if (!O)
    return malformed();
  auto Kernel = O->getString("kernel");
  const json::Object *Profile = O->getObject("profile");
  const json::Array *Lines = O->getArray("lines");
  if (!Kernel || !Profile || !Lines || !Profile->getInteger("cycles"))
    return malformed();
  Launch L;
  L.Kernel = Kernel->str();
  L.Cycles = *Profile->getInteger("cycles");
  for (const json::Value &Line : *Lines)
    if (Error E = readLine(Line, L.ByLineAndState))
      return std::move(E);
  return L;
}

Expected<std::vector<Launch>> Reader::read() {
  auto Buffer = MemoryBuffer::getFile(Path);
  if (!Buffer)
    return createStringError(Path + ": " + Buffer.getError().message());
  Expected<json::Value> Root = parseJSON((*Buffer)->getBuffer());
  if (!Root)
    return createStringError(Path + ": " + toString(Root.takeError()));
  const json::Object *O = Root->getAsObject();
  const json::Array *List = O ? O->getArray("launches") : nullptr;
  if (!List)
    return malformed();
  std::vector<Launch> Result;
  for (const json::Value &V : *List) {
    Expected<Launch> L = readLaunch(V);
    if (!L)
      return L.takeError();
    Result.push_back(std::move(*L));
  }
  return Result;
}

/// Prints a table of changes, the largest first.
static void printChanges(raw_ostream &OS, const Cells &Changes, int64_t Total,
                         unsigned Rows) {
  std::vector<std::pair<Cells::key_type, int64_t>> Order;
  for (const auto &[Key, Change] : Changes)
    if (Change)
      Order.emplace_back(Key, Change);
  llvm::sort(Order, [](auto &A, auto &B) {
    int64_t Left = std::abs(A.second), Right = std::abs(B.second);
    return Left != Right ? Left > Right : A.first < B.first;
  });
  OS << "  warp cycles " << (Total > 0 ? "+" : "") << Total << "\n";
  for (const auto &[Key, Change] :
       ArrayRef(Order).take_front(std::min<size_t>(Rows, Order.size())))
    OS << "  " << format("%+14lld", static_cast<long long>(Change)) << "  "
       << left_justify(Key.second, 20) << Key.first << "\n";
}

Error printDiff(raw_ostream &OS, StringRef Before, StringRef After,
                unsigned Rows) {
  Expected<std::vector<Launch>> A = Reader(Before).read();
  if (!A)
    return A.takeError();
  Expected<std::vector<Launch>> B = Reader(After).read();
  if (!B)
    return B.takeError();
  if (A->size() != B->size())
    return createStringError("the reports have " + Twine(A->size()) + " and " +
                             Twine(B->size()) + " launches");
  for (auto [Old, New] : zip_equal(*A, *B)) {
    if (Old.Kernel != New.Kernel)
      return createStringError("the reports are of different kernels: '" +
                               Old.Kernel + "' and '" + New.Kernel + "'");
    OS << "kernel '" << Old.Kernel << "': " << Old.Cycles << " -> "
       << New.Cycles << " cycles";
    if (Old.Cycles)
      OS << format(" (%+.1f %%)",
                   100.0 * (New.Cycles - Old.Cycles) / Old.Cycles);
    OS << "\n";
    Cells Changes = New.ByLineAndState;
    for (const auto &[Key, Cycles] : Old.ByLineAndState)
      Changes[Key] -= Cycles;
    int64_t Total = 0;
    for (const auto &[Key, Change] : Changes)
      Total += Change;
    printChanges(OS, Changes, Total, Rows);
  }
  return Error::success();
}

} // namespace heddle::prof

//===- Commands.cpp - What ptx-cache can do ---------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each command of ptx-cache. What is for people to read goes to standard
// output; errors are returned.
//
//===----------------------------------------------------------------------===//

#include "Commands.h"

#include "heddle-cache/Pack.h"
#include "heddle/Driver/ResultCodec.h"

#include <algorithm>
#include <cstdio>
#include <ctime>

namespace heddle::ptxcache {

using namespace cache;

Session::Session(cache::Settings TheSettings,
                 std::vector<std::string> Arguments)
    : Settings(std::move(TheSettings)), Arguments(std::move(Arguments)),
      Codec(static_cast<int>(std::min<uint64_t>(
                Settings.number(SettingId::CompressionLevel), 19)),
            Settings.number(SettingId::MaxEntrySize)) {}

LocalStore *Session::store(std::string &Error) {
  if (Store)
    return Store.get();
  auto Opened = LocalStore::open(Settings, /*Create=*/false, Count);
  if (Opened)
    Store = std::move(*Opened);
  else
    Error = Opened.fault().Text;
  return Store.get();
}

std::optional<Hash128> Session::resolve(const std::string &Prefix,
                                        std::string &Error) {
  LocalStore *S = store(Error);
  if (!S)
    return std::nullopt;
  std::optional<Hash128> Found;
  unsigned Matches = 0;
  S->forEach([&](const StoredFile &F) {
    if (F.Find.str().starts_with(Prefix)) {
      Found = F.Find;
      ++Matches;
    }
  });
  if (Matches == 1)
    return Found;
  Error = Matches ? "'" + Prefix + "' begins the names of several entries"
                  : "there is no entry '" + Prefix + "'";
  return std::nullopt;
}

cache::Result<EntryHeader> Session::read(const Hash128 &Find,
                                         std::string &Bytes) {
  auto Read = Store->read(Find);
  if (!Read)
    return Read.fault();
  Bytes = std::move(*Read);
  return Codec.inspect(Bytes);
}

namespace {

Fault failure(std::string Text) {
  return {Counter::ReadError, std::move(Text)};
}

void print(const std::string &Text) {
  std::fwrite(Text.data(), 1, Text.size(), stdout);
}

std::string padded(std::string Text, size_t Width) {
  if (Text.size() < Width)
    Text.resize(Width, ' ');
  return Text;
}

std::string padLeft(const std::string &Text, size_t Width) {
  return std::string(Width - std::min(Width, Text.size()), ' ') + Text;
}

/// Bytes as "1.5 MiB".
std::string sizeText(uint64_t Bytes) {
  static constexpr const char *Units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  unsigned Unit = 0;
  double Value = static_cast<double>(Bytes);
  while (Value >= 1024 && Unit != 4) {
    Value /= 1024;
    ++Unit;
  }
  char Text[32];
  std::snprintf(Text, sizeof(Text), Unit ? "%.1f %s" : "%.0f %s", Value,
                Units[Unit]);
  return Text;
}

std::string_view fieldOf(std::string_view Record, std::string_view Name) {
  static const std::vector<KeyField> None;
  auto Fields = decodeKeyRecord(Record);
  for (const KeyField &F : Fields ? *Fields : None)
    if (F.Name == Name)
      return F.Value;
  return {};
}

Result<int> stats(Session &S) {
  std::string Error;
  LocalStore *Store = S.store(Error);
  if (!Store)
    return failure(Error);
  uint64_t Files = 0, Bytes = 0;
  Store->forEach([&](const StoredFile &F) {
    ++Files;
    Bytes += F.Size;
  });
  uint64_t Limit = S.Settings.number(SettingId::MaxSize);
  print("directory              " +
        std::string(S.Settings.text(SettingId::Dir)) +
        "\nentries                " + std::to_string(Files) +
        "\nsize                   " + sizeText(Bytes) +
        (Limit ? " of " + sizeText(Limit) : "") + "\n");
  CounterValues Values = Store->statistics();
  for (const CounterInfo &C : counterTable())
    if (uint64_t V = Values[static_cast<size_t>(C.Id)])
      print(padded(std::string(C.Name), 22) + " " +
            padded(std::to_string(V), 8) + " " + std::string(C.Help) + "\n");
  return 0;
}

Result<int> list(Session &S) {
  std::string Error;
  LocalStore *Store = S.store(Error);
  if (!Store)
    return failure(Error);
  Store->forEach([&](const StoredFile &F) {
    std::string Bytes, Line = F.Find.str() + "  ";
    auto H = S.read(F.Find, Bytes);
    std::time_t Used = F.LastUsed;
    char Date[32] = "";
    std::tm Time;
    if (gmtime_r(&Used, &Time))
      std::strftime(Date, sizeof(Date), "%Y-%m-%dT%H:%M", &Time);
    Line += padLeft(std::to_string(F.Size), 9) + "  " + Date + "  ";
    if (H)
      Line += padded(std::string(entryKindName(H->Kind)), 13) + "  " +
              std::string(fieldOf(H->Record, "chip")) + "  " +
              std::string(fieldOf(H->Record, "build").substr(0, 12));
    else
      Line += "damaged: " + H.fault().Text;
    print(Line + "\n");
  });
  return 0;
}

/// A value on lines of its own if it has several.
void printField(const KeyField &F) {
  std::string_view Value = F.Value;
  std::string Text = padded(std::string(F.Name), 16);
  while (!Value.empty() && Value.back() == '\n')
    Value.remove_suffix(1);
  for (char C : Value)
    Text += C == '\n' ? "\n" + std::string(16, ' ') : std::string(1, C);
  print(Text + "\n");
}

void printCompilation(const Entry &E) {
  Rendering How;
  auto Result = decodeResult(E, How);
  if (!Result)
    return;
  char Time[64];
  std::snprintf(Time, sizeof(Time), "%.3f ms", Result->Milliseconds);
  print("compile_time    " + std::string(Time) + "\n");
  for (const FunctionReport &F : Result->Functions)
    print("function        " + F.Name + ": " + std::to_string(F.Registers) +
          " registers, " + std::to_string(F.CodeBytes) + " bytes code, " +
          std::to_string(F.SharedBytes) + " bytes shared, " +
          std::to_string(F.StackBytes) + " bytes stack\n");
  for (const Diagnostic &D : Result->Messages)
    print(D.Rendered);
}

Result<int> show(Session &S) {
  std::string Error, Bytes;
  auto Find = S.resolve(S.Arguments[0], Error);
  if (!Find)
    return failure(Error);
  auto H = S.read(*Find, Bytes);
  if (!H)
    return failure(Find->str() + ": " + H.fault().Text);
  print("key             " + Find->str() + "\ndigest          " +
        H->Digest.str() + "\n");
  if (auto Fields = decodeKeyRecord(H->Record))
    for (const KeyField &F : *Fields)
      printField(F);
  print("code_size       " + std::to_string(H->CodeSize) +
        "\nstored_size     " + std::to_string(H->StoredSize) + "\n");
  auto E = S.Codec.unpack(*H);
  if (!E)
    return failure(Find->str() + ": " + E.fault().Text);
  if (H->Kind == EntryKind::Module)
    printCompilation(*E);
  else if (H->Kind == EntryKind::TuningRecord)
    print("decisions       " + E->Code + "\nhistory         " + E->Metadata +
          "\n");
  return 0;
}

/// Checks one entry's bytes in full; the text of what is wrong.
std::string faultOf(Session &S, const Result<std::string> &Bytes) {
  if (!Bytes)
    return Bytes.fault().Text;
  auto H = S.Codec.inspect(*Bytes);
  if (!H)
    return H.fault().Text;
  auto E = S.Codec.unpack(*H);
  return E ? "" : E.fault().Text;
}

Result<int> verify(Session &S) {
  uint64_t Good = 0, Bad = 0;
  auto Check = [&](const std::string &Name, const Result<std::string> &Bytes) {
    std::string Text = faultOf(S, Bytes);
    Text.empty() ? ++Good : ++Bad;
    if (!Text.empty())
      print(Name + ": " + Text + "\n");
  };
  if (S.Arguments.empty()) {
    std::string Error;
    LocalStore *Store = S.store(Error);
    if (!Store)
      return failure(Error);
    Store->forEach(
        [&](const StoredFile &F) { Check(F.Find.str(), Store->read(F.Find)); });
  }
  for (const std::string &Path : S.Arguments) {
    auto P = Pack::open(Path, /*Verify=*/true);
    if (!P)
      return failure(P.fault().Text);
    Status F =
        (*P)->forEach(S.Settings.number(SettingId::MaxEntrySize),
                      [&](const Hash128 &Find, std::string_view Bytes) {
                        Check(Path + ": " + Find.str(), std::string(Bytes));
                        return true;
                      });
    if (F)
      return failure(Path + ": " + F->Text);
  }
  print(std::to_string(Good) + " good, " + std::to_string(Bad) + " damaged\n");
  return Bad ? 1 : 0;
}

void printRemoved(const LocalStore::Removed &R) {
  print("removed " + std::to_string(R.Files) + " entries, " +
        sizeText(R.Bytes) + "\n");
}

Result<int> trim(Session &S) {
  std::string Error;
  LocalStore *Store = S.store(Error);
  if (!Store)
    return failure(Error);
  printRemoved(Store->trimAll(S.Settings.number(SettingId::MaxSize),
                              S.Settings.number(SettingId::MaxAge)));
  return 0;
}

Result<int> clear(Session &S) {
  std::string Error;
  LocalStore *Store = S.store(Error);
  if (!Store)
    return failure(Error);
  printRemoved(Store->clear());
  return 0;
}

Result<int> exportPack(Session &S) {
  std::string Error;
  LocalStore *Store = S.store(Error);
  if (!Store)
    return failure(Error);
  std::vector<Hash128> Wanted;
  for (size_t I = 1; I < S.Arguments.size(); ++I) {
    auto Find = S.resolve(S.Arguments[I], Error);
    if (!Find)
      return failure(Error);
    Wanted.push_back(*Find);
  }
  if (Wanted.empty())
    Store->forEach([&](const StoredFile &F) { Wanted.push_back(F.Find); });
  std::map<Hash128, std::string> Entries;
  for (const Hash128 &Find : Wanted) {
    auto Bytes = Store->read(Find);
    if (std::string Text = faultOf(S, Bytes); !Text.empty())
      std::fprintf(stderr, "ptx-cache: warning: left out %s: %s\n",
                   Find.str().c_str(), Text.c_str());
    else
      Entries[Find] = std::move(*Bytes);
  }
  if (Status F = writePack(S.Arguments[0], Entries))
    return failure(F->Text);
  print("exported " + std::to_string(Entries.size()) + " entries\n");
  return 0;
}

Result<int> importPack(Session &S) {
  auto P = Pack::open(S.Arguments[0], /*Verify=*/true);
  if (!P)
    return failure(P.fault().Text);
  Counters Count;
  auto Store = LocalStore::open(S.Settings, /*Create=*/true, Count);
  if (!Store)
    return failure(Store.fault().Text);
  uint64_t Imported = 0;
  std::string Error;
  Status F = (*P)->forEach(S.Settings.number(SettingId::MaxEntrySize),
                           [&](const Hash128 &Find, std::string_view Bytes) {
                             Error = faultOf(S, std::string(Bytes));
                             if (Error.empty())
                               if (Status W = (*Store)->write(Find, Bytes))
                                 Error = W->Text;
                             Imported += Error.empty();
                             return Error.empty();
                           });
  print("imported " + std::to_string(Imported) + " entries\n");
  if (F)
    Error = F->Text;
  if (!Error.empty())
    return failure(S.Arguments[0] + ": " + Error);
  return 0;
}

/// The lines of a value, for options one an option.
std::vector<std::string_view> linesOf(std::string_view Value) {
  std::vector<std::string_view> Lines;
  while (!Value.empty()) {
    size_t End = std::min(Value.find('\n'), Value.size());
    Lines.push_back(Value.substr(0, End));
    Value.remove_prefix(std::min(End + 1, Value.size()));
  }
  return Lines;
}

void printDifference(std::string_view Name, std::string_view A,
                     std::string_view B) {
  auto LinesA = linesOf(A), LinesB = linesOf(B);
  bool AreMany = LinesA.size() > 1 || LinesB.size() > 1;
  if (!AreMany) {
    print(std::string(Name) + ": '" + std::string(A) + "' and '" +
          std::string(B) + "'\n");
    return;
  }
  auto Has = [](const std::vector<std::string_view> &L, std::string_view X) {
    return std::find(L.begin(), L.end(), X) != L.end();
  };
  for (std::string_view Line : LinesA)
    if (!Has(LinesB, Line))
      print(std::string(Name) + ": first only:  " + std::string(Line) + "\n");
  for (std::string_view Line : LinesB)
    if (!Has(LinesA, Line))
      print(std::string(Name) + ": second only: " + std::string(Line) + "\n");
}

Result<int> why(Session &S) {
  std::string Error, Bytes[2];
  std::vector<KeyField> Fields[2];
  for (unsigned I = 0; I != 2; ++I) {
    auto Find = S.resolve(S.Arguments[I], Error);
    if (!Find)
      return failure(Error);
    auto H = S.read(*Find, Bytes[I]);
    auto Decoded = H ? decodeKeyRecord(H->Record) : std::nullopt;
    if (!Decoded)
      return failure(Find->str() +
                     (H ? ": its key cannot be read" : ": " + H.fault().Text));
    Fields[I] = *Decoded;
  }
  bool Differ = false;
  for (size_t I = 0; I < std::max(Fields[0].size(), Fields[1].size()); ++I) {
    KeyField A = I < Fields[0].size() ? Fields[0][I] : KeyField{};
    KeyField B = I < Fields[1].size() ? Fields[1][I] : KeyField{};
    if (A.Name == B.Name && A.Value == B.Value)
      continue;
    Differ = true;
    printDifference(A.Name.empty() ? B.Name : A.Name, A.Value, B.Value);
  }
  if (!Differ)
    print("the keys are the same\n");
  return 0;
}

Result<int> settings(Session &S) {
  for (const SettingInfo &I : settingTable())
    print(padded(std::string(I.Name), 18) + "= " +
          padded(std::string(S.Settings.text(I.Id)), 24) + " # " +
          std::string(S.Settings.source(I.Id)) + "\n");
  return 0;
}

constexpr Command Table[] = {
    {"stats", "", 0, 0, "size of the cache, and what has been counted", stats},
    {"list", "", 0, 0,
     "every entry: key, bytes, last use, kind, chip, compiler", list},
    {"show", "KEY", 1, 1, "all that an entry says of itself", show},
    {"verify", "[PACK...]", 0, SIZE_MAX,
     "reads every entry of the directory, or of packs; status 1 if any is "
     "damaged",
     verify},
    {"trim", "", 0, 0, "removes what is beyond max_size and max_age", trim},
    {"clear", "", 0, 0, "removes all entries and the statistics", clear},
    {"export", "PACK [KEY...]", 1, SIZE_MAX,
     "writes all entries, or those named, to a pack", exportPack},
    {"import", "PACK", 1, 1, "stores the entries of a pack in the directory",
     importPack},
    {"why", "KEY1 KEY2", 2, 2,
     "in what two keys differ, so that one was no hit for the other", why},
    {"settings", "", 0, 0, "every setting, and where its value comes from",
     settings},
};

} // namespace

std::span<const Command> commands() { return Table; }

} // namespace heddle::ptxcache

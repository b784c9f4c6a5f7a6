//===- Page.cpp - Profiles as a page ----------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The parts of a page are the members of a report, without what is zero.
//
//===----------------------------------------------------------------------===//

#include "heddle/Metrics/Page.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Compression.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <vector>

using namespace llvm;

namespace heddle::prof {

/// The page up to its parts, with `@TITLE@` for its title.
static constexpr unsigned char Shell[] = {
#include "heddle/Metrics/PageShell.inc"
};
/// The size of the library of charts in 4 bytes, and what zlib made of it.
static constexpr unsigned char Charts[] = {
#include "heddle/Metrics/PageCharts.inc"
};

bool hasCharts() { return sizeof(Charts) > 1; }

static StringRef textOf(ArrayRef<unsigned char> Elements) {
  return toStringRef(Elements.drop_back()); // the zero at the end
}

/// The library of charts; empty where the build has none.
static std::string charts() {
  SmallVector<uint8_t, 0> Text;
  if (hasCharts())
    cantFail(compression::zlib::decompress(
        ArrayRef(Charts).drop_front(4).drop_back(), Text,
        support::endian::read32le(Charts)));
  return toStringRef(Text).str();
}

static bool isZero(const json::Value &V) {
  std::optional<double> Number = V.getAsNumber();
  return Number && *Number == 0;
}

/// Removes what is zero from \p V: what is not there is zero.
static void dropZeros(json::Value &V) {
  if (json::Array *A = V.getAsArray()) {
    for_each(*A, dropZeros);
    return;
  }
  json::Object *O = V.getAsObject();
  if (!O)
    return;
  std::vector<std::string> Zeros;
  for (auto &[Name, Member] : *O) {
    dropZeros(Member);
    if (isZero(Member))
      Zeros.push_back(Name.str());
  }
  for (const std::string &Name : Zeros)
    O->erase(Name);
}

/// Metrics as their values alone: units are in the catalog.
static void keepValues(json::Object &Launch) {
  if (json::Object *Metrics = Launch.getObject("metrics"))
    for (auto &[Name, M] : *Metrics)
      M = json::Value(*M.getAsObject()->get("value"));
}

/// No text of a part ends the element that it is in, or begins another one.
static std::string withoutTags(StringRef JSON) {
  std::string Result;
  Result.reserve(JSON.size());
  for (char C : JSON)
    if (C == '<') // only strings have it
      Result += "\\u003c";
    else
      Result += C;
  return Result;
}

void PageWriter::printPart(StringRef Class, json::Object Part,
                           const Twine &Attributes) {
  json::Value Compact(std::move(Part));
  dropZeros(Compact);
  std::string Text;
  raw_string_ostream(Text) << Compact;
  OS << "<script type=\"application/json\" class=\"" << Class << "\""
     << Attributes << ">" << withoutTags(Text) << "</script>\n";
}

/// \p Text with \p By for \p Mark.
static void printReplaced(raw_ostream &OS, StringRef Text, StringRef Mark,
                          function_ref<void()> By) {
  auto [Before, After] = Text.split(Mark);
  OS << Before;
  By();
  OS << After;
}

PageWriter::PageWriter(raw_ostream &OS, StringRef Title,
                       const isa::ChipInfo &Chip, json::Object Head,
                       std::string SourceFolder)
    : OS(OS), Chip(Chip), SourceFolder(std::move(SourceFolder)) {
  auto [UpToCharts, AfterCharts] = textOf(Shell).split("@CHARTS@");
  printReplaced(OS, UpToCharts, "@TITLE@",
                [&] { printHTMLEscaped(Title, OS); });
  OS << charts() << AfterCharts;
  printPart("head", std::move(Head));
}

/// The text of a source file, or none.
static std::optional<std::string> readSource(StringRef Name, StringRef Folder) {
  SmallString<128> InFolder(Folder);
  sys::path::append(InFolder, Name);
  for (StringRef Path : {Name, StringRef(InFolder)})
    if (auto Buffer = MemoryBuffer::getFile(Path, /*IsText=*/true))
      return json::fixUTF8((*Buffer)->getBuffer());
  return std::nullopt;
}

void PageWriter::printFile(StringRef Name, bool IsPTX,
                           std::optional<std::string> Text) {
  if (Name.empty() || !Files.insert(Name).second)
    return;
  if (!Text)
    Text = readSource(Name, SourceFolder);
  if (Text)
    printPart("file", json::Object{{"name", Name},
                                   {"text", std::move(*Text)},
                                   {"ptx", IsPTX || Name.ends_with(".ptx")}});
}

void PageWriter::printFiles(const LaunchRecord &L, const CodeNotes &Code) {
  // Instructions without a line in a source have one in the PTX itself.
  if (!Code.PTXText.empty())
    printFile(Code.PTXFile, true, json::fixUTF8(Code.PTXText));
  for (const rt::InstructionProfile &I : L.Profile->Instructions)
    printFile(I.SourceFile, false, std::nullopt);
  for (const rt::InstructionProfile &I : L.Profile->Instructions)
    if (auto At = Code.Inlined.find({I.Section, I.PC});
        At != Code.Inlined.end())
      printFile(At->second.first, false, std::nullopt);
  if (!Code.PTXLines.empty())
    printFile(Code.PTXFile, true, std::nullopt);
}

bool PageWriter::isDetailed(const LaunchRecord &L) const {
  if (!L.Profile || NumLaunches >= MaxLaunches)
    return false;
  auto Known = Totals.find(L.Kernel);
  uint64_t Most = Known == Totals.end() ? 0 : Known->second.MostDetailed;
  return NumLaunches < AlwaysDetailed ||
         double(L.Profile->totalCycles()) > 1.05 * double(Most);
}

void PageWriter::add(const LaunchRecord &L, const CodeNotes &Code) {
  bool InDetail = isDetailed(L);
  KernelTotal &Total = Totals[L.Kernel];
  uint64_t Cycles = L.Profile ? L.Profile->totalCycles() : 0;
  ++Total.Launches;
  Total.Cycles += Cycles;
  if (NumLaunches++ >= MaxLaunches)
    return;
  json::Object Launch = launchJSON(L, Chip, Code);
  if (!L.Profile) { // Launches keep their numbers.
    printPart("launch", std::move(Launch));
    return;
  }
  keepValues(Launch);
  Launch.erase("lines"); // The page adds up instructions.
  json::Value Occupancy = std::move(*Launch.get("occupancy"));
  Launch.erase("occupancy");
  json::Object *Profile = Launch.getObject("profile");
  json::Value Instructions = std::move(*Profile->get("instructions"));
  Profile->erase("instructions");
  json::Value Activity = std::move(*Profile->get("activity"));
  Profile->erase("activity");
  if (InDetail)
    Total.MostDetailed = std::max(Total.MostDetailed, Cycles);
  printPart("launch", std::move(Launch));
  if (InDetail) {
    printPart("detail",
              json::Object{{"occupancy", std::move(Occupancy)},
                           {"activity", std::move(Activity)},
                           {"instructions", std::move(Instructions)}},
              " data-launch=\"" + Twine(NumLaunches - 1) + "\"");
    printFiles(L, Code);
  }
  OS.flush();
}

void PageWriter::finish(ArrayRef<WhatIf> Answers) {
  json::Array Sums;
  std::vector<StringRef> Names(Totals.keys().begin(), Totals.keys().end());
  llvm::sort(Names);
  for (StringRef Name : Names)
    Sums.push_back(json::Object{{"kernel", Name},
                                {"launches", Totals[Name].Launches},
                                {"cycles", Totals[Name].Cycles}});
  printPart("tail", json::Object{{"kernels", std::move(Sums)},
                                 {"left_out", NumLaunches > MaxLaunches
                                                  ? NumLaunches - MaxLaunches
                                                  : 0},
                                 {"what_if", whatIfJSON(Answers)}});
  OS << "</body></html>\n";
}

} // namespace heddle::prof

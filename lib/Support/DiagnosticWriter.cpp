//===- DiagnosticWriter.cpp - Messages as text, JSON, SARIF -----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The JSON form is our own and described in docs/diagnostics.md; SARIF is the
// OASIS standard of that name, version 2.1.0.
//
//===----------------------------------------------------------------------===//

#include "heddle/Support/Diagnostic.h"
#include "heddle/Support/SeverityName.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/Twine.h"

using namespace llvm;

namespace heddle {

StringRef severityName(Severity Level) {
  switch (Level) {
  case Severity::Note:
    return "note";
  case Severity::Info:
    return "info";
  case Severity::Remark:
    return "remark";
  case Severity::Warning:
    return "warning";
  case Severity::Error:
    return "error";
  }
  return "";
}

/// The text of an input may be anything; documents are UTF-8.
static json::Value text(StringRef S) { return json::fixUTF8(S); }

std::string describeWarning(WarningId Id, Severity Level) {
  std::string_view Name = getWarningInfo(Id).Name;
  return " [-W" + std::string(Level == Severity::Error ? "error=" : "") +
         std::string(Name) + "]";
}

Diagnostic makeDiagnostic(Severity Level, StringRef File,
                          const SourceRegion &Where, const Twine &Message,
                          std::optional<WarningId> Warning) {
  Diagnostic D;
  D.Level = Level;
  D.File = File.str();
  D.Where = Where;
  D.Message = Message.str();
  D.Warning = Warning;
  D.Rendered = D.File + (Where.Line ? ":" + std::to_string(Where.Line) : "") +
               (Where.Column ? ":" + std::to_string(Where.Column) : "") + ": " +
               severityName(Level).str() + ": " + D.Message +
               (Warning ? describeWarning(*Warning, Level) : "") + "\n";
  return D;
}

Diagnostic makeToolDiagnostic(Severity Level, StringRef Tool,
                              const Twine &Message) {
  Diagnostic D = makeDiagnostic(Level, Tool, {}, Message);
  D.File.clear();
  return D;
}

std::optional<DiagnosticFormat> parseDiagnosticFormat(StringRef Name) {
  return StringSwitch<std::optional<DiagnosticFormat>>(Name)
      .Case("text", DiagnosticFormat::Text)
      .Case("json", DiagnosticFormat::JSON)
      .Case("sarif", DiagnosticFormat::SARIF)
      .Default(std::nullopt);
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

static json::Object toJSON(const Diagnostic &D) {
  json::Object Result{{"severity", severityName(D.Level)},
                      {"message", text(D.Message)}};
  if (!D.File.empty())
    Result["file"] = text(D.File);
  if (D.Where.Line)
    Result["line"] = D.Where.Line;
  if (D.Where.Column) {
    Result["column"] = D.Where.Column;
    Result["endColumn"] = D.Where.EndColumn;
  }
  if (D.Warning)
    Result["warning"] = text(getWarningInfo(*D.Warning).Name);
  if (!D.Replacement.empty())
    Result["replacement"] = text(D.Replacement);
  json::Array Notes;
  for (const Diagnostic &N : D.Notes)
    Notes.push_back(toJSON(N));
  if (!Notes.empty())
    Result["notes"] = std::move(Notes);
  return Result;
}

//===----------------------------------------------------------------------===//
// SARIF
//===----------------------------------------------------------------------===//

/// A file's name as the URI reference that SARIF wants.
static std::string toURI(StringRef Name) {
  std::string URI;
  for (char C : Name) {
    if (isAlnum(C) || StringRef("-._~/").contains(C))
      URI += C;
    else
      URI += "%" + utohexstr(uint8_t(C), /*LowerCase=*/false, /*Width=*/2);
  }
  return URI;
}

static json::Object toRegion(const SourceRegion &R) {
  json::Object Result{{"startLine", R.Line}};
  if (R.Column) {
    Result["startColumn"] = R.Column;
    Result["endColumn"] = R.EndColumn;
  }
  return Result;
}

static json::Object toArtifactLocation(const Diagnostic &D) {
  return json::Object{{"uri", toURI(D.File)}};
}

/// A location, with a message if it is that of a note.
static json::Object toLocation(const Diagnostic &D, bool WithMessage) {
  json::Object Result;
  if (!D.File.empty()) {
    json::Object Place{{"artifactLocation", toArtifactLocation(D)}};
    if (D.Where.Line)
      Place["region"] = toRegion(D.Where);
    Result["physicalLocation"] = std::move(Place);
  }
  if (WithMessage)
    Result["message"] = json::Object{{"text", text(D.Message)}};
  return Result;
}

static json::Object toFix(const Diagnostic &D) {
  json::Object Replacement{
      {"deletedRegion", toRegion(D.Where)},
      {"insertedContent", json::Object{{"text", text(D.Replacement)}}}};
  json::Object Change{{"artifactLocation", toArtifactLocation(D)},
                      {"replacements", json::Array{std::move(Replacement)}}};
  return json::Object{
      {"description",
       json::Object{{"text", text("replace by '" + D.Replacement + "'")}}},
      {"artifactChanges", json::Array{std::move(Change)}}};
}

static json::Object toSARIF(const Diagnostic &D) {
  StringRef Level =
      D.Level < Severity::Warning ? "note" : severityName(D.Level);
  json::Object Result{{"level", Level},
                      {"message", json::Object{{"text", text(D.Message)}}}};
  if (D.Warning) {
    Result["ruleId"] = text(getWarningInfo(*D.Warning).Name);
    Result["ruleIndex"] = static_cast<unsigned>(*D.Warning);
  }
  if (!D.File.empty())
    Result["locations"] = json::Array{toLocation(D, false)};
  json::Array Notes;
  for (const Diagnostic &N : D.Notes)
    Notes.push_back(toLocation(N, true));
  if (!Notes.empty())
    Result["relatedLocations"] = std::move(Notes);
  if (!D.Replacement.empty() && D.Where.Column)
    Result["fixes"] = json::Array{toFix(D)};
  return Result;
}

static json::Array makeRules() {
  json::Array Rules;
  for (const WarningInfo &W : warningTable())
    Rules.push_back(json::Object{
        {"id", text(W.Name)},
        {"shortDescription", json::Object{{"text", text(W.Help)}}},
        {"defaultConfiguration",
         json::Object{{"enabled", W.IsDefault}, {"level", "warning"}}}});
  return Rules;
}

static json::Object makeSARIFLog(StringRef Tool, StringRef Version,
                                 json::Array Results) {
  json::Object Driver{
      {"name", text(Tool)}, {"version", text(Version)}, {"rules", makeRules()}};
  json::Object Run{{"tool", json::Object{{"driver", std::move(Driver)}}},
                   {"columnKind", "unicodeCodePoints"},
                   {"results", std::move(Results)}};
  return json::Object{
      {"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
      {"version", "2.1.0"},
      {"runs", json::Array{std::move(Run)}}};
}

//===----------------------------------------------------------------------===//
// The writer
//===----------------------------------------------------------------------===//

void DiagnosticWriter::write(const Diagnostic &D) {
  switch (Format) {
  case DiagnosticFormat::Text:
    OS << D.Rendered;
    break;
  case DiagnosticFormat::JSON:
    Results.push_back(toJSON(D));
    break;
  case DiagnosticFormat::SARIF:
    Results.push_back(toSARIF(D));
    break;
  }
}

void DiagnosticWriter::finish() {
  if (IsFinished || Format == DiagnosticFormat::Text)
    return;
  IsFinished = true;
  json::Object Document =
      Format == DiagnosticFormat::SARIF
          ? makeSARIFLog(Tool, Version, std::move(Results))
          : json::Object{{"tool", text(Tool)},
                         {"version", text(Version)},
                         {"diagnostics", std::move(Results)}};
  json::OStream J(OS, /*IndentSize=*/2);
  J.value(std::move(Document));
  OS << '\n';
}

} // namespace heddle

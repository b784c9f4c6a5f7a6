//===- Properties.cpp - Devices and processes as columns --------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A row of a table becomes a column of a query, an element of XML, and a line
// of text.
//
//===----------------------------------------------------------------------===//

#include "Properties.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

#include <functional>

using namespace llvm;

namespace heddle::smi {

//===----------------------------------------------------------------------===//
// The tables
//===----------------------------------------------------------------------===//

namespace {

/// What a device does not have, or does not measure.
constexpr std::nullopt_t Absent = std::nullopt;

using Text = std::optional<std::string>;

struct Property {
  StringLiteral Name, Alias, XML, Unit, Help;
  Text (*OfDevice)(const Snapshot &S, const DeviceState &D);
  Text (*OfProcess)(const Snapshot &S, const DeviceState &D,
                    const ProcessUse &P);
  Text (*OfAccount)(const Snapshot &S, const DeviceState &D,
                    const AccountedUse &A);

  bool isCalled(StringRef Wanted) const {
    return Wanted == Name || (!Alias.empty() && Wanted == Alias);
  }
  /// A value with its unit, as people read it.
  std::string withUnit(const Text &Value, StringRef Missing) const {
    return !Value         ? Missing.str()
           : Unit.empty() ? *Value
                          : *Value + " " + Unit.str();
  }
};

} // namespace

static Text textOf(std::nullopt_t) { return std::nullopt; }
static Text textOf(StringRef Value) { return Value.str(); }
static Text textOf(uint64_t Value) { return std::to_string(Value); }
static Text textOf(std::optional<unsigned> Value) {
  return Value ? textOf(uint64_t(*Value)) : std::nullopt;
}

static Text textOf(std::optional<uint64_t> Value) {
  return Value ? textOf(*Value) : std::nullopt;
}

static uint64_t mebibytes(uint64_t Bytes) { return Bytes >> 20; }

using deviced::ClientStatus;

/// What a service says of a process, where one does.
template <typename T>
static std::optional<uint64_t> served(const ProcessUse &P,
                                      T ClientStatus::*Field) {
  if (!P.Service)
    return std::nullopt;
  return static_cast<uint64_t>((*P.Service).*Field);
}

/// The value is not looked at without a service.
#define IF_SERVED(P, Value)                                                    \
  ((P).Service ? std::optional<uint64_t>(Value) : std::nullopt)

static std::optional<uint64_t> limitOf(const ProcessUse &P) {
  std::optional<uint64_t> Limit = served(P, &ClientStatus::Milliseconds);
  return Limit == 0 ? std::nullopt : Limit;
}

static std::string timeText(const Snapshot &S) {
  tm Parts = {};
  ::localtime_r(&S.Time, &Parts);
  char Buffer[64];
  size_t Length =
      ::strftime(Buffer, sizeof(Buffer), "%Y/%m/%d %H:%M:%S.000", &Parts);
  return std::string(Buffer, Length);
}

static std::string capabilityText(const DeviceState &D) {
  return std::to_string(D.Major) + "." + std::to_string(D.Minor);
}

#define PROPERTY(Name, Alias, XML, Unit, Value, Help)                          \
  {Name,                                                                       \
   Alias,                                                                      \
   XML,                                                                        \
   Unit,                                                                       \
   Help,                                                                       \
   [](const Snapshot &S, const DeviceState &D) { return textOf(Value); },                            \
   nullptr,                                                                    \
   nullptr},
static constexpr Property DeviceProperties[] = {
#include "Properties.def"
};

#define PROPERTY(Name, Alias, XML, Unit, Value, Help)                          \
  {Name,                                                                       \
   Alias,                                                                      \
   XML,                                                                        \
   Unit,                                                                       \
   Help,                                                                       \
   nullptr,                                                                    \
   [](const Snapshot &S, const DeviceState &D, const ProcessUse &P) {          \
     return textOf(Value);                                                     \
   },                                                                          \
   nullptr},
static constexpr Property ProcessProperties[] = {
#include "ProcessProperties.def"
};

#define PROPERTY(Name, Alias, XML, Unit, Value, Help)                          \
  {Name,                                                                       \
   Alias,                                                                      \
   XML,                                                                        \
   Unit,                                                                       \
   Help,                                                                       \
   nullptr,                                                                    \
   nullptr,                                                                    \
   [](const Snapshot &S, const DeviceState &D, const AccountedUse &A) {        \
     return textOf(Value);                                                     \
   }},
static constexpr Property AccountProperties[] = {
#include "AccountProperties.def"
};

//===----------------------------------------------------------------------===//
// Queries
//===----------------------------------------------------------------------===//

Expected<QueryFormat> QueryFormat::parse(StringRef Text) {
  QueryFormat Format;
  SmallVector<StringRef> Parts;
  Text.split(Parts, ',');
  if (Parts.empty() || Parts.front().trim() != "csv")
    return createStringError("--format has to begin with csv, as in "
                             "csv,noheader,nounits; not '" +
                             Text + "'");
  for (StringRef Part : drop_begin(Parts)) {
    if (Part.trim() == "noheader")
      Format.HasHeader = false;
    else if (Part.trim() == "nounits")
      Format.HasUnits = false;
    else
      return createStringError("--format: '" + Part.trim() +
                               "' is neither noheader nor nounits");
  }
  return Format;
}

using Columns = SmallVector<const Property *>;

/// The closest name is suggested for one that is unknown.
static Expected<Columns> columnsOf(StringRef List, ArrayRef<Property> Table,
                                   StringRef Option) {
  Columns Found;
  SmallVector<StringRef> Names;
  List.split(Names, ',');
  for (StringRef Wanted : Names) {
    Wanted = Wanted.trim();
    auto It =
        find_if(Table, [&](const Property &P) { return P.isCalled(Wanted); });
    if (It == Table.end()) {
      auto Near = std::min_element(
          Table.begin(), Table.end(), [&](const auto &A, const auto &B) {
            return Wanted.edit_distance(A.Name) < Wanted.edit_distance(B.Name);
          });
      return createStringError("'" + Wanted + "' is nothing that " + Option +
                               " knows; did you mean " + Near->Name +
                               "? --help-" + Option.drop_front(2) +
                               " has the list");
    }
    Found.push_back(It);
  }
  return Found;
}

static void printHeader(const Columns &Columns, QueryFormat Format,
                        raw_ostream &OS) {
  if (!Format.HasHeader)
    return;
  OS << join(map_range(Columns,
                       [&](const Property *P) {
                         return P->Unit.empty() || !Format.HasUnits
                                    ? P->Name.str()
                                    : (P->Name + " [" + P->Unit + "]").str();
                       }),
             ", ")
     << "\n";
}

static void printLine(const Columns &Columns, QueryFormat Format,
                      function_ref<Text(const Property &)> Value,
                      raw_ostream &OS) {
  OS << join(map_range(Columns,
                       [&](const Property *P) {
                         Text Given = Value(*P);
                         return Format.HasUnits ? P->withUnit(Given, "[N/A]")
                                                : Given.value_or("[N/A]");
                       }),
             ", ")
     << "\n";
}

static Expected<Columns> deviceColumns(StringRef List) {
  return columnsOf(List, DeviceProperties, "--query-gpu");
}

static Expected<Columns> processColumns(StringRef List) {
  return columnsOf(List, ProcessProperties, "--query-compute-apps");
}

static Expected<Columns> accountColumns(StringRef List) {
  return columnsOf(List, AccountProperties, "--query-accounted-apps");
}

Error checkDeviceQuery(StringRef List) {
  return deviceColumns(List).takeError();
}

Error checkProcessQuery(StringRef List) {
  return processColumns(List).takeError();
}

Error checkAccountQuery(StringRef List) {
  return accountColumns(List).takeError();
}

Error queryDevices(const Snapshot &S, StringRef List, QueryFormat Format,
                   raw_ostream &OS) {
  Expected<Columns> Wanted = deviceColumns(List);
  if (!Wanted)
    return Wanted.takeError();
  printHeader(*Wanted, Format, OS);
  for (const DeviceState &D : S.Devices)
    printLine(
        *Wanted, Format, [&](const Property &P) { return P.OfDevice(S, D); },
        OS);
  return Error::success();
}

/// A line for each use of each device: Uses are the device's member that has
/// them, and Value is what a property says of one.
template <typename UseT>
static Error queryUses(const Snapshot &S, Expected<Columns> Wanted,
                       QueryFormat Format, std::vector<UseT> DeviceState::*Uses,
                       Text (*Property::*Value)(const Snapshot &,
                                                const DeviceState &,
                                                const UseT &),
                       raw_ostream &OS) {
  if (!Wanted)
    return Wanted.takeError();
  printHeader(*Wanted, Format, OS);
  for (const DeviceState &D : S.Devices)
    for (const UseT &Use : D.*Uses)
      printLine(
          *Wanted, Format,
          [&](const Property &P) { return (P.*Value)(S, D, Use); }, OS);
  return Error::success();
}

Error queryProcesses(const Snapshot &S, StringRef List, QueryFormat Format,
                     raw_ostream &OS) {
  return queryUses(S, processColumns(List), Format, &DeviceState::Processes,
                   &Property::OfProcess, OS);
}

Error queryAccounts(const Snapshot &S, StringRef List, QueryFormat Format,
                    raw_ostream &OS) {
  return queryUses(S, accountColumns(List), Format, &DeviceState::Accounts,
                   &Property::OfAccount, OS);
}

static void explain(ArrayRef<Property> Table, StringRef Option,
                    raw_ostream &OS) {
  OS << "What " << Option << " takes, joined by commas:\n\n";
  for (const Property &P : Table) {
    std::string Names =
        P.Alias.empty() ? P.Name.str() : (P.Name + ", " + P.Alias).str();
    OS << "  " << left_justify(Names, 40) << P.Help << "\n";
  }
}

void explainDeviceQueries(raw_ostream &OS) {
  explain(DeviceProperties, "--query-gpu", OS);
}

void explainProcessQueries(raw_ostream &OS) {
  explain(ProcessProperties, "--query-compute-apps", OS);
}

void explainAccountQueries(raw_ostream &OS) {
  explain(AccountProperties, "--query-accounted-apps", OS);
}

//===----------------------------------------------------------------------===//
// Everything
//===----------------------------------------------------------------------===//

namespace {

/// What a document is made of: elements inside each other, and their texts.
class Writer {
public:
  virtual ~Writer() = default;

  virtual void begin(StringRef Name, StringRef Attribute = "") = 0;
  virtual void end(StringRef Name) = 0;
  virtual void text(StringRef Name, StringRef Value) = 0;
};

class XMLWriter final : public Writer {
public:
  explicit XMLWriter(raw_ostream &OS) : OS(OS) {
    OS << "<?xml version=\"1.0\" ?>\n"
          "<!DOCTYPE nvidia_smi_log SYSTEM \"nvsmi_device_v12.dtd\">\n";
  }

  void begin(StringRef Name, StringRef Attribute) override {
    indent() << "<" << Name;
    if (!Attribute.empty()) {
      OS << " id=\"";
      printHTMLEscaped(Attribute, OS);
      OS << "\"";
    }
    OS << ">\n";
    ++Depth;
  }
  void end(StringRef Name) override {
    --Depth;
    indent() << "</" << Name << ">\n";
  }
  void text(StringRef Name, StringRef Value) override {
    indent() << "<" << Name << ">";
    printHTMLEscaped(Value, OS);
    OS << "</" << Name << ">\n";
  }

private:
  raw_ostream &indent() {
    for (unsigned I = 0; I != Depth; ++I)
      OS << "\t";
    return OS;
  }

  raw_ostream &OS;
  unsigned Depth = 0;
};

/// Names of elements become words, with capitals where each begins.
class TextWriter final : public Writer {
public:
  explicit TextWriter(raw_ostream &OS) : OS(OS) {}

  void begin(StringRef Name, StringRef Attribute) override {
    if (Depth++ != 0)
      OS.indent(4 * (Depth - 2))
          << wordsOf(Name) << (Attribute.empty() ? "" : " ") << Attribute
          << "\n";
  }
  void end(StringRef) override { --Depth; }
  void text(StringRef Name, StringRef Value) override {
    unsigned Indent = 4 * (Depth - 1);
    OS.indent(Indent) << left_justify(wordsOf(Name), 48 - Indent) << ": "
                      << Value << "\n";
  }

private:
  static std::string wordsOf(StringRef Name) {
    static constexpr StringLiteral Short[] = {
        "gpu", "uuid", "pci", "sm", "fb", "mig", "cuda", "ecc", "id", "pid"};
    SmallVector<StringRef> Parts;
    Name.split(Parts, '_');
    return join(map_range(Parts,
                          [](StringRef Part) {
                            return is_contained(Short, Part)
                                       ? Part.upper()
                                       : Part.take_front().upper() +
                                             Part.drop_front().str();
                          }),
                " ");
  }

  raw_ostream &OS;
  unsigned Depth = 0;
};

} // namespace

/// Properties whose elements are inside the same one follow each other.
static void write(ArrayRef<Property> Table,
                  function_ref<Text(const Property &)> Value, Writer &W) {
  StringRef Open;
  for (const Property &P : Table) {
    if (P.XML.empty())
      continue;
    auto [Outer, Inner] = StringRef(P.XML).split('/');
    if (Inner.empty())
      std::swap(Outer, Inner);
    if (Outer != Open) {
      if (!Open.empty())
        W.end(Open);
      if (!Outer.empty())
        W.begin(Outer);
      Open = Outer;
    }
    W.text(Inner, P.withUnit(Value(P), "N/A"));
  }
  if (!Open.empty())
    W.end(Open);
}

static void write(const Snapshot &S, Writer &W) {
  W.begin("nvidia_smi_log");
  W.text("timestamp", timeText(S));
  W.text("driver_version", S.Driver);
  W.text("cuda_version", S.CUDA);
  W.text("attached_gpus", std::to_string(S.Devices.size()));
  for (const DeviceState &D : S.Devices) {
    W.begin("gpu", D.BusId);
    write(
        DeviceProperties, [&](const Property &P) { return P.OfDevice(S, D); },
        W);
    W.begin("processes");
    for (const ProcessUse &Use : D.Processes) {
      W.begin("process_info");
      W.text("type", "C");
      write(
          ProcessProperties,
          [&](const Property &P) { return P.OfProcess(S, D, Use); }, W);
      W.end("process_info");
    }
    W.end("processes");
    W.begin("accounted_processes");
    for (const AccountedUse &Use : D.Accounts) {
      W.begin("accounted_process_info");
      write(
          AccountProperties,
          [&](const Property &P) { return P.OfAccount(S, D, Use); }, W);
      W.end("accounted_process_info");
    }
    W.end("accounted_processes");
    W.end("gpu");
  }
  W.end("nvidia_smi_log");
}

void printXML(const Snapshot &S, raw_ostream &OS) {
  XMLWriter W(OS);
  write(S, W);
}

void printText(const Snapshot &S, raw_ostream &OS) {
  OS << "\n==============NVSMI LOG==============\n\n";
  TextWriter W(OS);
  write(S, W);
}

} // namespace heddle::smi

//===- Table.cpp - The devices at one glance --------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Columns are as wide as nvidia-smi's; what does not fit is cut.
//
//===----------------------------------------------------------------------===//

#include "Table.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace heddle::smi {

// Of the three columns and of the whole, between its outer bars.
static constexpr unsigned First = 41, Second = 24, Third = 22,
                          Whole = First + Second + Third + 2;

static std::string filled(unsigned Width, char With) {
  return std::string(Width, With);
}

static std::string left(StringRef Text, unsigned Width) {
  std::string Cut = Text.take_front(Width).str();
  return Cut + filled(Width - Cut.size(), ' ');
}

static std::string right(StringRef Text, unsigned Width) {
  std::string Cut = Text.take_front(Width).str();
  return filled(Width - Cut.size(), ' ') + Cut;
}

static void printRule(char With, raw_ostream &OS) {
  OS << "|" << filled(First, With) << "+" << filled(Second, With) << "+"
     << filled(Third, With) << "|\n";
}

static void printRow(StringRef A, StringRef B, StringRef C, raw_ostream &OS) {
  OS << "|" << left(A, First) << "|" << right(B, Second - 1) << " |"
     << right(C, Third - 1) << " |\n";
}

static void printHead(const Snapshot &S, raw_ostream &OS) {
  char Time[64];
  tm Parts = {};
  ::localtime_r(&S.Time, &Parts);
  OS << StringRef(Time, ::strftime(Time, sizeof(Time), "%a %b %e %H:%M:%S %Y",
                                   &Parts))
     << "\n+" << filled(Whole, '-') << "+\n|"
     << left(" PTX-SMI " + S.Driver, First) << " "
     << left("Driver Version: " + S.Driver, Second)
     << right("CUDA Version: " + S.CUDA + " ", Third + 1) << "|\n";
  OS << "|" << filled(First, '-') << "+" << filled(Second, '-') << "+"
     << filled(Third, '-') << "+\n";
  printRow(" GPU  Name                 Persistence-M", "Bus-Id          Disp.A",
           "Volatile Uncorr. ECC", OS);
  printRow(" Fan  Temp   Perf          Pwr:Usage/Cap", "Memory-Usage",
           "GPU-Util  Compute M.", OS);
  printRow("", "", "MIG M.", OS);
  printRule('=', OS);
}

static std::string mebibytes(uint64_t Bytes) {
  return std::to_string(Bytes >> 20) + "MiB";
}

static void printDevice(const DeviceState &D, raw_ostream &OS) {
  std::string Number = std::to_string(D.Index);
  printRow(right(Number, 4) + "  " + left(D.Name, 26) + right("Off", 7),
           D.BusId + " Off", "N/A", OS);
  std::string Use = D.UsePercent ? std::to_string(*D.UsePercent) + "%" : "N/A";
  printRow(right("N/A", 4) + "   N/A    P0" + right("N/A /  N/A", 24),
           mebibytes(D.UsedBytes) + " / " + mebibytes(D.TotalBytes),
           Use + right("Default", 13), OS);
  printRow("", "", D.IsDivided ? "Enabled" : "Disabled", OS);
  OS << "+" << filled(First, '-') << "+" << filled(Second, '-') << "+"
     << filled(Third, '-') << "+\n";
}

/// Empty without parts.
static void printParts(const Snapshot &S, raw_ostream &OS) {
  auto Print = [&](const std::string &Text) {
    OS << "|" << left(Text, Whole) << "|\n";
  };
  if (all_of(S.Devices, [](const DeviceState &D) { return D.Parts.empty(); }))
    return;
  OS << "\n+" << filled(Whole, '-') << "+\n";
  Print(" MIG devices:");
  Print("  GPU   GI   CI   Name" + right("SM", 26) +
        right("Memory-Usage ", Whole - 48));
  OS << "|" << filled(Whole, '=') << "|\n";
  for (const DeviceState &D : S.Devices)
    for (const PartState &P : D.Parts)
      Print(
          right(std::to_string(D.Index), 5) +
          right(std::to_string(P.Instance), 5) +
          right(std::to_string(P.ComputeInstance), 5) + "   " +
          left(P.Name, 24) + right(std::to_string(P.Cores), 6) +
          right(mebibytes(P.UsedBytes) + " / " + mebibytes(P.TotalBytes) + " ",
                Whole - 48));
  OS << "+" << filled(Whole, '-') << "+\n";
}

static std::string numberOf(std::optional<unsigned> Id) {
  return Id ? std::to_string(*Id) : "N/A";
}

static void printProcesses(const Snapshot &S, raw_ostream &OS) {
  auto Print = [&](const std::string &Text) {
    OS << "|" << left(Text, Whole) << "|\n";
  };
  OS << "\n+" << filled(Whole, '-') << "+\n";
  Print(" Processes:");
  Print("  GPU   GI   CI              PID   Type   Process name" +
        right("GPU Memory ", Whole - 54));
  Print("        ID   ID" + right("Usage      ", Whole - 16));
  OS << "|" << filled(Whole, '=') << "|\n";
  bool HasSome = false;
  for (const DeviceState &D : S.Devices)
    for (const ProcessUse &P : D.Processes) {
      HasSome = true;
      // The end of a long name says more than its beginning.
      constexpr unsigned NameWidth = 34;
      std::string Name =
          P.Name.size() <= NameWidth
              ? P.Name
              : "..." + P.Name.substr(P.Name.size() - (NameWidth - 3));
      Print(right(std::to_string(D.Index), 5) + right(numberOf(P.Instance), 6) +
            right(numberOf(P.ComputeInstance), 5) +
            right(std::to_string(P.Process), 17) + "      C   " +
            left(Name, NameWidth) + right(mebibytes(P.Bytes), 11) + " ");
    }
  if (!HasSome)
    Print("  No running processes found");
  OS << "+" << filled(Whole, '-') << "+\n";
}

/// What a service knows of its clients; empty without one.
static void printService(const Snapshot &S, raw_ostream &OS) {
  auto Print = [&](const std::string &Text) {
    OS << "|" << left(Text, Whole) << "|\n";
  };
  auto IsServed = [](const ProcessUse &P) { return P.Service.has_value(); };
  if (none_of(S.Devices, [&](const DeviceState &D) {
        return any_of(D.Processes, IsServed);
      }))
    return;
  OS << "\n+" << filled(Whole, '-') << "+\n";
  Print(" Device service:");
  Print("  GPU   GI   CI              PID     User   Share  Prio        Time" +
        right("Memory / Limit ", Whole - 67));
  OS << "|" << filled(Whole, '=') << "|\n";
  for (const DeviceState &D : S.Devices)
    for (const ProcessUse &P : make_filter_range(D.Processes, IsServed)) {
      const deviced::ClientStatus &C = *P.Service;
      Print(right(std::to_string(D.Index), 5) + right(numberOf(P.Instance), 6) +
            right(numberOf(P.ComputeInstance), 5) +
            right(std::to_string(P.Process), 17) +
            right(std::to_string(C.User), 9) +
            right(std::to_string(P.SharePercent) + "%", 8) +
            right(std::to_string(C.Priority), 6) +
            right(std::to_string(C.Microseconds / 1000) + "ms", 12) +
            right(mebibytes(C.Bytes) + " / " + mebibytes(C.LimitBytes), 20));
    }
  OS << "+" << filled(Whole, '-') << "+\n";
}

void printTable(const Snapshot &S, raw_ostream &OS) {
  printHead(S, OS);
  for (const DeviceState &D : S.Devices)
    printDevice(D, OS);
  printParts(S, OS);
  printProcesses(S, OS);
  printService(S, OS);
}

void printList(const Snapshot &S, raw_ostream &OS) {
  for (const DeviceState &D : S.Devices) {
    OS << "GPU " << D.Index << ": " << D.Name << " (UUID: " << D.UUID << ")\n";
    for (auto [I, P] : enumerate(D.Parts))
      OS << "  MIG " << left(P.Name, 12) << " Device "
         << right(std::to_string(I), 2) << ": (UUID: " << P.UUID << ")\n";
  }
}

} // namespace heddle::smi

//===- Profile.cpp - Where the cycles of a launch went ----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The names of stall reasons, and the profile as text.
//
//===----------------------------------------------------------------------===//

#include "heddle/Runtime/Profile.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace heddle::rt {

StringRef stallReasonName(StallReason Reason) {
  static constexpr StringLiteral Names[] = {
#define HEDDLE_STALL(Enumerator, Name, Meaning) Name,
#include "heddle/Runtime/StallReasons.def"
  };
  return Names[static_cast<size_t>(Reason)];
}

StringRef stallReasonMeaning(StallReason Reason) {
  static constexpr StringLiteral Meanings[] = {
#define HEDDLE_STALL(Enumerator, Name, Meaning) Meaning,
#include "heddle/Runtime/StallReasons.def"
  };
  return Meanings[static_cast<size_t>(Reason)];
}

StringRef limiterName(Limiter L) {
  static constexpr StringLiteral Names[] = {
#define HEDDLE_LIMITER(Enumerator, Name, Without) Name,
#include "heddle/Runtime/Limiters.def"
  };
  return Names[static_cast<size_t>(L)];
}

StringRef limiterWithout(Limiter L) {
  static constexpr StringLiteral Meanings[] = {
#define HEDDLE_LIMITER(Enumerator, Name, Without) Without,
#include "heddle/Runtime/Limiters.def"
  };
  return Meanings[static_cast<size_t>(L)];
}

static double percent(uint64_t Part, uint64_t Whole) {
  return Whole ? 100.0 * Part / Whole : 0;
}

static void printCount(raw_ostream &OS, StringRef Name, uint64_t Count) {
  OS << "  " << left_justify(Name, 24) << format_decimal(Count, 16) << "\n";
}

static void printStates(raw_ostream &OS, const LaunchProfile &P) {
  OS << "  warp state                    cycles      %\n";
  for (unsigned N = 0; N < NumStallReasons; ++N)
    if (P.States[N])
      OS << "    " << left_justify(stallReasonName(StallReason(N)), 18)
         << format_decimal(P.States[N], 14)
         << format(" %6.1f", percent(P.States[N], P.WarpCycles)) << "\n";
}

static void printPipes(raw_ostream &OS, const LaunchProfile &P) {
  OS << "  pipe                          issued busy %\n";
  for (const PipeProfile &Pipe : P.Pipes)
    if (Pipe.Issued)
      OS << "    " << left_justify(Pipe.Name, 18)
         << format_decimal(Pipe.Issued, 14)
         << format(" %6.1f", percent(Pipe.BusyCycles,
                                     P.ActiveCycles * P.SchedulersPerCore))
         << "\n";
}

static void printAccess(raw_ostream &OS, StringRef Name,
                        const AccessProfile &A) {
  if (A.Requests)
    OS << "    " << left_justify(Name, 18) << format_decimal(A.Requests, 14)
       << format_decimal(A.Wavefronts, 12) << format_decimal(A.Conflicts, 12)
       << format_decimal(A.Sectors, 12)
       << format(" %6.1f", percent(A.Hits, A.Sectors)) << "\n";
}

static void printMemory(raw_ostream &OS, const LaunchProfile &P) {
  const MemoryProfile &M = P.Memory;
  OS << "  memory                      requests  wavefronts   conflicts"
        "     sectors L1 hit %\n";
  printAccess(OS, "global loads", M.GlobalLoads);
  printAccess(OS, "global stores", M.GlobalStores);
  printAccess(OS, "global atomics", M.GlobalAtomics);
  printAccess(OS, "global reductions", M.GlobalReductions);
  printAccess(OS, "local loads", M.LocalLoads);
  printAccess(OS, "local stores", M.LocalStores);
  printAccess(OS, "shared loads", M.SharedLoads);
  printAccess(OS, "shared stores", M.SharedStores);
  printAccess(OS, "shared atomics", M.SharedAtomics);
  uint64_t L2 = M.L2Reads + M.L2Writes;
  if (!L2)
    return;
  OS << "  L2 sectors " << L2
     << format(", hits %.1f %%", percent(M.L2ReadHits + M.L2WriteHits, L2))
     << "; DRAM bytes " << M.DRAMReadBytes << " read, " << M.DRAMWriteBytes
     << " written"
     << format(", %.1f %% of the bandwidth\n",
               percent(P.dramBytes(), P.Cycles * P.DRAMBytesPerCycle));
}

std::string describe(const SampleEstimate &S) {
  return formatv(
             "estimated cycles of all {0} CTAs: {1} +- {2} ({3:P1}, 95 % "
             "confidence); everything else is of the {4} CTAs that were timed",
             S.CTAs, S.Cycles, S.Error,
             S.Cycles ? double(S.Error) / S.Cycles : 0, S.TimedCTAs)
      .str();
}

void printProfile(raw_ostream &OS, const LaunchProfile &P) {
  printCount(OS, "cycles", P.Cycles);
  if (P.Sample)
    OS << "  " << describe(*P.Sample) << "\n";
  OS << "  time " << format("%.2f", P.seconds() * 1e6) << " us at "
     << P.ClockMHz << " MHz\n"
     << "  issue slots used " << format("%.1f", 100 * P.issueUtilisation())
     << " %, warps resident " << format("%.1f", P.achievedWarps()) << " of "
     << P.WarpsPerCore << ", at most " << P.Theoretical.warpsPerCore() << " by "
     << occupancyLimitName(P.Theoretical.Limit) << "\n";
  printStates(OS, P);
  printPipes(OS, P);
  printMemory(OS, P);
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

static json::Object statesJSON(const StallCycles &States) {
  json::Object O;
  for (unsigned N = 0; N < NumStallReasons; ++N)
    O[stallReasonName(StallReason(N))] = States[N];
  return O;
}

static json::Object accessJSON(const AccessProfile &A) {
  return json::Object{
      {"requests", A.Requests},          {"wavefronts", A.Wavefronts},
      {"conflicts", A.Conflicts},        {"sectors", A.Sectors},
      {"ideal_sectors", A.IdealSectors}, {"l1_hits", A.Hits}};
}

static json::Object memoryJSON(const MemoryProfile &M) {
  return json::Object{{"global_loads", accessJSON(M.GlobalLoads)},
                      {"global_stores", accessJSON(M.GlobalStores)},
                      {"global_atomics", accessJSON(M.GlobalAtomics)},
                      {"global_reductions", accessJSON(M.GlobalReductions)},
                      {"local_loads", accessJSON(M.LocalLoads)},
                      {"local_stores", accessJSON(M.LocalStores)},
                      {"shared_loads", accessJSON(M.SharedLoads)},
                      {"shared_stores", accessJSON(M.SharedStores)},
                      {"shared_atomics", accessJSON(M.SharedAtomics)},
                      {"l2_read_sectors", M.L2Reads},
                      {"l2_read_hits", M.L2ReadHits},
                      {"l2_write_sectors", M.L2Writes},
                      {"l2_write_hits", M.L2WriteHits},
                      {"dram_read_bytes", M.DRAMReadBytes},
                      {"dram_write_bytes", M.DRAMWriteBytes}};
}

static json::Object instructionJSON(const InstructionProfile &I) {
  json::Object O{
      {"section", I.Section},          {"pc", I.PC},
      {"mnemonic", I.Mnemonic},        {"issued", I.Issued},
      {"threads", I.Threads},          {"active_threads", I.ActiveThreads},
      {"states", statesJSON(I.States)}};
  if (I.access().Requests)
    O["access"] = accessJSON(I.access());
  if (I.Branches) {
    O["branches"] = I.Branches;
    O["divergent_branches"] = I.DivergentBranches;
  }
  if (I.SourceLine) {
    O["file"] = I.SourceFile;
    O["line"] = I.SourceLine;
  }
  return O;
}

static json::Object activityJSON(const ActivityProfile &A) {
  json::Array DRAM, L2, Matrix;
  for (const ActivitySample &S : A.Samples) {
    DRAM.push_back(S.DRAMBytes);
    L2.push_back(S.L2Sectors);
    Matrix.push_back(S.MatrixCycles);
  }
  return json::Object{{"cycles_per_sample", A.CyclesPerSample},
                      {"dram_bytes", std::move(DRAM)},
                      {"l2_sectors", std::move(L2)},
                      {"matrix_cycles", std::move(Matrix)}};
}

json::Object profileJSON(const LaunchProfile &P) {
  json::Object Pipes;
  for (const PipeProfile &Pipe : P.Pipes)
    Pipes[Pipe.Name] =
        json::Object{{"issued", Pipe.Issued}, {"busy", Pipe.BusyCycles}};
  json::Array Instructions;
  for (const InstructionProfile &I : P.Instructions)
    Instructions.push_back(instructionJSON(I));
  json::Object O{{"cycles", P.Cycles},
                 {"active_cycles", P.ActiveCycles},
                 {"warp_cycles", P.WarpCycles},
                 {"warp_instructions", P.Issued},
                 {"thread_instructions", P.Threads},
                 {"active_thread_instructions", P.ActiveThreads},
                 {"branches", P.Branches},
                 {"divergent_branches", P.DivergentBranches},
                 {"issue_utilisation", P.issueUtilisation()},
                 {"achieved_warps", P.achievedWarps()},
                 {"theoretical_warps", P.Theoretical.warpsPerCore()},
                 {"occupancy_limit", occupancyLimitName(P.Theoretical.Limit)},
                 {"states", statesJSON(P.States)},
                 {"pipes", std::move(Pipes)},
                 {"memory", memoryJSON(P.Memory)},
                 {"activity", activityJSON(P.Activity)},
                 {"instructions", std::move(Instructions)}};
  if (P.Sample)
    O["sample"] = json::Object{{"timed_ctas", P.Sample->TimedCTAs},
                               {"ctas", P.Sample->CTAs},
                               {"cycles", P.Sample->Cycles},
                               {"error", P.Sample->Error}};
  return O;
}

} // namespace heddle::rt

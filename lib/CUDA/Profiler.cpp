//===- Profiler.cpp - A page of where launches' cycles went ----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The page grows by whole launches and is flushed after each.
//
//===----------------------------------------------------------------------===//

#include "Profiler.h"
#include "Devices/ProcessDevice.h"
#include "ProfiledCode.h"
#include "Profiling/LaunchTrials.h"
#include "llvm/Support/FileSystem.h"

using namespace llvm;

namespace heddle::cuda {

Profiler::Profiler(std::unique_ptr<raw_fd_ostream> File, StringRef ChipName)
    : Chip(ChipName), File(std::move(File)) {
  const isa::ChipInfo &Info = *isa::findChip(ChipName);
  // Files of source may have relative names, and the program another folder
  // later.
  SmallString<128> Folder;
  if (sys::fs::current_path(Folder))
    Folder.clear();
  Page = std::make_unique<prof::PageWriter>(
      *this->File, "Launches", Info, prof::headJSON(Info), Folder.str().str());
}

Expected<std::unique_ptr<Profiler>> Profiler::create(StringRef Path,
                                                     StringRef Chip) {
  std::error_code Failure;
  auto File = std::make_unique<raw_fd_ostream>(Path, Failure);
  if (Failure)
    return createStringError(Path + ": " + Failure.message());
  return std::unique_ptr<Profiler>(new Profiler(std::move(File), Chip));
}

void Profiler::add(const rt::ObservedLaunch &R) {
  if (!R.Result.Profile) // it faulted
    return;
  std::lock_guard Lock(Mutex);
  if (!Page)
    return;
  const rt::LaunchProfile *P = R.Result.Profile.get();
  prof::LaunchRecord L = {R.Kernel.Name, R.Config.Grid, R.Config.Block, P,
                          std::nullopt};
  const NotedCode *Code =
      Page->isDetailed(L) ? ProfiledCode::get().find(R.Kernel.Name, *P, Chip)
                          : nullptr;
  rt::LaunchProfile Renamed;
  if (Code && Code->Name != Code->PageName) {
    Renamed = *P;
    for (rt::InstructionProfile &I : Renamed.Instructions)
      if (I.SourceFile == Code->Name)
        I.SourceFile = Code->PageName;
    L.Profile = P = &Renamed;
  }
  const prof::CodeNotes &Notes = Code ? *Code->Notes : NoNotes;
  std::vector<prof::Advice> Suspected;
  if (Page->isDetailed(L)) {
    Suspected = prof::suspect(*P, Notes.Inlined);
    if (!isSet("HEDDLE_PROFILE_UNTRIED"))
      LaunchTrials::get().prove(R.Kernel.Name, P->totalCycles(), Suspected);
    L.Advice = Suspected;
  } else {
    LaunchTrials::forget();
  }
  Page->add(L, Notes);
}

void Profiler::finish() {
  std::lock_guard Lock(Mutex);
  if (!Page)
    return;
  Page->finish();
  Page.reset();
  File->close();
  if (File->has_error()) {
    errs() << "heddle: the profile: " << File->error().message() << "\n";
    File->clear_error();
  }
}

} // namespace heddle::cuda

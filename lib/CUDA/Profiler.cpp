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

using namespace llvm;

namespace heddle::cuda {

Profiler::Profiler(std::unique_ptr<raw_fd_ostream> File, StringRef ChipName)
    : File(std::move(File)) {
  const isa::ChipInfo &Chip = *isa::findChip(ChipName);
  Page = std::make_unique<prof::PageWriter>(
      *this->File, "Launches", Chip, prof::headJSON(Chip), /*SourceFolder=*/"");
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
  if (Page)
    Page->add({R.Kernel.Name, R.Config.Grid, R.Config.Block,
               R.Result.Profile.get(), std::nullopt},
              NoNotes);
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

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
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace heddle::cuda {

Profiler::Profiler(std::unique_ptr<raw_fd_ostream> Page, StringRef Chip)
    : ChipName(Chip), Chip(isa::findChip(Chip)), Page(std::move(Page)) {}

Expected<std::unique_ptr<Profiler>> Profiler::create(StringRef Path,
                                                     StringRef Chip) {
  std::error_code Failure;
  auto Page = std::make_unique<raw_fd_ostream>(Path, Failure);
  if (Failure)
    return createStringError(Path + ": " + Failure.message());
  prof::printHtmlHead(*Page, "Launches");
  return std::unique_ptr<Profiler>(new Profiler(std::move(Page), Chip));
}

void Profiler::add(const rt::ObservedLaunch &R) {
  if (!R.Result.Profile) // it faulted
    return;
  std::lock_guard Lock(Mutex);
  if (!Page)
    return;
  prof::KernelTotal &Total = Totals[R.Kernel.Name];
  Total.Name = R.Kernel.Name;
  ++Total.Launches;
  Total.Cycles += R.Result.Profile->totalCycles();
  if (NumDetailed == MaxDetailed)
    return;
  ++NumDetailed;
  prof::printHtmlLaunch(*Page, R.Kernel.Name, *R.Result.Profile,
                        {ChipName, *Chip, NoText, ""});
  Page->flush();
}

void Profiler::finish() {
  std::lock_guard Lock(Mutex);
  if (!Page)
    return;
  std::vector<prof::KernelTotal> Order;
  Order.reserve(Totals.size());
  for (auto &[Name, Total] : Totals)
    Order.push_back(Total);
  llvm::sort(Order, [](auto &A, auto &B) {
    return std::tie(B.Cycles, A.Name) < std::tie(A.Cycles, B.Name);
  });
  if (NumDetailed == MaxDetailed)
    *Page << "<p>Launches after the first " << MaxDetailed
          << " are only in the sums.</p>\n";
  prof::printHtmlKernels(*Page, Order);
  prof::printHtmlTail(*Page);
  Page->close();
  if (Page->has_error()) {
    errs() << "heddle: the profile: " << Page->error().message() << "\n";
    Page->clear_error();
  }
  Page.reset();
}

} // namespace heddle::cuda

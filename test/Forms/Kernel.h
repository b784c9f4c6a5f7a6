//===- Kernel.h - PTX kernels that run forms --------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Forms with the same sources share a kernel. Thread I loads sample I of each
// source and stores each result into its slot of record I.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TEST_FORMS_KERNEL_H
#define HEDDLE_TEST_FORMS_KERNEL_H

#include "Form.h"
#include "Values.h"

namespace heddle::forms {

/// Most forms in a kernel.
inline constexpr size_t MaxFormsPerKernel = 32;
/// Bytes of a result in a record.
inline constexpr unsigned SlotBytes = 8;
/// Threads in a CTA.
inline constexpr unsigned BlockSize = 128;

/// Forms that share a kernel, and the samples that they are tried with.
struct Group {
  std::string KernelName;
  std::vector<const Form *> Members;
  std::vector<Source> Sources;
  /// The number of the first result's slot of each member; a last one with the
  /// number of all slots.
  std::vector<unsigned> FirstSlot;

  unsigned recordBytes() const { return FirstSlot.back() * SlotBytes; }
};

/// Groups forms, in their order, by their sources.
std::vector<Group> makeGroups(const std::vector<const Form *> &Forms);

/// Bytes of a source or result in memory.
unsigned bytesOf(unsigned Bits);

/// A module with a kernel for each group. Its parameters are the addresses of
/// the sources' columns, the address of the records, and the number of samples.
std::string moduleText(const std::vector<Group> &Groups,
                       const std::string &Target);

/// The same forms with constants for sources: for each group a kernel of one
/// thread that computes \p Count leading samples and whose record has a part
/// for each of them.
std::string constantModuleText(const std::vector<Group> &Groups,
                               const std::vector<Samples> &Samples,
                               size_t Count, const std::string &Target);

} // namespace heddle::forms

#endif // HEDDLE_TEST_FORMS_KERNEL_H

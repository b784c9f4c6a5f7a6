//===- KernelText.h - What a kernel is made of ------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The text of each kernel of a PTX module with all that it reaches, by which
// what is known of the kernel is found again. Text that other kernels alone
// use, comments, blanks, line numbers, and names of labels, parameters and
// local variables, which compilers number through the module, leave no trace in
// it.
//
// This is not the parser (heddle/PTX/Parser.h): it needs no LLVM, so that a
// compilation that the cache serves can afford it, and reads what is no PTX
// without complaint.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TUNING_KERNELTEXT_H
#define HEDDLE_TUNING_KERNELTEXT_H

#include <string>
#include <string_view>
#include <vector>

namespace heddle::tuning {

struct KernelText {
  std::string Name;
  /// The tokens of the module's directives, the kernel, and the functions and
  /// variables that it names, directly or through others, in their order.
  std::string Text;
};

/// The kernels that a module defines, in their order; none if \p PTX is not the
/// text of a module.
std::vector<KernelText> kernelTexts(std::string_view PTX);

struct KernelNames {
  /// The kernels that a module defines, in their order.
  std::vector<std::string> Names;
  /// Whether no kernel needs what another one reaches: functions are called by
  /// name alone, and kernels launch no kernels.
  bool AreApart = true;
};

/// What a module has by way of kernels; none if \p PTX is not the text of a
/// module. It remembers no more than names, for texts of many megabytes.
KernelNames kernelNames(std::string_view PTX);

} // namespace heddle::tuning

#endif // HEDDLE_TUNING_KERNELTEXT_H

//===- ShortNames.h - nvidia-smi's short options ----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// nvidia-smi has short names of one dash, such as -lgip, for its options.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TOOLS_PTX_SMI_SHORTNAMES_H
#define HEDDLE_TOOLS_PTX_SMI_SHORTNAMES_H

#include "heddle/Support/OptionTable.h"

#include <string>
#include <vector>

namespace heddle::smi {

/// A short name, and the row's that it stands for.
struct ShortName {
  llvm::StringLiteral Short, Long;
};

/// Reads a command line that may have short names, each with its value behind
/// it or behind an equals sign.
template <typename OptionsT>
llvm::Expected<OptionsT> parseOptions(llvm::ArrayRef<OptionRow<OptionsT>> Rows,
                                      llvm::ArrayRef<ShortName> Names,
                                      llvm::ArrayRef<const char *> Args) {
  std::vector<std::string> Texts;
  for (llvm::StringRef Arg : Args) {
    std::string Text = Arg.str();
    for (const ShortName &N : Names)
      if (Arg.split('=').first == N.Short)
        Text.replace(0, N.Short.size(), N.Long);
    Texts.push_back(std::move(Text));
  }
  llvm::SmallVector<const char *> Long;
  for (const std::string &Text : Texts)
    Long.push_back(Text.c_str());
  OptionsT Options;
  for (size_t I = 0; I != Long.size(); ++I) {
    llvm::Expected<bool> Known = applyOption<OptionsT>(Rows, Options, Long, I);
    if (!Known)
      return Known.takeError();
    if (!*Known)
      return unknownOption(textsOf<OptionsT>(Rows), Long[I]);
  }
  return Options;
}

} // namespace heddle::smi

#endif // HEDDLE_TOOLS_PTX_SMI_SHORTNAMES_H

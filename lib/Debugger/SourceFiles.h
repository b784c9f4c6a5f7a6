//===- SourceFiles.h - Lines of source files --------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds source files, where line tables say or in further folders, and keeps
// them.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_DEBUGGER_SOURCEFILES_H
#define HEDDLE_LIB_DEBUGGER_SOURCEFILES_H

#include "llvm/ADT/StringRef.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace heddle::debug {

class SourceFiles {
public:
  explicit SourceFiles(std::vector<std::string> Folders)
      : Folders(std::move(Folders)) {}

  /// A line, from 1 on, without its end; none if there is no such line.
  std::optional<llvm::StringRef> line(const std::string &Path, unsigned Number);
  /// How many lines a file has; 0 if it is not found.
  unsigned count(const std::string &Path);
  /// Where a file is that debug information calls so; the same if it is not
  /// found.
  const std::string &place(const std::string &Path);
  void addFolder(std::string Folder);
  const std::vector<std::string> &folders() const { return Folders; }

private:
  struct File {
    std::string Place;
    std::vector<std::string> Lines; ///< None if it is not found.
  };
  const File &read(const std::string &Path);

  std::vector<std::string> Folders;
  std::map<std::string, File> Files;
};

} // namespace heddle::debug

#endif // HEDDLE_LIB_DEBUGGER_SOURCEFILES_H

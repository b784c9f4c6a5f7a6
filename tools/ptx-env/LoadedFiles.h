//===- LoadedFiles.h - What ld.so would load --------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the libraries of a program as ld.so(8) does, without running it.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TOOLS_PTX_ENV_LOADEDFILES_H
#define HEDDLE_TOOLS_PTX_ENV_LOADEDFILES_H

#include <string>
#include <vector>

namespace heddle {

/// What the dynamic section of a file says.
struct DynamicInfo {
  bool IsElf = false;      ///< Of 64 bits.
  bool HasDynamic = false; ///< Else it is linked statically, or no program.
  std::string Name;        ///< DT_SONAME
  std::vector<std::string> Needed;
  std::vector<std::string> RPath, RunPath;
};

/// Reads a file; nothing outside of it is read where the file is damaged.
DynamicInfo readDynamic(const std::string &Path);

struct LoadedFile {
  std::string Path;
  std::string NeededBy; ///< The path of the first that needs it; empty: nobody.
  DynamicInfo Info;
};

struct MissingFile {
  std::string Name, NeededBy;
};

/// The files of a process, in the order in which ld.so loads them.
class LoadedFiles {
public:
  /// The folders of LD_LIBRARY_PATH.
  explicit LoadedFiles(std::vector<std::string> Folders);

  /// Adds a file, unless it is there, and not yet what it needs.
  void add(const std::string &Path, const std::string &NeededBy = "");
  /// Adds all that files need, and what those need.
  void addNeeded();

  std::vector<LoadedFile> Files;
  std::vector<MissingFile> Missing;

private:
  std::string find(const std::string &Name, const LoadedFile &By) const;
  bool isLoaded(const std::string &Name) const;

  std::vector<std::string> LibraryPath, SystemFolders;
};

} // namespace heddle

#endif // HEDDLE_TOOLS_PTX_ENV_LOADEDFILES_H

//===- SourceFiles.cpp - Lines of source files ------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A file that is not where the line table says is looked for in each folder, by
// all of its path and by its name.
//
//===----------------------------------------------------------------------===//

#include "SourceFiles.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace heddle::debug {

/// Place becomes where it was found.
static std::unique_ptr<MemoryBuffer>
openSource(const std::string &Path, const std::vector<std::string> &Folders,
           std::string &Place) {
  Place = Path;
  if (auto Buffer = MemoryBuffer::getFile(Path, /*IsText=*/true))
    return std::move(*Buffer);
  for (const std::string &Folder : Folders)
    for (StringRef Part : {StringRef(Path), sys::path::filename(Path)}) {
      SmallString<128> Name(Folder);
      sys::path::append(Name, Part);
      auto Buffer = MemoryBuffer::getFile(Name, /*IsText=*/true);
      if (!Buffer)
        continue;
      if (!sys::fs::make_absolute(Name))
        Place = Name.str().str();
      return std::move(*Buffer);
    }
  return nullptr;
}

const SourceFiles::File &SourceFiles::read(const std::string &Path) {
  auto [It, IsNew] = Files.try_emplace(Path);
  File &Result = It->second;
  if (!IsNew)
    return Result;
  if (auto Buffer = openSource(Path, Folders, Result.Place)) {
    SmallVector<StringRef> Lines;
    Buffer->getBuffer().split(Lines, '\n');
    if (!Lines.empty() && Lines.back().empty())
      Lines.pop_back();
    for (StringRef Line : Lines)
      Result.Lines.push_back(Line.rtrim('\r').str());
  }
  return Result;
}

std::optional<StringRef> SourceFiles::line(const std::string &Path,
                                           unsigned Number) {
  const std::vector<std::string> &Lines = read(Path).Lines;
  if (Number == 0 || Number > Lines.size())
    return std::nullopt;
  return Lines[Number - 1];
}

unsigned SourceFiles::count(const std::string &Path) {
  return read(Path).Lines.size();
}

const std::string &SourceFiles::place(const std::string &Path) {
  return read(Path).Place;
}

void SourceFiles::addFolder(std::string Folder) {
  if (!Folders.empty() && Folders.front() == Folder)
    return;
  std::erase(Folders, Folder);
  Folders.insert(Folders.begin(), std::move(Folder));
  Files.clear();
}

} // namespace heddle::debug

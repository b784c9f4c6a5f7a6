//===- LoadedFiles.cpp - What ld.so would load ------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A library is looked for under its name in the folders of RPATH, of
// LD_LIBRARY_PATH, of RUNPATH, of /etc/ld.so.conf and in the usual ones. The
// cache of ld.so has what the last two have.
//
//===----------------------------------------------------------------------===//

#include "LoadedFiles.h"
#include "StaticRuntime/ElfFile.h"
#include "StaticRuntime/System.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <glob.h>
#include <unistd.h>

using namespace llvm;
using namespace heddle;
using heddle::cuda::ElfFile;

//===----------------------------------------------------------------------===//
// The dynamic section
//===----------------------------------------------------------------------===//

namespace {

/// The dynamic section of a file and its strings.
class DynamicSection {
public:
  explicit DynamicSection(const ElfFile &File) : File(File) {
    const Elf64_Phdr *Segment =
        File.findSegment(PT_DYNAMIC, [](const Elf64_Phdr &) { return true; });
    if (!Segment)
      return;
    Count = Segment->p_filesz / sizeof(Elf64_Dyn);
    Entries = File.at<Elf64_Dyn>(Segment->p_offset, Count);
    uint64_t Address = valueOf(DT_STRTAB);
    const Elf64_Phdr *Loaded = File.segmentAt(Address);
    if (Loaded)
      Strings = Address - Loaded->p_vaddr + Loaded->p_offset;
  }

  bool isThere() const { return Entries; }
  std::string text(uint64_t Offset) const {
    uint64_t Start = Strings + Offset;
    std::string Text;
    for (; const char *C = File.at<char>(Start); ++Start) {
      if (!*C)
        return Text;
      Text += *C;
    }
    return "";
  }
  template <typename Fn> void forEach(Fn Function) const {
    for (uint64_t I = 0; Entries && I < Count && Entries[I].d_tag; ++I)
      Function(Entries[I].d_tag, Entries[I].d_un.d_val);
  }

private:
  uint64_t valueOf(int64_t Tag) const {
    uint64_t Found = 0;
    forEach([&](int64_t T, uint64_t Value) {
      if (T == Tag)
        Found = Value;
    });
    return Found;
  }

  const ElfFile &File;
  const Elf64_Dyn *Entries = nullptr;
  uint64_t Count = 0, Strings = 0;
};

} // namespace

/// The folders of a list that colons part, with what ld.so puts in place of
/// $ORIGIN.
static std::vector<std::string> foldersOf(StringRef List,
                                          const std::string &Path) {
  std::string Origin = sys::path::parent_path(Path).str();
  std::vector<std::string> Folders;
  for (StringRef Folder : split(List, ':')) {
    std::string Text = Folder.str();
    for (StringRef Name : {"${ORIGIN}", "$ORIGIN"})
      for (size_t At; (At = Text.find(Name.str())) != std::string::npos;)
        Text.replace(At, Name.size(), Origin);
    if (!Text.empty())
      Folders.push_back(Text);
  }
  return Folders;
}

DynamicInfo heddle::readDynamic(const std::string &Path) {
  DynamicInfo Info;
  cuda::MappedFile Mapped(Path.c_str());
  if (!Mapped.Data)
    return Info;
  ElfFile File{Mapped.Data, Mapped.Size};
  Info.IsElf = File.header() != nullptr;
  DynamicSection Section(File);
  Info.HasDynamic = Section.isThere();
  Section.forEach([&](int64_t Tag, uint64_t Value) {
    if (Tag == DT_SONAME)
      Info.Name = Section.text(Value);
    else if (Tag == DT_NEEDED)
      Info.Needed.push_back(Section.text(Value));
    else if (Tag == DT_RPATH)
      Info.RPath = foldersOf(Section.text(Value), Path);
    else if (Tag == DT_RUNPATH)
      Info.RunPath = foldersOf(Section.text(Value), Path);
  });
  return Info;
}

//===----------------------------------------------------------------------===//
// Where libraries are
//===----------------------------------------------------------------------===//

/// Adds the folders of a file as /etc/ld.so.conf, and of those it includes.
static void readConfiguration(const std::string &Path,
                              std::vector<std::string> &Folders,
                              unsigned Depth = 0) {
  constexpr unsigned Deepest = 8;
  auto Buffer = MemoryBuffer::getFile(Path);
  if (!Buffer || Depth == Deepest)
    return;
  for (StringRef Line : split((*Buffer)->getBuffer(), '\n')) {
    Line = Line.split('#').first.trim();
    if (Line.empty())
      continue;
    if (!Line.consume_front("include ")) {
      Folders.push_back(Line.str());
      continue;
    }
    glob_t Found;
    if (glob(Line.trim().str().c_str(), 0, nullptr, &Found) == 0)
      for (size_t I = 0; I != Found.gl_pathc; ++I)
        readConfiguration(Found.gl_pathv[I], Folders, Depth + 1);
    globfree(&Found);
  }
}

LoadedFiles::LoadedFiles(std::vector<std::string> Folders)
    : LibraryPath(std::move(Folders)) {
  readConfiguration("/etc/ld.so.conf", SystemFolders);
  for (const char *Folder : {"/lib64", "/usr/lib64", "/lib", "/usr/lib"})
    SystemFolders.push_back(Folder);
}

/// A file for this machine, as far as its first bytes tell.
static bool isLibrary(const std::string &Path) {
  return access(Path.c_str(), R_OK) == 0 && readDynamic(Path).IsElf;
}

std::string LoadedFiles::find(const std::string &Name,
                              const LoadedFile &By) const {
  if (StringRef(Name).contains('/'))
    return isLibrary(Name) ? Name : "";
  std::vector<const std::vector<std::string> *> Lists;
  // RUNPATH switches RPATH off; the program's RPATH serves its libraries too.
  if (By.Info.RunPath.empty()) {
    Lists.push_back(&By.Info.RPath);
    if (Files.front().Info.RunPath.empty())
      Lists.push_back(&Files.front().Info.RPath);
  }
  Lists.push_back(&LibraryPath);
  Lists.push_back(&By.Info.RunPath);
  Lists.push_back(&SystemFolders);
  for (const auto *Folders : Lists)
    for (const std::string &Folder : *Folders)
      if (std::string Path = Folder + "/" + Name; isLibrary(Path))
        return Path;
  return "";
}

bool LoadedFiles::isLoaded(const std::string &Name) const {
  for (const LoadedFile &File : Files)
    if (File.Info.Name == Name || sys::path::filename(File.Path) == Name)
      return true;
  return false;
}

void LoadedFiles::add(const std::string &Path, const std::string &NeededBy) {
  for (const LoadedFile &File : Files)
    if (sys::fs::equivalent(File.Path, Path))
      return;
  Files.push_back({Path, NeededBy, readDynamic(Path)});
}

void LoadedFiles::addNeeded() {
  for (size_t I = 0; I != Files.size(); ++I)
    for (const std::string &Name : std::vector(Files[I].Info.Needed)) {
      if (isLoaded(Name))
        continue;
      std::string Path = find(Name, Files[I]);
      if (!Path.empty())
        add(Path, Files[I].Path);
      else if (none_of(Missing, [&](auto &M) { return M.Name == Name; }))
        Missing.push_back({Name, Files[I].Path});
    }
}

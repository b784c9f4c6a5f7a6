//===- Explain.cpp - What of a program will run -----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nothing is run: files are read as ld.so and libheddle-audit would read them.
//
//===----------------------------------------------------------------------===//

#include "Explain.h"
#include "LoadedFiles.h"
#include "StaticRuntime/ElfFile.h"
#include "StaticRuntime/EntryPoints.h"
#include "StaticRuntime/Signatures.h"
#include "StaticRuntime/System.h"
#include "heddle/Object/FatBinary.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

#include <cstdlib>
#include <cstring>
#include <set>

using namespace llvm;
using namespace heddle;
using heddle::cuda::ElfFile;

namespace {

/// A GPU that code is for, in the order of numbers: (90, 'a').
using Target = std::pair<unsigned, char>;

/// The fat binaries of a file.
struct DeviceCode {
  unsigned Binaries = 0, WithPTX = 0, Damaged = 0;
  std::set<Target> PTX, MachineCode, LinkTimeIR;
  std::set<Target> Lonely; ///< Of machine code in binaries without PTX.
};

/// What there is to say of a file.
struct Finding {
  const LoadedFile *File = nullptr;
  bool IsOurs = false, IsStatic = false;
  std::string Runtime;   ///< The version of NVIDIA's that is in it.
  unsigned Replaced = 0; ///< The major version of ours in its place; 0: none.
  DeviceCode Code;

  bool isWorthSaying() const {
    return IsStatic || !Runtime.empty() || Code.Binaries || Code.Damaged;
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// Device code
//===----------------------------------------------------------------------===//

static void addImages(ArrayRef<uint8_t> Binary, DeviceCode &Code) {
  auto Images = fatbin::readImages(Binary);
  if (!Images) {
    consumeError(Images.takeError());
    ++Code.Damaged;
    return;
  }
  std::set<Target> Machine;
  bool HasPTX = false;
  for (const fatbin::Image &I : *Images) {
    Target Of{I.GPU, I.Suffix};
    if (I.Kind == fatbin::ImageKind::PTX) {
      Code.PTX.insert(Of);
      HasPTX = true;
    } else {
      (I.Kind == fatbin::ImageKind::MachineCode ? Machine : Code.LinkTimeIR)
          .insert(Of);
    }
  }
  ++Code.Binaries;
  Code.WithPTX += HasPTX;
  Code.MachineCode.insert(Machine.begin(), Machine.end());
  if (!HasPTX)
    Code.Lonely.insert(Machine.begin(), Machine.end());
}

/// A section has fat binaries one after the other, with zeros between them.
static void addBinaries(ArrayRef<uint8_t> Section, DeviceCode &Code) {
  constexpr size_t HeaderSize = 16, Alignment = 8;
  while (Section.size() >= HeaderSize) {
    if (!fatbin::isFatBinary(Section)) {
      Section = Section.drop_front(Alignment);
      continue;
    }
    uint16_t Header;
    uint64_t Payload;
    std::memcpy(&Header, Section.data() + 6, sizeof(Header));
    std::memcpy(&Payload, Section.data() + 8, sizeof(Payload));
    if (Header < HeaderSize || Header > Section.size() ||
        Payload > Section.size() - Header) {
      ++Code.Damaged;
      return;
    }
    addImages(Section.take_front(Header + Payload), Code);
    Section = Section.drop_front(Header + Payload);
  }
}

/// The contents of a section of that name; empty if there is none.
static ArrayRef<uint8_t> findSection(const ElfFile &File, StringRef Name) {
  const Elf64_Ehdr *Header = File.header();
  if (!Header || Header->e_shentsize != sizeof(Elf64_Shdr) ||
      Header->e_shstrndx >= Header->e_shnum)
    return {};
  auto *Sections = File.at<Elf64_Shdr>(Header->e_shoff, Header->e_shnum);
  if (!Sections)
    return {};
  const Elf64_Shdr &Names = Sections[Header->e_shstrndx];
  auto *Strings = File.at<char>(Names.sh_offset, Names.sh_size);
  if (!Strings || !Names.sh_size || Strings[Names.sh_size - 1])
    return {};
  for (const Elf64_Shdr &S : ArrayRef(Sections, Header->e_shnum)) {
    auto *Bytes = File.at<uint8_t>(S.sh_offset, S.sh_size);
    if (S.sh_name < Names.sh_size && Name == Strings + S.sh_name && Bytes &&
        S.sh_type != SHT_NOBITS)
      return {Bytes, S.sh_size};
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

static Finding examine(const LoadedFile &Loaded, const std::string &Libraries) {
  Finding F;
  F.File = &Loaded;
  F.IsOurs = sys::path::parent_path(Loaded.Path) == Libraries;
  if (F.IsOurs)
    return F;
  cuda::MappedFile Mapped(Loaded.Path.c_str());
  ElfFile File{Mapped.Data, Mapped.Data ? Mapped.Size : 0};
  F.IsStatic = Loaded.NeededBy.empty() && !Loaded.Info.HasDynamic;
  // Relocatable device code has a section of its own.
  for (StringRef Name : {".nv_fatbin", "__nv_relfatbin"})
    addBinaries(findSection(File, Name), F.Code);
  auto Entries = std::make_unique<cuda::EntryPoints>(
      cuda::findEntryPoints(File.Data, File.Size));
  if (!Entries->Count)
    return F;
  const char *Version = Entries->Version;
  if (!Version)
    Version = cuda::findVersion(*Entries);
  unsigned Major = cuda::majorVersion(*Entries);
  F.Runtime = Version ? Version : std::to_string(Major);
  F.Replaced = Major >= 11 && Major <= 13 ? Major : 0;
  return F;
}

/// A program is looked for as a shell does.
static Expected<std::string> findProgram(const std::string &Name) {
  std::string Path = Name;
  if (!StringRef(Name).contains('/') && !sys::fs::exists(Name)) {
    ErrorOr<std::string> Found = sys::findProgramByName(Name);
    if (!Found)
      return createStringError("there is no program '" + Name + "'");
    Path = *Found;
  }
  SmallString<128> Real;
  if (std::error_code Failure = sys::fs::real_path(Path, Real))
    return createStringError("'" + Name + "': " + Failure.message());
  if (!readDynamic(Real.c_str()).IsElf)
    return createStringError("'" + Name +
                             "' is no program or library of 64 bits; name its "
                             "interpreter, and the libraries that it loads");
  return std::string(Real);
}

//===----------------------------------------------------------------------===//
// Output
//===----------------------------------------------------------------------===//

static std::vector<std::string> namesOf(const std::set<Target> &Targets) {
  std::vector<std::string> Names;
  Names.reserve(Targets.size());
  for (auto [GPU, Suffix] : Targets)
    Names.push_back("sm_" + std::to_string(GPU) +
                    (Suffix ? std::string(1, Suffix) : ""));
  return Names;
}

static void printTargets(raw_ostream &OS, StringRef What,
                         const std::set<Target> &Targets) {
  if (!Targets.empty())
    OS << "  " << What << " for " << join(namesOf(Targets), ", ") << '\n';
}

/// Our library of a major version.
static std::string ourRuntime(unsigned Major) {
  return "libcudart.so." + std::to_string(Major) + (Major == 11 ? ".0" : "");
}

static void printRuntime(raw_ostream &OS, const Finding &F) {
  if (F.Runtime.empty())
    return;
  OS << "  NVIDIA's CUDA runtime " << F.Runtime << " is in it: ";
  if (F.Replaced)
    OS << "our " << ourRuntime(F.Replaced) << " takes its place\n";
  else
    OS << "it is not replaced, and its functions fail; build it with a later "
          "version, or with nvcc -cudart shared\n";
}

static void printFinding(raw_ostream &OS, const Finding &F) {
  const DeviceCode &C = F.Code;
  OS << F.File->Path;
  if (!F.File->NeededBy.empty())
    OS << ", needed by " << F.File->NeededBy;
  OS << '\n';
  if (F.IsStatic)
    OS << "  it is linked statically: nothing can be put into its process\n";
  printRuntime(OS, F);
  if (C.Binaries)
    OS << "  " << C.WithPTX << " of " << C.Binaries
       << " fat binaries have PTX\n";
  printTargets(OS, "PTX", C.PTX);
  printTargets(OS, "machine code", C.MachineCode);
  printTargets(OS, "NVIDIA's form for linking", C.LinkTimeIR);
  if (C.WithPTX != C.Binaries)
    OS << "  what is in " << C.Binaries - C.WithPTX
       << " fat binaries without PTX does not run\n";
  if (C.Damaged)
    OS << "  damaged fat binaries: " << C.Damaged << '\n';
}

static void printText(raw_ostream &OS, ArrayRef<Finding> Findings,
                      ArrayRef<MissingFile> Missing) {
  unsigned Said = 0;
  for (const Finding &F : Findings)
    if (F.isWorthSaying()) {
      printFinding(OS, F);
      ++Said;
    }
  for (const MissingFile &M : Missing)
    OS << M.Name << ", needed by " << M.NeededBy << ", is not found\n";
  OS << Said << " of " << Findings.size()
     << " files have a CUDA runtime or device code; libraries that the program "
        "loads later are not among them: name them too\n";
}

static void writeFinding(json::OStream &Out, const Finding &F) {
  auto List = [&](StringRef Name, const std::set<Target> &Targets) {
    Out.attributeArray(Name, [&] {
      for (const std::string &T : namesOf(Targets))
        Out.value(T);
    });
  };
  Out.object([&] {
    Out.attribute("path", F.File->Path);
    Out.attribute("needed_by", F.File->NeededBy);
    Out.attribute("ours", F.IsOurs);
    Out.attribute("static", F.IsStatic);
    Out.attribute("runtime", F.Runtime);
    Out.attribute("replaced_by",
                  F.Replaced ? ourRuntime(F.Replaced) : std::string());
    Out.attribute("fat_binaries", F.Code.Binaries);
    Out.attribute("fat_binaries_with_ptx", F.Code.WithPTX);
    Out.attribute("damaged_fat_binaries", F.Code.Damaged);
    List("ptx", F.Code.PTX);
    List("machine_code", F.Code.MachineCode);
    List("machine_code_without_ptx", F.Code.Lonely);
    List("link_time_ir", F.Code.LinkTimeIR);
  });
}

static void printJson(raw_ostream &OS, ArrayRef<Finding> Findings,
                      ArrayRef<MissingFile> Missing) {
  json::OStream Out(OS, /*IndentSize=*/2);
  Out.object([&] {
    Out.attributeArray("files", [&] {
      for (const Finding &F : Findings)
        writeFinding(Out, F);
    });
    Out.attributeArray("missing", [&] {
      for (const MissingFile &M : Missing)
        Out.object([&] {
          Out.attribute("name", M.Name);
          Out.attribute("needed_by", M.NeededBy);
        });
    });
  });
  OS << '\n';
}

Error heddle::explain(ArrayRef<std::string> Paths, const std::string &Libraries,
                      ArrayRef<const char *> Preloaded, bool AsJson,
                      raw_ostream &OS) {
  std::vector<std::string> Folders = {Libraries};
  if (const char *List = std::getenv("LD_LIBRARY_PATH"))
    for (StringRef Folder : split(StringRef(List), ':'))
      Folders.push_back(Folder.empty() ? "." : Folder.str());
  LoadedFiles Loaded(std::move(Folders));
  for (const std::string &Name : Paths) {
    Expected<std::string> Path = findProgram(Name);
    if (!Path)
      return Path.takeError();
    Loaded.add(*Path);
    // ld.so loads these behind the program.
    if (Loaded.Files.size() == 1)
      for (const char *Library : Preloaded)
        Loaded.add(Libraries + Library);
  }
  Loaded.addNeeded();
  std::vector<Finding> Findings;
  Findings.reserve(Loaded.Files.size());
  for (const LoadedFile &File : Loaded.Files)
    Findings.push_back(examine(File, Libraries));
  (AsJson ? printJson : printText)(OS, Findings, Loaded.Missing);
  return Error::success();
}

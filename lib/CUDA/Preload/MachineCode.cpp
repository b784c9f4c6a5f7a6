//===- MachineCode.cpp - PTX where nvcc makes machine code ------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program that compiles at run time by `nvcc --cubin`, such as PyCUDA, loads
// what comes out, which no driver but NVIDIA's can run. The last step of that
// is a shell's start of ptxas, and in its place the PTX is copied, which our
// driver loads as NVIDIA's does. One that has nvcc make a library for this
// device alone, as FlashInfer and PyTorch's extensions do, gets the PTX beside
// the machine code, where a shell starts fatbinary. Builds are left alone:
// their nvcc was not started by a program that has our driver.
//
//===----------------------------------------------------------------------===//

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char *nameIn(const char *Path) {
  const char *Slash = std::strrchr(Path, '/');
  return Slash ? Slash + 1 : Path;
}

//===----------------------------------------------------------------------===//
// Which program asks
//===----------------------------------------------------------------------===//

static int openOf(pid_t Process, const char *File) {
  char Path[64];
  std::snprintf(Path, sizeof(Path), "/proc/%d/%s", Process, File);
  return open(Path, O_RDONLY | O_CLOEXEC);
}

/// The start of a file of a process, as text; its length.
static size_t readOf(pid_t Process, const char *File, char *Text, size_t Size) {
  int Opened = openOf(Process, File);
  if (Opened < 0)
    return 0;
  size_t Length = 0;
  ssize_t Read;
  while (Length < Size - 1 &&
         (Read = read(Opened, Text + Length, Size - 1 - Length)) > 0)
    Length += static_cast<size_t>(Read);
  close(Opened);
  Text[Length] = 0;
  return Length;
}

/// 0 if there is none, or it cannot be seen.
static pid_t parentOf(pid_t Process) {
  char Text[512];
  if (!readOf(Process, "stat", Text, sizeof(Text)))
    return 0;
  // "number (name) state parent ...", where the name may have parentheses.
  const char *Name = std::strrchr(Text, ')');
  return Name && std::strlen(Name) > 4
             ? static_cast<pid_t>(std::strtol(Name + 4, nullptr, 10))
             : 0;
}

/// What an nvcc was asked for.
enum class Product { Any, MachineCode };

/// Whether a process is nvcc, or a script of that name, and makes that.
static bool makes(pid_t Process, Product Asked) {
  static char Words[1 << 16];
  size_t Length = readOf(Process, "cmdline", Words, sizeof(Words));
  bool IsCompiler = false, IsAsked = Asked == Product::Any;
  unsigned Index = 0;
  for (const char *W = Words; W < Words + Length; W += std::strlen(W) + 1) {
    IsCompiler |= Index++ < 2 && std::strcmp(nameIn(W), "nvcc") == 0;
    IsAsked |= std::strcmp(W, "--cubin") == 0 || std::strcmp(W, "-cubin") == 0;
  }
  return IsCompiler && IsAsked;
}

static bool hasDriver(pid_t Process) {
  constexpr char Driver[] = "/libheddle-cuda.so.";
  constexpr size_t Kept = sizeof(Driver);
  static char Text[Kept + (1 << 16)];
  int Maps = openOf(Process, "maps");
  if (Maps < 0)
    return false;
  bool Found = false;
  size_t Before = 0; // what is left of the part before
  ssize_t Read;
  while (!Found &&
         (Read = read(Maps, Text + Before, sizeof(Text) - Kept)) > 0) {
    size_t Length = Before + static_cast<size_t>(Read);
    Found = memmem(Text, Length, Driver, sizeof(Driver) - 1);
    Before = Length < Kept ? Length : Kept;
    std::memmove(Text, Text + Length - Before, Before);
  }
  close(Maps);
  return Found;
}

/// Whether an nvcc above this process, which a program with our driver has
/// started, makes that.
static bool isForDriver(Product Asked) {
  bool IsCompiling = false;
  for (pid_t P = parentOf(getpid()); P > 1; P = parentOf(P)) {
    if (IsCompiling && hasDriver(P))
      return true;
    IsCompiling |= makes(P, Asked);
  }
  return false;
}

//===----------------------------------------------------------------------===//
// PTX in place of machine code
//===----------------------------------------------------------------------===//

static void log(const char *Message) {
  const char *Log = std::getenv("HEDDLE_LOG");
  if (Log && *Log && std::strcmp(Log, "0") != 0)
    std::fputs(Message, stderr);
}

static bool copyFile(const char *From, const char *To) {
  FILE *In = std::fopen(From, "rbe"),
       *Out = In ? std::fopen(To, "wbe") : nullptr;
  bool IsDone = Out;
  char Text[4096];
  while (IsDone) {
    size_t Length = std::fread(Text, 1, sizeof(Text), In);
    if (Length == 0)
      break;
    IsDone = std::fwrite(Text, 1, Length, Out) == Length;
  }
  IsDone &= In && !std::ferror(In);
  if (Out)
    IsDone &= std::fclose(Out) == 0;
  if (In)
    std::fclose(In);
  return IsDone;
}

/// Copies the PTX that is to be assembled to where the machine code is to be;
/// false if the command line is not that of nvcc.
static bool givePTX(char *const *Arguments) {
  const char *From = nullptr, *To = nullptr;
  for (char *const *A = Arguments; *A; ++A) {
    const char *Dot = std::strrchr(*A, '.');
    if (std::strcmp(*A, "-o") == 0 && A[1])
      To = *++A;
    else if (**A != '-' && Dot && std::strcmp(Dot, ".ptx") == 0)
      From = *A;
  }
  if (!From || !To || !copyFile(From, To))
    return false;
  log("heddle: nvcc gives PTX in place of machine code\n");
  return true;
}

//===----------------------------------------------------------------------===//
// PTX beside machine code
//===----------------------------------------------------------------------===//

/// The length of what nvcc's files of one compilation begin with:
/// "tmpxft_PROCESS_NUMBER-"; 0 where they are kept by their own names.
static size_t lengthOfPrefix(const char *Name) {
  const char *Dash = std::strchr(Name, '-');
  return Dash && std::strncmp(Name, "tmpxft_", 7) == 0
             ? static_cast<size_t>(Dash + 1 - Name)
             : 0;
}

/// What is behind the prefix and the number of the file, "NUMBER_".
static const char *afterPrefix(const char *Name) {
  size_t Prefix = lengthOfPrefix(Name);
  const char *Behind = Prefix ? std::strchr(Name + Prefix, '_') : nullptr;
  return Behind ? Behind + 1 : Name + Prefix;
}

/// Whether a file of nvcc's is the PTX that a file with machine code was made
/// of: "source.ptx" of "source.cubin" and of "source.sm_90.cubin".
static bool isSourceOf(const char *PTX, const char *Code) {
  size_t Prefix = lengthOfPrefix(Code);
  if (lengthOfPrefix(PTX) != Prefix || std::strncmp(PTX, Code, Prefix) != 0)
    return false;
  PTX = afterPrefix(PTX);
  Code = afterPrefix(Code);
  const char *Dot = std::strrchr(PTX, '.');
  return Dot && std::strcmp(Dot, ".ptx") == 0 &&
         std::strncmp(PTX, Code, static_cast<size_t>(Dot + 1 - PTX)) == 0;
}

/// The path of the PTX that a file with machine code was made of, of all that
/// it may be the one with the longest name; to be freed, null if there is none.
static char *sourceOf(const char *Code) {
  const char *Name = nameIn(Code);
  char *Found = nullptr,
       *Folder = strndup(Code, static_cast<size_t>(Name - Code));
  DIR *Files = opendir(*Folder ? Folder : ".");
  while (dirent *File = Files ? readdir(Files) : nullptr) {
    if (!isSourceOf(File->d_name, Name) ||
        (Found && std::strlen(afterPrefix(nameIn(Found))) >=
                      std::strlen(afterPrefix(File->d_name))))
      continue;
    std::free(Found);
    if (asprintf(&Found, "%s%s", Folder, File->d_name) < 0)
      Found = nullptr;
  }
  if (Files)
    closedir(Files);
  std::free(Folder);
  return Found;
}

/// The number in `.target sm_NUMBER`, as fatbinary wants it; false if the file
/// does not begin as PTX does.
static bool readTarget(const char *PTX, char (&Target)[8]) {
  char Text[4096];
  FILE *File = std::fopen(PTX, "rbe");
  size_t Length = File ? std::fread(Text, 1, sizeof(Text) - 1, File) : 0;
  if (File)
    std::fclose(File);
  Text[Length] = 0;
  const char *Directive = std::strstr(Text, "\n.target sm_");
  return Directive &&
         std::sscanf(Directive, "\n.target sm_%7[0-9a-z]", Target) == 1;
}

/// The option that adds the PTX which the machine code of another one was made
/// of; to be freed, null if there is none.
static char *optionOfSource(const char *Option) {
  constexpr char Code[] = "--image3=kind=elf,";
  const char *File = std::strstr(Option, ",file=");
  if (std::strncmp(Option, Code, sizeof(Code) - 1) != 0 || !File)
    return nullptr;
  char *Added = nullptr, *PTX = sourceOf(File + std::strlen(",file="));
  char Target[8];
  if (PTX && readTarget(PTX, Target) &&
      asprintf(&Added, "--image3=kind=ptx,sm=%s,file=%s", Target, PTX) < 0)
    Added = nullptr;
  std::free(PTX);
  return Added;
}

static bool isAmong(char *const *Options, const char *Option) {
  while (*Options && std::strcmp(*Options, Option) != 0)
    ++Options;
  return *Options;
}

/// fatbinary's arguments, and those that add the PTX of each machine code that
/// has none; what is allocated is for the program that replaces this one.
static char *const *withPTX(char *const *Arguments) {
  size_t Count = 0;
  while (Arguments[Count])
    ++Count;
  auto **All = static_cast<char **>(std::calloc(2 * Count + 1, sizeof(char *)));
  if (!All)
    return Arguments;
  std::copy(Arguments, Arguments + Count, All);
  size_t End = Count;
  for (size_t I = 0; I < Count; ++I)
    if (char *Added = optionOfSource(Arguments[I]))
      if (!isAmong(All, Added))
        All[End++] = Added;
  if (End > Count)
    log("heddle: nvcc gives PTX beside machine code\n");
  return All;
}

//===----------------------------------------------------------------------===//
// Where it is given
//===----------------------------------------------------------------------===//

// Not by its name, whose declaration says that no path is null: that is for the
// system to say.
extern "C" int startProgram(const char *Program, char *const *Arguments,
                            char *const *Environment) asm("execve");

/// Shells start programs by this function. A child of fork or vfork may be
/// here, so that only what nvcc starts does more than the system call.
int startProgram(const char *Program, char *const *Arguments,
                 char *const *Environment) {
  const char *Name = Program && Arguments ? nameIn(Program) : "";
  if (std::strcmp(Name, "ptxas") == 0 && access(Program, X_OK) == 0 &&
      isForDriver(Product::MachineCode) && givePTX(Arguments))
    _exit(0);
  if (std::strcmp(Name, "fatbinary") == 0 && isForDriver(Product::Any))
    Arguments = withPTX(Arguments);
  return static_cast<int>(syscall(SYS_execve, Program, Arguments, Environment));
}

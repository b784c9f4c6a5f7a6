//===- LinkInputs.cpp - What there is to link -------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tells what each input is, and makes LLVM IR of PTX and bitcode.
//
//===----------------------------------------------------------------------===//

#include "Link/LinkInputs.h"

#include "CompileInput.h"
#include "Link/Summaries.h"
#include "PrepareModule.h"

#include "heddle/ISA/ISA.h"
#include "heddle/Link/Bundle.h"
#include "heddle/Object/FatBinary.h"
#include "heddle/Object/ObjectFile.h"
#include "heddle/Target/HeddleTarget.h"

#include "llvm/BinaryFormat/Magic.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Object/Archive.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;

namespace heddle::compiler {

namespace {

class InputReader {
public:
  InputReader(const Settings &S, mlir::MLIRContext &MLIR, LLVMContext &Context,
              Reporter &Report, CompileControl &Control)
      : S(S), MLIR(MLIR), Context(Context), Report(Report), Control(Control) {}

  /// \p Limit is a LinkInput's.
  Error read(StringRef Name, StringRef Bytes, StringRef Limit = "",
             bool IsOnDemand = false);
  LinkInputs Inputs;

private:
  Error readArchive(StringRef Name, StringRef Bytes);
  Error readModule(StringRef Name, StringRef Bytes, StringRef Limit,
                   bool IsOnDemand);
  Error limit(Module &M, StringRef Limit) const;
  Error readHostObject(StringRef Name, StringRef Bytes, bool IsOnDemand);
  Error readObject(StringRef Name, StringRef Bytes, bool IsOnDemand);
  Error readEmbedded(StringRef Name, StringRef Bytes, bool IsOnDemand);
  void add(StringRef Name, StringRef Bytes, std::unique_ptr<Module> M,
           bool IsOnDemand);
  Expected<std::unique_ptr<Module>> readBitcode(StringRef Name,
                                                StringRef Bytes);
  Expected<std::unique_ptr<Module>> readPTX(StringRef Name, StringRef Bytes);

  const Settings &S;
  mlir::MLIRContext &MLIR;
  LLVMContext &Context;
  Reporter &Report;
  CompileControl &Control;
};

Error inputError(StringRef Name, const Twine &Message) {
  return createStringError(Name + ": " + Message);
}

ArrayRef<uint8_t> bytesOf(StringRef Text) {
  return {reinterpret_cast<const uint8_t *>(Text.data()), Text.size()};
}

Error InputReader::readArchive(StringRef Name, StringRef Bytes) {
  Expected<std::unique_ptr<object::Archive>> Archive =
      object::Archive::create(MemoryBufferRef(Bytes, Name));
  if (!Archive)
    return inputError(Name, toString(Archive.takeError()));
  if ((*Archive)->isThin())
    return inputError(Name, "thin archives are not supported");
  Error Fault = Error::success();
  for (const object::Archive::Child &Child : (*Archive)->children(Fault)) {
    Expected<StringRef> Member = Child.getName(), Text = Child.getBuffer();
    if (Error E = joinErrors(Member.takeError(), Text.takeError()))
      return joinErrors(std::move(Fault),
                        inputError(Name, toString(std::move(E))));
    if (Error E = read((Name + "(" + *Member + ")").str(), *Text, /*Limit=*/"",
                       /*IsOnDemand=*/true))
      return joinErrors(std::move(Fault), std::move(E));
  }
  return Fault ? inputError(Name, toString(std::move(Fault)))
               : Error::success();
}

static Error checkBitcode(const Module &M, StringRef Name) {
  std::string Fault;
  raw_string_ostream OS(Fault);
  return verifyModule(M, &OS)
             ? inputError(Name, "invalid LLVM bitcode: " + Fault)
             : Error::success();
}

static Error checkForm(const Module &M, StringRef Name) {
  if (M.getTargetTriple().str() == TargetTriple &&
      M.getDataLayoutStr() == TargetDataLayout)
    return Error::success();
  return inputError(Name, "bitcode for '" + M.getTargetTriple().str() +
                              "' is not supported; it must be for " +
                              TargetTriple + " or nvptx64");
}

Expected<std::unique_ptr<Module>> InputReader::readBitcode(StringRef Name,
                                                           StringRef Bytes) {
  Expected<std::unique_ptr<Module>> M =
      parseBitcodeFile(MemoryBufferRef(Bytes, Name), Context);
  if (!M)
    return inputError(Name, toString(M.takeError()));
  if ((*M)->getTargetTriple().getArch() == Triple::nvptx64) {
    if (Error E = checkBitcode(**M, Name))
      return std::move(E);
    if (Error E = convertNVVM(**M, Name, S, MLIR, Report))
      return std::move(E);
    return M;
  }
  if (Error E = checkForm(**M, Name))
    return std::move(E);
  if (Error E = checkBitcode(**M, Name))
    return std::move(E);
  return M;
}

/// Takes a module that is read. \p Bytes are what it was made from.
void InputReader::add(StringRef Name, StringRef Bytes,
                      std::unique_ptr<Module> M, bool IsOnDemand) {
  profile(*M, Name, S, Report);
  if (S.ByKernels) {
    std::string &Hash = Inputs.Contents[M.get()].Hash = contentHash(Bytes);
    if (!M->debug_compile_units().empty())
      Hash += contentHash(Name); // which debug information tells
  }
  Inputs.Modules.push_back({Name.str(), std::move(M), IsOnDemand});
}

/// Of bitcode with a summary thin LTO reads no more than what it declares.
Error InputReader::readEmbedded(StringRef Name, StringRef Bytes,
                                bool IsOnDemand) {
  if (!S.ByKernels || S.Profile || !hasSummary(Bytes)) {
    Expected<std::unique_ptr<Module>> M = readBitcode(Name, Bytes);
    if (!M)
      return M.takeError();
    add(Name, Bytes, std::move(*M), IsOnDemand);
    return Error::success();
  }
  MemoryBufferRef Buffer(Bytes, Name);
  Expected<std::unique_ptr<Module>> M = getLazyBitcodeModule(Buffer, Context);
  if (!M)
    return inputError(Name, toString(M.takeError()));
  Expected<std::unique_ptr<ModuleSummaryIndex>> Summary =
      getModuleSummaryIndex(Buffer);
  if (!Summary)
    return inputError(Name, toString(Summary.takeError()));
  if (Error E = checkForm(**M, Name))
    return E;
  Inputs.Contents[M->get()] = {std::move(*Summary), contentHash(Bytes)};
  Inputs.Modules.push_back({Name.str(), std::move(*M), IsOnDemand,
                            /*IsLazy=*/true});
  return Error::success();
}

/// Whether an object's bitcode is what its compiler wrote.
static Error checkEmbedded(const ObjectFile &Object, StringRef Bitcode,
                           StringRef Name) {
  if (std::optional<uint32_t> Section =
          Object.findSection(BitcodeHashSectionName)) {
    ArrayRef<uint8_t> Hash = Object.sections()[*Section].Contents;
    if (Hash.size() == sizeof(uint64_t) &&
        support::endian::read64le(Hash.data()) == xxh3_64bits(Bitcode))
      return Error::success();
  }
  return inputError(Name, "its LLVM bitcode is damaged");
}

/// With LTO an object is its bitcode, if it has some, else its machine code.
Error InputReader::readObject(StringRef Name, StringRef Bytes,
                              bool IsOnDemand) {
  Expected<ObjectFile> Object = ObjectFile::create(bytesOf(Bytes));
  if (!Object)
    return inputError(Name, toString(Object.takeError()));
  if (Object->metadata().Chip != S.Chip)
    return inputError(Name, "was compiled for '" + Object->metadata().Chip +
                                "', not for '" + S.Chip + "'");
  std::optional<uint32_t> Section = Object->findSection(BitcodeSectionName);
  if (S.LTO && Section) {
    StringRef Bitcode = toStringRef(Object->sections()[*Section].Contents);
    if (Error E = checkEmbedded(*Object, Bitcode, Name))
      return E;
    return readEmbedded(Name, Bitcode, IsOnDemand);
  }
  if (S.EmbedBitcode)
    return inputError(Name, "has no LLVM bitcode, which -r with -dlto makes "
                            "one of; compile it with -dlto");
  Inputs.Objects.push_back({Name.str(), bytesOf(Bytes), IsOnDemand});
  return Error::success();
}

Expected<std::unique_ptr<Module>> InputReader::readPTX(StringRef Name,
                                                       StringRef Bytes) {
  Expected<FrontendResult> Front = runFrontend(MemoryBufferRef(Bytes, Name), S,
                                               MLIR, Context, Report, Control);
  if (!Front)
    return Front.takeError();
  if (!Report.failed() && !Front->Module)
    return createStringError("--emit takes llvm, asm or obj when linking");
  return std::move(Front->Module);
}

/// Whether PTX is that of NVIDIA's libcudadevrt.a, which is for a driver of
/// theirs. Its functions are in the device library. It defines all of them.
static bool isDeviceRuntime(StringRef PTX) {
  constexpr StringLiteral Function = "__cudaCDP2LaunchDeviceV2(";
  for (size_t At = PTX.find(Function); At != StringRef::npos;
       At = PTX.find(Function, At + 1)) {
    size_t Line = PTX.rfind('\n', At) + 1;
    if (PTX.slice(Line, At).starts_with(".visible .func"))
      return true;
  }
  return false;
}

static bool isHostObject(StringRef Bytes) {
  file_magic Magic = identify_magic(Bytes);
  constexpr size_t MachineOffset = 18;
  return Magic == file_magic::elf_relocatable &&
         Bytes.size() > MachineOffset + 2 &&
         support::endian::read16le(Bytes.data() + MachineOffset) !=
             isa::abi::Machine;
}

/// What a compiler of CUDA put into an object of the host to be linked; what it
/// linked already is not among it.
Error InputReader::readHostObject(StringRef Name, StringRef Bytes,
                                  bool IsOnDemand) {
  // Members of archives lie anywhere, and the reader wants them aligned.
  std::unique_ptr<MemoryBuffer> Aligned =
      MemoryBuffer::getMemBufferCopy(Bytes, Name);
  Expected<std::unique_ptr<object::ObjectFile>> Object =
      object::ObjectFile::createObjectFile(*Aligned);
  if (!Object)
    return inputError(Name, toString(Object.takeError()));
  for (const object::SectionRef &Section : (*Object)->sections()) {
    Expected<StringRef> SectionName = Section.getName();
    Expected<StringRef> Contents = Section.getContents();
    if (Error E = joinErrors(SectionName.takeError(), Contents.takeError()))
      return inputError(Name, toString(std::move(E)));
    if (*SectionName == "__nv_relfatbin")
      return readModule(Name, *Contents, /*Limit=*/"", IsOnDemand);
  }
  return Error::success();
}

/// The command line's limit is preferred to that of the module's build.
Error InputReader::limit(Module &M, StringRef Limit) const {
  Expected<unsigned> Most = decodeMaxRegisters(Limit);
  if (!Most)
    return Most.takeError();
  if (*Most && !S.MaxRegisters)
    limitRegisters(M, *Most);
  return Error::success();
}

Error InputReader::readModule(StringRef Name, StringRef Bytes, StringRef Limit,
                              bool IsOnDemand) {
  Expected<std::unique_ptr<Module>> M = nullptr;
  if (fatbin::isFatBinary(bytesOf(Bytes))) {
    Expected<fatbin::BuiltPTX> PTX = fatbin::extractPTX(bytesOf(Bytes));
    if (!PTX)
      return inputError(Name, toString(PTX.takeError()));
    return readModule(Name, PTX->Text, recordedRegisterLimit(PTX->Options),
                      IsOnDemand);
  }
  if (isHostObject(Bytes))
    return readHostObject(Name, Bytes, IsOnDemand);
  if (Bytes.starts_with("\x7f"
                        "ELF"))
    return readObject(Name, Bytes, IsOnDemand);
  if (identify_magic(Bytes) == file_magic::bitcode)
    M = readBitcode(Name, Bytes);
  else if (isDeviceRuntime(Bytes))
    return Error::success();
  else
    M = readPTX(Name, Bytes);
  if (!M)
    return M.takeError();
  if (!*M)
    return Error::success();
  if (Error E = limit(**M, Limit))
    return inputError(Name, toString(std::move(E)));
  add(Name, Bytes, std::move(*M), IsOnDemand);
  return Error::success();
}

Error InputReader::read(StringRef Name, StringRef Bytes, StringRef Limit,
                        bool IsOnDemand) {
  if (Control.shouldStop())
    return make_error<CompileStopped>();
  if (identify_magic(Bytes) != file_magic::archive)
    return readModule(Name, Bytes, Limit, IsOnDemand);
  if (IsOnDemand)
    return inputError(Name, "is an archive in an archive");
  return readArchive(Name, Bytes);
}

} // namespace

Expected<LinkInputs> readLinkInputs(MemoryBufferRef Bundle, const Settings &S,
                                    mlir::MLIRContext &MLIR,
                                    LLVMContext &Context, Reporter &Report,
                                    CompileControl &Control) {
  std::optional<std::vector<LinkInput>> Inputs =
      readLinkBundle(Bundle.getBuffer());
  if (!Inputs || Inputs->empty())
    return inputError(Bundle.getBufferIdentifier(),
                      "is a bundle of inputs that is cut off");
  InputReader Reader(S, MLIR, Context, Report, Control);
  for (const LinkInput &I : *Inputs)
    if (Error E = Reader.read(I.Name, I.Bytes, I.RegisterLimit))
      return std::move(E);
  return std::move(Reader.Inputs);
}

} // namespace heddle::compiler

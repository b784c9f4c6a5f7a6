//===- ManifestRunner.cpp - Carries out a launch manifest -------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory, parameter blocks, launches and checks of a manifest.
//
//===----------------------------------------------------------------------===//

#include "heddle/Manifest/ManifestRunner.h"
#include <algorithm>
#include <chrono>

using namespace llvm;

namespace heddle::rt {

/// Arrays go to and from the device in pieces of this many bytes, a multiple of
/// every element's size.
static constexpr uint64_t PieceBytes = 1 << 20;

/// Calls \p Do with offset and size of each piece of \p Bytes bytes.
template <typename DoT> static Error forEachPiece(uint64_t Bytes, DoT Do) {
  for (uint64_t At = 0; At < Bytes; At += PieceBytes)
    if (Error E = Do(At, std::min(PieceBytes, Bytes - At)))
      return E;
  return Error::success();
}

/// \p E with the place in the manifest in front.
static Error atPlace(StringRef Place, Error E) {
  return createStringError(Place + ": " + toString(std::move(E)));
}

//===----------------------------------------------------------------------===//
// Set-up
//===----------------------------------------------------------------------===//

Expected<std::unique_ptr<ManifestRunner>>
ManifestRunner::create(Device &D, const Manifest &M,
                       ArrayRef<uint8_t> CodeObject) {
  std::unique_ptr<ManifestRunner> Runner(new ManifestRunner(D, M));
  // Where buffers have to lie, nothing else may.
  if (Error E = Runner->placeBuffers())
    return E;
  if (Error E = Runner->load(CodeObject))
    return E;
  if (Error E = Runner->setSymbols())
    return E;
  if (Error E = Runner->makeBuffers())
    return E;
  if (Error E = Runner->makeEndpoints())
    return E;
  if (Error E = Runner->makeTextures())
    return E;
  D.setOutputSink([R = Runner.get()](StringRef Text) { R->Output += Text; });
  return Runner;
}

ManifestRunner::~ManifestRunner() {
  D.setOutputSink(nullptr);
  for (uint32_t Endpoint : Endpoints)
    consumeError(D.removeEndpoint(Endpoint));
  for (TextureHandle Texture : Textures)
    consumeError(D.destroyTextureObject(Texture));
  for (DeviceAddress Buffer : Buffers)
    if (Buffer)
      consumeError(D.free(Buffer));
}

Error ManifestRunner::load(ArrayRef<uint8_t> CodeObject) {
  Expected<std::unique_ptr<Module>> Loaded = D.loadModule(CodeObject);
  if (!Loaded)
    return Loaded.takeError();
  Code = std::move(*Loaded);
  return Error::success();
}

Error ManifestRunner::placeBuffers() {
  Buffers.resize(M.Buffers.size());
  for (auto [Spec, Buffer] : zip_equal(M.Buffers, Buffers)) {
    if (!Spec.Address)
      continue;
    if (Error E = D.allocateAt(*Spec.Address, Spec.bytes()))
      return atPlace(Spec.Place, std::move(E));
    Buffer = *Spec.Address;
  }
  return Error::success();
}

Error ManifestRunner::makeBuffers() {
  for (auto [Spec, Buffer] : zip_equal(M.Buffers, Buffers)) {
    if (!Spec.Address) {
      Expected<DeviceAddress> Address = D.allocate(Spec.bytes());
      if (!Address)
        return atPlace(Spec.Place, Address.takeError());
      Buffer = *Address;
    }
    if (Error E = initialise(Spec, Buffer))
      return E;
  }
  return Error::success();
}

Expected<TextureHandle> ManifestRunner::makeTexture(const TextureSpec &Spec) {
  if (Spec.Kind == TextureSpec::KindOf::Sampler)
    return D.createSampler(Spec.Sampler);
  ImageDesc Image = Spec.Image;
  Image.Base = Buffers[Spec.Buffer] + Spec.Offset;
  if (Spec.Kind == TextureSpec::KindOf::Surface)
    return D.createSurface(Image);
  return D.createTexture(Image, Spec.Sampler);
}

Error ManifestRunner::makeTextures() {
  for (const TextureSpec &Spec : M.Textures) {
    Expected<TextureHandle> Handle = makeTexture(Spec);
    if (!Handle)
      return atPlace(Spec.Place, Handle.takeError());
    Textures.push_back(*Handle);
    if (Spec.Symbol.empty())
      continue;
    ArraySpec Variable;
    Variable.Name = Spec.Symbol;
    Variable.Place = Spec.Place;
    uint8_t Bytes[sizeof(TextureHandle)];
    storeElement(ElementType::U64, *Handle, Bytes);
    Expected<const SymbolInfo *> Symbol = findSymbol(Variable, sizeof(Bytes));
    if (!Symbol)
      return Symbol.takeError();
    if (Error E = D.copyToDevice((*Symbol)->Address, Bytes))
      return atPlace(Spec.Place, std::move(E));
  }
  return Error::success();
}

Error ManifestRunner::makeEndpoints() {
  for (const EndpointSpec &Spec : M.Endpoints) {
    EndpointDesc E;
    E.IsMulticast = Spec.IsMulticast;
    E.Counts = Spec.Counts;
    E.Fails = Spec.Fails;
    for (const std::vector<EndpointBinding> &Member : Spec.Members) {
      std::vector<EndpointRange> &Ranges = E.Members.emplace_back();
      Ranges.reserve(Member.size());
      for (const EndpointBinding &B : Member)
        Ranges.push_back(
            {B.Offset, Buffers[B.Buffer], M.Buffers[B.Buffer].bytes()});
    }
    if (Error Wrong = D.setEndpoint(Spec.Id, E))
      return atPlace(Spec.Place, std::move(Wrong));
    Endpoints.push_back(Spec.Id);
  }
  return Error::success();
}

Error ManifestRunner::setSymbols() {
  for (const ArraySpec &Spec : M.Symbols) {
    Expected<const SymbolInfo *> Symbol = findSymbol(Spec, Spec.bytes());
    if (!Symbol)
      return Symbol.takeError();
    if (Error E = initialise(Spec, (*Symbol)->Address))
      return E;
  }
  return Error::success();
}

/// The variable that \p Spec names, which must have at least \p Bytes bytes.
Expected<const SymbolInfo *> ManifestRunner::findSymbol(const ArraySpec &Spec,
                                                        uint64_t Bytes) {
  const SymbolInfo *Symbol = Code->findSymbol(Spec.Name);
  if (!Symbol)
    return createStringError(Spec.Place + ": the module has no variable '" +
                             Spec.Name + "'");
  if (Symbol->Size < Bytes)
    return createStringError(Spec.Place + ": variable '" + Spec.Name +
                             "' has " + Twine(Symbol->Size) +
                             " bytes, but the manifest names " + Twine(Bytes));
  return Symbol;
}

Error ManifestRunner::initialise(const ArraySpec &Spec, DeviceAddress Address) {
  Expected<InitialData> Data = InitialData::open(Spec);
  if (!Data)
    return Data.takeError();
  if (!Data->any())
    return Error::success();
  std::vector<uint8_t> Piece;
  Error E = forEachPiece(Spec.bytes(), [&](uint64_t At, uint64_t Size) {
    Piece.resize(Size);
    Data->generate(At / elementSize(Spec.Type), Piece);
    return D.copyToDevice(Address + At, Piece);
  });
  return E ? atPlace(Spec.Place, std::move(E)) : Error::success();
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

/// The bytes of an argument; a buffer's are its address, a texture's its
/// handle.
static std::vector<uint8_t> argumentBytes(const Argument &Arg,
                                          ArrayRef<DeviceAddress> Buffers,
                                          ArrayRef<TextureHandle> Textures) {
  if (const auto *Bytes = std::get_if<BytesArg>(&Arg.Value))
    return Bytes->Bytes;
  ScalarArg Scalar{ElementType::U64, 0};
  if (const auto *Buffer = std::get_if<BufferArg>(&Arg.Value))
    Scalar.Bits = Buffers[Buffer->Buffer] + Buffer->Offset;
  else if (const auto *Texture = std::get_if<TextureArg>(&Arg.Value))
    Scalar.Bits = Textures[Texture->Texture];
  else
    Scalar = std::get<ScalarArg>(Arg.Value);
  std::vector<uint8_t> Result(elementSize(Scalar.Type));
  storeElement(Scalar.Type, Scalar.Bits, Result.data());
  return Result;
}

Expected<std::vector<uint8_t>>
ManifestRunner::parameterBlock(const KernelInfo &Kernel,
                               const ManifestLaunch &Launch) {
  if (Launch.Args.size() != Kernel.Params.size())
    return createStringError(Launch.Place + ": kernel '" + Kernel.Name +
                             "' has " + Twine(Kernel.Params.size()) +
                             " parameters, but " + Twine(Launch.Args.size()) +
                             " arguments are given");
  std::vector<uint8_t> Block(Kernel.ParamBytes);
  for (auto [Arg, Param] : zip_equal(Launch.Args, Kernel.Params)) {
    std::vector<uint8_t> Bytes = argumentBytes(Arg, Buffers, Textures);
    if (Bytes.size() != Param.Size)
      return createStringError(Arg.Place + ": the argument has " +
                               Twine(Bytes.size()) + " bytes, but '" +
                               Param.Name + "' has " + Twine(Param.Size));
    const auto *Struct = std::get_if<BytesArg>(&Arg.Value);
    if (Struct && Param.Offset % Struct->Align)
      return createStringError(
          Arg.Place + ": '" + Param.Name + "' lies at " + Twine(Param.Offset) +
          ", which is not aligned to " + Twine(Struct->Align));
    if (Param.Offset > Block.size() ||
        Bytes.size() > Block.size() - Param.Offset)
      return createStringError("parameter '" + Param.Name + "' of '" +
                               Kernel.Name + "' lies outside its " +
                               Twine(Block.size()) + " bytes of parameters");
    llvm::copy(Bytes, Block.begin() + Param.Offset);
  }
  return Block;
}

Expected<LaunchReport> ManifestRunner::launch(size_t Index) {
  const ManifestLaunch &Launch = M.Launches[Index];
  std::optional<unsigned> Kernel = Code->findKernel(Launch.Entry);
  if (!Kernel)
    return createStringError(Launch.Place + ": the module has no kernel '" +
                             Launch.Entry + "'");
  LaunchReport Report;
  Report.Launch = &Launch;
  Report.Kernel = Code->kernels()[*Kernel];
  Expected<std::vector<uint8_t>> Params = parameterBlock(Report.Kernel, Launch);
  if (!Params)
    return Params.takeError();

  LaunchConfig Config;
  Config.Grid = Launch.Grid;
  Config.Block = Launch.Block;
  Config.Cluster = Launch.Cluster;
  Config.DynamicSharedBytes = Launch.SharedBytes;
  Config.Params = *Params;
  Config.MaxThreadInstructions = M.MaxInstructions;

  auto Start = std::chrono::steady_clock::now();
  Expected<LaunchResult> Result = D.launch(*Code, *Kernel, Config);
  if (!Result)
    return atPlace(Launch.Place, Result.takeError());
  std::chrono::duration<double> Elapsed =
      std::chrono::steady_clock::now() - Start;
  Report.Seconds = Elapsed.count();
  Report.Result = std::move(*Result);
  return Report;
}

Error ManifestRunner::launchAll() {
  Reports.clear();
  for (size_t I = 0; I < M.Launches.size(); ++I) {
    Expected<LaunchReport> Report = launch(I);
    if (!Report)
      return Report.takeError();
    Reports.push_back(std::move(*Report));
    if (Reports.back().Result.Fault)
      break;
  }
  return Error::success();
}

const ArraySpec *ManifestRunner::findBuffer(StringRef Name) const {
  for (const ArraySpec &Spec : M.Buffers)
    if (Spec.Name == Name)
      return &Spec;
  return nullptr;
}

Error ManifestRunner::read(const ArraySpec &Buffer, uint64_t Offset,
                           MutableArrayRef<uint8_t> Out) {
  return D.copyFromDevice(Out, Buffers[&Buffer - M.Buffers.data()] + Offset);
}

Expected<std::map<std::string, std::vector<uint8_t>>>
ManifestRunner::variables() {
  std::map<std::string, std::vector<uint8_t>> Contents;
  for (const SymbolInfo &S : Code->symbols()) {
    if (S.Space != SymbolInfo::SpaceKind::Global)
      continue;
    std::vector<uint8_t> &Bytes = Contents[S.Name];
    Bytes.resize(S.Size);
    if (Error E = D.copyFromDevice(Bytes, S.Address))
      return std::move(E);
  }
  return Contents;
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

static std::string describe(const Mismatch &M, ElementType Type) {
  return "[" + std::to_string(M.Index) + "]: expected " +
         formatElement(Type, M.Expected) + ", found " +
         formatElement(Type, M.Found);
}

Expected<CheckReport> ManifestRunner::checkArray(const Expectation &E) {
  const ArraySpec &Data = E.Data;
  DeviceAddress Address;
  if (E.IsSymbol) {
    Expected<const SymbolInfo *> Symbol =
        findSymbol(Data, E.Offset + Data.bytes());
    if (!Symbol)
      return Symbol.takeError();
    Address = (*Symbol)->Address;
  } else {
    Address = Buffers[findBuffer(Data.Name) - M.Buffers.data()];
  }
  Expected<InitialData> Wanted = InitialData::open(Data, /*MayBeLonger=*/true);
  if (!Wanted)
    return Wanted.takeError();

  Comparison Result;
  std::vector<uint8_t> Right, Found;
  Error Failure =
      forEachPiece(Data.bytes(), [&](uint64_t At, uint64_t Size) -> Error {
        Right.resize(Size);
        Found.resize(Size);
        Wanted->generate(At / elementSize(Data.Type), Right);
        if (Error E2 = D.copyFromDevice(Found, Address + E.Offset + At))
          return E2;
        compareMore(Data.Type, Right, Found, E.Bound, Result);
        return Error::success();
      });
  if (Failure)
    return atPlace(Data.Place, std::move(Failure));

  CheckReport Report;
  Report.Place = Data.Place;
  Report.What = (E.IsSymbol ? "variable '" : "buffer '") + Data.Name + "'";
  Report.Passed = Result.Mismatched == 0;
  if (!Report.Passed)
    Report.Message = (Twine(Result.Mismatched) + " of " +
                      Twine(Result.Compared) + " elements differ")
                         .str();
  for (const Mismatch &First : Result.First)
    Report.Details.push_back(describe(First, Data.Type));
  return Report;
}

/// How launchAll ended against how it was to end.
CheckReport ManifestRunner::checkFault() {
  CheckReport Report;
  Report.Place = M.File;
  Report.What = "fault";
  const std::optional<Fault> None;
  const std::optional<Fault> &Found =
      Reports.empty() ? None : Reports.back().Result.Fault;
  std::optional<FaultKind> Kind;
  if (Found)
    Kind = Found->Kind;
  Report.Passed = Kind == M.ExpectedFault;
  if (Report.Passed)
    return Report;
  if (M.ExpectedFault)
    Report.Message = ("expected the fault " + faultKindName(*M.ExpectedFault) +
                      ", found " + (Found ? Found->str() : "none"))
                         .str();
  else
    Report.Message = Found->str();
  return Report;
}

static std::vector<StringRef> splitLines(StringRef Text, OutputOrder Order) {
  SmallVector<StringRef> Lines;
  Text.split(Lines, '\n');
  if (Order == OutputOrder::Any)
    llvm::sort(Lines);
  return {Lines.begin(), Lines.end()};
}

CheckReport ManifestRunner::checkOutput() {
  CheckReport Report;
  Report.Place = M.File;
  Report.What = "output";
  std::vector<StringRef> Wanted = splitLines(*M.ExpectedOutput, M.Order);
  std::vector<StringRef> Found = splitLines(Output, M.Order);
  Report.Passed = Wanted == Found;
  if (Report.Passed)
    return Report;
  auto [W, F] =
      std::mismatch(Wanted.begin(), Wanted.end(), Found.begin(), Found.end());
  auto Show = [](auto At, auto End) {
    return At == End ? std::string("no more lines") : "\"" + At->str() + "\"";
  };
  Report.Message =
      (Twine("line ") + Twine(W - Wanted.begin() + 1) +
       (M.Order == OutputOrder::Any ? " of the sorted output" : "") +
       " differs")
          .str();
  Report.Details = {"expected " + Show(W, Wanted.end()) + ", found " +
                    Show(F, Found.end())};
  return Report;
}

Expected<std::vector<CheckReport>> ManifestRunner::check() {
  std::vector<CheckReport> Checks{checkFault()};
  if (M.ExpectedOutput)
    Checks.push_back(checkOutput());
  for (const Expectation &E : M.Expectations) {
    Expected<CheckReport> Check = checkArray(E);
    if (!Check)
      return Check.takeError();
    Checks.push_back(std::move(*Check));
  }
  return Checks;
}

} // namespace heddle::rt

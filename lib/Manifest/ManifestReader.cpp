//===- ManifestReader.cpp - Reads launch manifests --------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From JSON to a Manifest.
//
//===----------------------------------------------------------------------===//

#include "ManifestReader.h"
#include "heddle/Support/JSON.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <cmath>

using namespace llvm;

namespace heddle::rt {

//===----------------------------------------------------------------------===//
// Faults and steps
//===----------------------------------------------------------------------===//

std::string Reader::place(const Node &At) const {
  return At.Path.empty() ? Result.File : Result.File + ": " + At.Path;
}

void Reader::fail(const Node &At, const Twine &Message) {
  if (Fault.empty())
    Fault = place(At) + ": " + Message.str();
}

Node Reader::get(const Node &Object, StringRef Key) {
  Node Result;
  Result.Path = Object.Path.empty() ? Key.str() : Object.Path + "." + Key.str();
  if (Object)
    if (const json::Object *O = Object.Value->getAsObject())
      Result.Value = O->get(Key);
  return Result;
}

Node Reader::require(const Node &Object, StringRef Key) {
  Node Result = get(Object, Key);
  if (!Result)
    fail(Object, "\"" + Key + "\" is missing");
  return Result;
}

Node Reader::at(const Node &Array, size_t Index) {
  const json::Array *A = Array ? Array.Value->getAsArray() : nullptr;
  return {A && Index < A->size() ? &(*A)[Index] : nullptr,
          Array.Path + "[" + std::to_string(Index) + "]"};
}

/// The length of an array; 0 for a value that is not there.
size_t Reader::length(const Node &At) {
  if (!At)
    return 0;
  if (const json::Array *A = At.Value->getAsArray())
    return A->size();
  fail(At, "expected an array");
  return 0;
}

/// Whether \p At is an object; keys other than \p Keys are faults.
bool Reader::checkObject(const Node &At, ArrayRef<StringRef> Keys) {
  const json::Object *O = At ? At.Value->getAsObject() : nullptr;
  if (!O) {
    fail(At, "expected an object");
    return false;
  }
  std::vector<StringRef> Unknown;
  for (const auto &Entry : *O)
    if (!is_contained(Keys, StringRef(Entry.first)))
      Unknown.push_back(Entry.first);
  if (Unknown.empty())
    return true;
  // The order in the object is that of a hash table.
  llvm::sort(Unknown);
  fail(At, "unknown key \"" + Unknown.front() + "\"; known here are " +
               join(Keys.begin(), Keys.end(), ", "));
  return false;
}

//===----------------------------------------------------------------------===//
// Leaves
//===----------------------------------------------------------------------===//

std::string Reader::string(const Node &At) {
  if (At)
    if (std::optional<StringRef> Text = At.Value->getAsString())
      return Text->str();
  fail(At, "expected a string");
  return "";
}

/// A path relative to the manifest's folder, as it can be opened.
std::string Reader::path(const Node &At) {
  std::string Text = string(At);
  if (Text.empty() || sys::path::is_absolute(Text))
    return Text;
  SmallString<128> Full(sys::path::parent_path(Result.File));
  sys::path::append(Full, Text);
  return std::string(Full);
}

std::optional<Number> Reader::number(const Node &At) {
  if (!At)
    return std::nullopt;
  if (std::optional<uint64_t> U = At.Value->getAsUINT64())
    return Number{true, false, *U, static_cast<double>(*U)};
  if (std::optional<int64_t> S = At.Value->getAsInteger())
    return Number{true, *S < 0, static_cast<uint64_t>(*S),
                  static_cast<double>(*S)};
  if (std::optional<double> D = At.Value->getAsNumber())
    return Number{false, *D < 0, 0, *D};
  return std::nullopt;
}

uint64_t Reader::natural(const Node &At, uint64_t Max) {
  std::optional<Number> N = number(At);
  if (N && N->IsInteger && !N->IsNegative && N->Integer <= Max)
    return N->Integer;
  fail(At, "expected a whole number from 0 to " + Twine(Max));
  return 0;
}

double Reader::real(const Node &At) {
  if (std::optional<Number> N = number(At))
    return N->Real;
  fail(At, "expected a number");
  return 0;
}

ElementType Reader::type(const Node &At) {
  std::string Name = string(At);
  if (std::optional<ElementType> Type = parseElementType(Name))
    return *Type;
  fail(At, "unknown type \"" + Name + "\"; known are u, s and b with 8, 16, " +
               "32 or 64, and f16, bf16, f32, f64");
  return ElementType::B8;
}

/// A string such as "0x7fc00000".
uint64_t Reader::pattern(const Node &At, ElementType Type) {
  std::optional<StringRef> Text =
      At ? At.Value->getAsString() : std::optional<StringRef>();
  uint64_t Bits = 0;
  if (!Text || !Text->consume_front_insensitive("0x") ||
      Text->getAsInteger(16, Bits)) {
    fail(At, "expected a bit pattern such as \"0x7fc00000\"");
    return 0;
  }
  if (isUIntN(8 * elementSize(Type), Bits))
    return Bits;
  fail(At, "the pattern has more bits than " + elementName(Type));
  return 0;
}

/// A number or a string of its bit pattern.
uint64_t Reader::bits(const Node &At, ElementType Type) {
  std::optional<Number> N = number(At);
  if (!N)
    return pattern(At, Type);
  if (isFloat(Type))
    return floatBits(Type, N->Real);
  if (!N->IsInteger) {
    fail(At, elementName(Type) + " takes whole numbers");
    return 0;
  }
  if (std::optional<uint64_t> Bits =
          integerBits(Type, N->Integer, N->IsNegative))
    return *Bits;
  fail(At, "the number does not fit into " + elementName(Type));
  return 0;
}

std::vector<uint64_t> Reader::bitsList(const Node &At, ElementType Type,
                                       bool PatternsOnly) {
  std::vector<uint64_t> List(length(At));
  for (auto [Index, Element] : enumerate(List)) {
    Node Item = at(At, Index);
    Element = PatternsOnly ? pattern(Item, Type) : bits(Item, Type);
  }
  return List;
}

/// A number from which elements are computed. Reals need not be numbers of the
/// type, integers are extended to 64 bits.
void Reader::operand(const Node &At, ElementType Type, NumberPair &Pair,
                     unsigned Index) {
  if (isFloat(Type)) {
    Pair.Real[Index] = real(At);
    return;
  }
  uint64_t Bits = bits(At, Type);
  std::optional<Number> N = number(At);
  Pair.Integer[Index] =
      N && N->IsNegative ? SignExtend64(Bits, 8 * elementSize(Type)) : Bits;
}

Dim3 Reader::dim(const Node &At) {
  Dim3 D;
  if (!At)
    return D;
  size_t Length = length(At);
  if (Length < 1 || Length > 3)
    fail(At, "expected one to three extents");
  uint32_t *Extents[3] = {&D.X, &D.Y, &D.Z};
  for (size_t I = 0; I < std::min<size_t>(Length, 3); ++I) {
    *Extents[I] = static_cast<uint32_t>(natural(at(At, I), UINT32_MAX));
    if (*Extents[I] == 0)
      fail(at(At, I), "an extent is at least 1");
  }
  return D;
}

//===----------------------------------------------------------------------===//
// Modules and launches
//===----------------------------------------------------------------------===//

void Reader::modules(const Node &Root) {
  Node One = get(Root, "module"), Several = get(Root, "modules");
  if (bool(One) == bool(Several))
    fail(Root, "expected one of \"module\" and \"modules\"");
  if (One)
    Result.Modules.push_back(path(One));
  for (size_t I = 0, E = length(Several); I < E; ++I)
    Result.Modules.push_back(path(at(Several, I)));
  if (Several && Result.Modules.empty())
    fail(Several, "expected at least one module");
}

static constexpr StringRef LaunchKeys[] = {
    "entry", "grid", "block", "cluster", "shared_bytes", "args", "choice"};

void Reader::launches(const Node &Root) {
  Node Several = get(Root, "launches");
  if (!Several) {
    launch(Root);
    return;
  }
  for (StringRef Key : LaunchKeys)
    if (Node Stray = get(Root, Key))
      fail(Stray, "stands inside each of the \"launches\" when there are any");
  for (size_t I = 0, E = length(Several); I < E; ++I)
    if (Node Item = at(Several, I); checkObject(Item, LaunchKeys))
      launch(Item);
}

void Reader::launch(const Node &At) {
  ManifestLaunch L;
  L.Place = place(At);
  L.Entry = string(require(At, "entry"));
  L.Grid = dim(get(At, "grid"));
  L.Block = dim(get(At, "block"));
  if (Node Cluster = get(At, "cluster"))
    L.Cluster = dim(Cluster);
  if (Node Shared = get(At, "shared_bytes"))
    L.SharedBytes = static_cast<uint32_t>(natural(Shared, UINT32_MAX));
  if (Node Choice = get(At, "choice"))
    L.Choice = launchChoice(Choice);
  Node Args = get(At, "args");
  for (size_t I = 0, E = length(Args); I < E; ++I)
    L.Args.push_back(argument(at(Args, I)));
  Result.Launches.push_back(std::move(L));
}

LaunchChoice Reader::launchChoice(const Node &At) {
  LaunchChoice C;
  if (!checkObject(At, {"blocks", "grids", "grid", "shared_bytes_per_thread"}))
    return C;
  Node Blocks = get(At, "blocks"), Grids = get(At, "grids");
  if (!Blocks && !Grids)
    fail(At, "expected \"blocks\" or \"grids\"");
  if (Blocks)
    for (size_t I = 0, E = length(Blocks); I < E; ++I)
      C.Blocks.push_back(dim(at(Blocks, I)));
  if (Grids) {
    for (size_t I = 0, E = length(Grids); I < E; ++I)
      C.Grids.push_back(dim(at(Grids, I)));
    C.Grid = LaunchChoice::GridRule::Same;
  }
  if (Node Grid = get(At, "grid")) {
    std::string Rule = string(Grid);
    if (Rule == "same")
      C.Grid = LaunchChoice::GridRule::Same;
    else if (Rule != "cover")
      fail(Grid, "expected \"cover\" or \"same\"");
    else if (Grids)
      fail(Grid, "threads that share the work of any grid have none to cover");
  }
  if (Node Shared = get(At, "shared_bytes_per_thread"))
    C.SharedBytesPerThread = static_cast<uint32_t>(natural(Shared, 1 << 20));
  return C;
}

Argument Reader::argument(const Node &At) {
  std::string Place = place(At);
  if (get(At, "buffer"))
    return {bufferArg(At), Place};
  if (get(At, "bytes"))
    return {bytesArg(At), Place};
  for (StringRef Kind : {"texture", "surface", "sampler"})
    if (get(At, Kind))
      return {textureArg(At), Place};
  return {scalarArg(At), Place};
}

ScalarArg Reader::scalarArg(const Node &At) {
  if (!checkObject(At, {"type", "value"}))
    return {ElementType::B8, 0};
  ElementType Type = type(require(At, "type"));
  return {Type, bits(require(At, "value"), Type)};
}

BytesArg Reader::bytesArg(const Node &At) {
  BytesArg Arg{{}, 1};
  if (!checkObject(At, {"bytes", "align"}))
    return Arg;
  Node Bytes = get(At, "bytes");
  std::string Text = string(Bytes), Decoded;
  erase_if(Text, isSpace);
  if (Text.size() % 2 || !tryGetFromHex(Text, Decoded))
    fail(Bytes, "expected pairs of hexadecimal digits");
  Arg.Bytes.assign(Decoded.begin(), Decoded.end());
  if (Node Align = get(At, "align")) {
    Arg.Align = natural(Align);
    if (!isPowerOf2_64(Arg.Align))
      fail(Align, "expected a power of two");
  }
  return Arg;
}

BufferArg Reader::bufferArg(const Node &At) {
  if (!checkObject(At, {"buffer", "type", "count", "init", "offset"}))
    return {0, 0};
  BufferArg Arg{buffer(At), 0};
  if (Node Offset = get(At, "offset"))
    Arg.Offset = natural(Offset);
  return Arg;
}

/// The buffer that \p At names, made here if this is its first mention.
size_t Reader::buffer(const Node &At) {
  std::string Name = string(get(At, "buffer"));
  for (auto [Index, Known] : enumerate(Result.Buffers)) {
    if (Known.Name != Name)
      continue;
    for (StringRef Key : {"type", "count", "init"})
      if (Node Again = get(At, Key))
        fail(Again,
             "buffer \"" + Name + "\" was already described at " + Known.Place);
    return Index;
  }
  Result.Buffers.push_back(array(At, "buffer"));
  return Result.Buffers.size() - 1;
}

//===----------------------------------------------------------------------===//
// Arrays and their data
//===----------------------------------------------------------------------===//

ArraySpec Reader::array(const Node &At, StringRef NameKey) {
  ArraySpec Spec;
  Spec.Name = string(require(At, NameKey));
  Spec.Type = type(require(At, "type"));
  Spec.Place = place(At);
  Node Init = get(At, "init");
  if (Init)
    Spec.Init = initializer(Init, Spec.Type);
  const auto *List = std::get_if<ListInit>(&Spec.Init);
  Node Count = get(At, "count");
  if (!Count && List)
    Spec.Count = List->Bits.size();
  else
    Spec.Count = natural(require(At, "count"), (UINT64_MAX >> 4));
  if (List && List->Bits.size() != Spec.Count)
    fail(Init, Twine(List->Bits.size()) + " values for " + Twine(Spec.Count) +
                   " elements");
  return Spec;
}

Initializer Reader::initializer(const Node &At, ElementType Type) {
  if (std::optional<StringRef> Word = At.Value->getAsString()) {
    if (*Word != "zero")
      fail(At, "the only initialiser in a word is \"zero\"");
    return ZeroInit{};
  }
  if (!checkObject(At, {"fill", "iota", "values", "bits", "random", "file"}))
    return {};
  if (At.Value->getAsObject()->size() != 1) {
    fail(At, "expected exactly one initialiser");
    return {};
  }
  if (Node Fill = get(At, "fill"))
    return FillInit{bits(Fill, Type)};
  if (Node Values = get(At, "values"))
    return ListInit{bitsList(Values, Type, /*PatternsOnly=*/false)};
  if (Node Bits = get(At, "bits"))
    return ListInit{bitsList(Bits, Type, /*PatternsOnly=*/true)};
  if (Node File = get(At, "file"))
    return FileInit{path(File)};
  if (Node Random = get(At, "random"))
    return random(Random, Type);
  Node Iota = get(At, "iota");
  if (length(Iota) != 2)
    fail(Iota, "expected [start, step]");
  IotaInit Init;
  operand(at(Iota, 0), Type, Init.StartAndStep, 0);
  // A step may go down whatever the type.
  operand(at(Iota, 1), isFloat(Type) ? Type : ElementType::B64,
          Init.StartAndStep, 1);
  return Init;
}

Initializer Reader::random(const Node &At, ElementType Type) {
  if (!checkObject(At, {"seed", "low", "high"}))
    return {};
  RandomInit Init;
  Init.Seed = natural(require(At, "seed"));
  Node Low = require(At, "low"), High = require(At, "high");
  operand(Low, Type, Init.LowAndHigh, 0);
  operand(High, Type, Init.LowAndHigh, 1);
  const NumberPair &N = Init.LowAndHigh;
  bool Ordered;
  if (isFloat(Type))
    Ordered = N.Real[0] <= N.Real[1];
  else if (elementClass(Type) == ElementClass::Signed)
    Ordered = int64_t(N.Integer[0]) <= int64_t(N.Integer[1]);
  else
    Ordered = N.Integer[0] <= N.Integer[1];
  if (!Ordered)
    fail(At, "\"low\" is above \"high\"");
  return Init;
}

/// Those that no argument names first.
void Reader::buffers(const Node &Root) {
  Node List = get(Root, "buffers");
  for (size_t I = 0, E = length(List); I < E; ++I) {
    Node Item = at(List, I);
    if (!checkObject(Item, {"buffer", "type", "count", "init", "address"}))
      return;
    require(Item, "buffer");
    ArraySpec &Spec = Result.Buffers[buffer(Item)];
    if (Node Address = get(Item, "address"))
      Spec.Address = pattern(Address, ElementType::B64);
  }
}

void Reader::symbols(const Node &Root) {
  Node Symbols = get(Root, "symbols");
  for (size_t I = 0, E = length(Symbols); I < E; ++I) {
    Node Item = at(Symbols, I);
    if (!checkObject(Item, {"symbol", "type", "count", "init"}))
      return;
    require(Item, "init");
    Result.Symbols.push_back(array(Item, "symbol"));
  }
}

//===----------------------------------------------------------------------===//
// Expectations
//===----------------------------------------------------------------------===//

void Reader::expectations(const Node &Root) {
  Node List = get(Root, "expect");
  for (size_t I = 0, E = length(List); I < E; ++I)
    Result.Expectations.push_back(expectation(at(List, I)));
}

Expectation Reader::expectation(const Node &At) {
  Expectation E;
  E.Data.Place = place(At);
  if (!checkObject(At,
                   {"buffer", "symbol", "type", "count", "values", "bits",
                    "file", "first", "offset", "rtol", "atol", "ulp", "nan"}))
    return E;
  uint64_t Available = 0;
  expectedArray(At, E, Available);
  expectedData(At, E, Available);
  E.Bound = tolerance(At);
  return E;
}

/// Which array, of what type, from where on. \p Available becomes the number of
/// elements from there to the end.
void Reader::expectedArray(const Node &At, Expectation &E,
                           uint64_t &Available) {
  Node Buffer = get(At, "buffer"), Symbol = get(At, "symbol");
  if (bool(Buffer) == bool(Symbol)) {
    fail(At, "expected one of \"buffer\" and \"symbol\"");
    return;
  }
  E.IsSymbol = bool(Symbol);
  E.Data.Name = string(E.IsSymbol ? Symbol : Buffer);
  uint64_t Bytes = 0;
  if (E.IsSymbol) {
    E.Data.Type = type(require(At, "type"));
    Bytes = natural(require(At, "count"), UINT64_MAX >> 4) *
            elementSize(E.Data.Type);
  } else {
    auto Known = llvm::find_if(Result.Buffers, [&](const ArraySpec &B) {
      return B.Name == E.Data.Name;
    });
    if (Known == Result.Buffers.end()) {
      fail(Buffer, "no argument is a buffer \"" + E.Data.Name + "\"");
      return;
    }
    for (StringRef Key : {"type", "count"})
      if (Node Again = get(At, Key))
        fail(Again, "is said where the buffer is made");
    E.Data.Type = Known->Type;
    Bytes = Known->bytes();
  }
  if (Node Offset = get(At, "offset")) {
    E.Offset = natural(Offset);
    if (E.Offset > Bytes || E.Offset % elementSize(E.Data.Type))
      fail(Offset, "is not the offset of an element, in bytes");
  }
  Available =
      Bytes >= E.Offset ? (Bytes - E.Offset) / elementSize(E.Data.Type) : 0;
}

/// What must be there, and how many elements of it.
void Reader::expectedData(const Node &At, Expectation &E, uint64_t Available) {
  Node Values = get(At, "values"), Bits = get(At, "bits"),
       File = get(At, "file");
  if (bool(Values) + bool(Bits) + bool(File) != 1) {
    fail(At, "expected one of \"values\", \"bits\" and \"file\"");
    return;
  }
  Node First = get(At, "first");
  E.Data.Count = First ? natural(First) : Available;
  if (E.Data.Count > Available)
    fail(First, "only " + Twine(Available) + " elements are there");
  if (File) {
    E.Data.Init = FileInit{path(File)};
    return;
  }
  ListInit List{bitsList(Values ? Values : Bits, E.Data.Type, bool(Bits))};
  if (List.Bits.size() != E.Data.Count)
    fail(At, Twine(List.Bits.size()) + " values for " + Twine(E.Data.Count) +
                 " elements; \"first\" says how many to compare");
  E.Data.Init = std::move(List);
}

Tolerance Reader::tolerance(const Node &At) {
  Tolerance Bound;
  auto Take = [&](StringRef Key) -> std::optional<double> {
    Node Item = get(At, Key);
    if (!Item)
      return std::nullopt;
    double Value = real(Item);
    if (!(Value >= 0))
      fail(Item, "a tolerance is not negative");
    return Value;
  };
  Bound.Relative = Take("rtol");
  Bound.Absolute = Take("atol");
  if (Node Ulp = get(At, "ulp")) {
    Bound.Ulp = natural(Ulp);
    if (Bound.Relative || Bound.Absolute)
      fail(Ulp, "stands alone, without \"rtol\" and \"atol\"");
  }
  if (Node NaN = get(At, "nan")) {
    Bound.AnyNaN = string(NaN) == "any";
    if (!Bound.AnyNaN)
      fail(NaN, "the only word here is \"any\"");
  }
  return Bound;
}

void Reader::expectedFault(const Node &Root) {
  Node At = get(Root, "expect_error");
  if (!At)
    return;
  if (get(Root, "expect"))
    fail(At, "stands in place of \"expect\"");
  Result.ExpectedFault = parseFaultKind(string(At));
  if (Result.ExpectedFault)
    return;
  std::string Known;
#define HEDDLE_FAULT(Enumerator, Name, Meaning) Known += " " Name;
#include "heddle/Runtime/Faults.def"
  fail(At, "unknown kind; known are" + Known);
}

void Reader::expectedOutput(const Node &Root) {
  Node Text = get(Root, "expect_stdout"), Order = get(Root, "stdout_order");
  if (Text)
    Result.ExpectedOutput = string(Text);
  if (!Order)
    return;
  if (!Text)
    fail(Order, "goes with \"expect_stdout\"");
  std::string Word = string(Order);
  if (Word == "any")
    Result.Order = OutputOrder::Any;
  else if (Word != "exact")
    fail(Order, "expected \"exact\" or \"any\"");
}

//===----------------------------------------------------------------------===//
// The whole
//===----------------------------------------------------------------------===//

Expected<Manifest> Reader::read(const json::Value &Root) {
  Node Top{&Root, ""};
  std::vector<StringRef> Keys = {
      "module",    "modules",         "launches",      "buffers",
      "textures",  "surfaces",        "samplers",      "symbols",
      "expect",    "expect_error",    "expect_stdout", "stdout_order",
      "endpoints", "max_instructions"};
  append_range(Keys, LaunchKeys);
  if (checkObject(Top, Keys)) {
    modules(Top);
    buffers(Top);
    textures(Top);
    launches(Top);
    endpoints(Top);
    symbols(Top);
    expectations(Top);
    expectedFault(Top);
    expectedOutput(Top);
    if (Node Max = get(Top, "max_instructions"))
      Result.MaxInstructions = natural(Max);
  }
  if (!Fault.empty())
    return createStringError(Fault);
  return std::move(Result);
}

/// Turns "[LINE:COLUMN, byte=N]: message" into "FILE:LINE:COLUMN: message".
static Error syntaxError(StringRef File, Error E) {
  std::string Text = toString(std::move(E));
  StringRef Rest = Text, Place, Message;
  if (Rest.consume_front("[")) {
    std::tie(Place, Message) = Rest.split("]: ");
    Place = Place.split(',').first;
    return createStringError(File + ":" + Place + ": " + Message);
  }
  return createStringError(File + ": " + Text);
}

Expected<Manifest> parseManifest(StringRef Text, StringRef File) {
  Expected<json::Value> Root = parseJSON(Text);
  if (!Root)
    return syntaxError(File, Root.takeError());
  return Reader(File).read(*Root);
}

Expected<Manifest> readManifest(StringRef Path) {
  auto Buffer = MemoryBuffer::getFile(Path, /*IsText=*/true,
                                      /*RequiresNullTerminator=*/false);
  if (!Buffer)
    return createStringError(Path + ": " + Buffer.getError().message());
  return parseManifest((*Buffer)->getBuffer(), Path);
}

} // namespace heddle::rt

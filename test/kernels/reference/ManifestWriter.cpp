//===- ManifestWriter.cpp - Writes a kernel's launch manifest ---*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The JSON is put together as text: the form is small and fixed.
//
//===----------------------------------------------------------------------===//

#include "ManifestWriter.h"
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>

namespace fs = std::filesystem;

namespace reference {

static std::string triple(const Dim &D) {
  return "[" + std::to_string(D[0]) + ", " + std::to_string(D[1]) + ", " +
         std::to_string(D[2]) + "]";
}

static std::string hex(uint64_t Bits, unsigned Bytes) {
  char Buffer[24];
  std::snprintf(Buffer, sizeof Buffer, "\"0x%0*llx\"", int(2 * Bytes),
                static_cast<unsigned long long>(Bits));
  return Buffer;
}

static std::string quote(const std::string &Text) {
  std::string Result = "\"";
  for (char C : Text) {
    if (C == '"' || C == '\\')
      Result += '\\';
    if (C == '\n')
      Result += "\\n";
    else
      Result += C;
  }
  return Result + "\"";
}

/// \p Items as the elements of a JSON array, one on a line.
static std::string lines(const std::vector<std::string> &Items,
                         const std::string &Indent) {
  std::string Result;
  for (const std::string &Item : Items)
    Result += (Result.empty() ? "" : ",\n") + Indent + Item;
  return Result;
}

ManifestWriter::ManifestWriter(const fs::path &Root, const std::string &Name)
    : Folder(Root / Name), Kernel(Name) {
  std::error_code EC;
  fs::create_directories(Folder, EC);
  Failed = bool(EC);
}

void ManifestWriter::launch(const std::string &Entry, Dim Grid, Dim Block,
                            unsigned SharedBytes) {
  std::string Head = "\"entry\": \"" + Entry + "\", \"grid\": " + triple(Grid) +
                     ", \"block\": " + triple(Block);
  if (SharedBytes)
    Head += ", \"shared_bytes\": " + std::to_string(SharedBytes);
  Launches.push_back({Head, {}});
}

void ManifestWriter::argument(const std::string &JSON) {
  Launches.back().Args.push_back(JSON);
}

template <typename T> void ManifestWriter::scalar(T Value) {
  std::string Text;
  if constexpr (std::is_integral_v<T>) {
    Text = std::to_string(Value);
  } else {
    uint64_t Bits = 0;
    std::memcpy(&Bits, &Value, sizeof(T));
    Text = hex(Bits, sizeof(T));
  }
  argument(std::string("{\"type\": \"") + TypeName<T>::Value +
           "\", \"value\": " + Text + "}");
}

template void ManifestWriter::scalar(uint32_t);
template void ManifestWriter::scalar(int32_t);
template void ManifestWriter::scalar(_Float16);
template void ManifestWriter::scalar(float);
template void ManifestWriter::scalar(double);

static std::string data(const char *Type, size_t Count,
                        const std::string &Init) {
  std::string Text = std::string("\"type\": \"") + Type +
                     "\", \"count\": " + std::to_string(Count);
  return Init.empty() ? Text : Text + ", \"init\": " + Init;
}

void ManifestWriter::addBuffer(const std::string &Name, const char *Type,
                               size_t Count, const std::string &Init) {
  argument("{\"buffer\": \"" + Name + "\", " + data(Type, Count, Init) + "}");
}

void ManifestWriter::again(const std::string &Name, size_t Offset) {
  std::string Text = "{\"buffer\": \"" + Name + "\"";
  if (Offset)
    Text += ", \"offset\": " + std::to_string(Offset);
  argument(Text + "}");
}

void ManifestWriter::addSymbol(const std::string &Name, const char *Type,
                               size_t Count, const std::string &Init) {
  Symbols.push_back("{\"symbol\": \"" + Name + "\", " +
                    data(Type, Count, Init) + "}");
}

void ManifestWriter::addExpectation(const std::string &What,
                                    const std::string &File,
                                    const std::string &Tolerance) {
  Expectations.push_back("{" + What + ", \"file\": \"" + File + "\"" +
                         (Tolerance.empty() ? "" : ", " + Tolerance) + "}");
}

/// Writes a data file of the kernel and returns its name. A buffer may have one
/// file of initial and one of expected data.
std::string ManifestWriter::writeBytes(const std::string &Name,
                                       const void *Data, size_t Size) {
  std::string File = Kernel + "." + Name + ".bin";
  if (std::find(DataFiles.begin(), DataFiles.end(), File) != DataFiles.end())
    File = Kernel + "." + Name + ".expected.bin";
  DataFiles.push_back(File);
  std::ofstream Stream(Folder / File, std::ios::binary);
  Stream.write(static_cast<const char *>(Data), std::streamsize(Size));
  Failed |= !Stream.good();
  return File;
}

std::string ManifestWriter::text() const {
  std::vector<std::string> LaunchTexts;
  for (const Launch &L : Launches)
    LaunchTexts.push_back("{" + L.Head + ",\n     \"args\": [\n" +
                          lines(L.Args, "       ") + "]}");
  std::string Text = "{ \"module\": \"" + Kernel + ".nvcc.sm_90.ptx\",\n" +
                     "  \"launches\": [\n" + lines(LaunchTexts, "    ") + "]";
  if (!Symbols.empty())
    Text += ",\n  \"symbols\": [\n" + lines(Symbols, "    ") + "]";
  Text += ",\n  \"expect\": [\n" + lines(Expectations, "    ") + "]";
  if (!Output.empty())
    Text += ",\n  \"expect_stdout\": " + quote(Output) +
            ",\n  \"stdout_order\": \"any\"";
  return Text + " }\n";
}

bool ManifestWriter::write() {
  std::ofstream Stream(Folder / (Kernel + ".json"), std::ios::binary);
  Stream << text();
  Failed |= !Stream.good();
  return !Failed;
}

} // namespace reference

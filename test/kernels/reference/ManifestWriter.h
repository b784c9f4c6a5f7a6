//===- ManifestWriter.h - Writes a kernel's launch manifest -----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builds the JSON text of one kernel's manifest and the binary files that it
// refers to. Uses nothing but the standard library.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TEST_KERNELS_MANIFESTWRITER_H
#define HEDDLE_TEST_KERNELS_MANIFESTWRITER_H

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace reference {

template <typename T> struct TypeName;
template <> struct TypeName<uint8_t> {
  static constexpr auto Value = "u8";
};
template <> struct TypeName<uint16_t> {
  static constexpr auto Value = "u16";
};
template <> struct TypeName<uint32_t> {
  static constexpr auto Value = "u32";
};
template <> struct TypeName<uint64_t> {
  static constexpr auto Value = "u64";
};
template <> struct TypeName<int32_t> {
  static constexpr auto Value = "s32";
};
template <> struct TypeName<_Float16> {
  static constexpr auto Value = "f16";
};
template <> struct TypeName<float> {
  static constexpr auto Value = "f32";
};
template <> struct TypeName<double> {
  static constexpr auto Value = "f64";
};

using Dim = std::array<unsigned, 3>;

class ManifestWriter {
public:
  /// For the kernel folder \p Name in \p Root.
  ManifestWriter(const std::filesystem::path &Root, const std::string &Name);

  /// Starts a launch; the argument functions below add to it.
  void launch(const std::string &Entry, Dim Grid, Dim Block,
              unsigned SharedBytes = 0);

  /// A scalar argument. Floats are written as their bits, so that nothing is
  /// lost on the way.
  template <typename T> void scalar(T Value);
  /// A new buffer with initial data that the manifest describes.
  template <typename T>
  void buffer(const std::string &Name, size_t Count, const std::string &Init) {
    addBuffer(Name, TypeName<T>::Value, Count, Init);
  }
  /// A new buffer with the data of \p Values, which go into a file.
  template <typename T>
  void buffer(const std::string &Name, const std::vector<T> &Values) {
    addBuffer(Name, TypeName<T>::Value, Values.size(),
              "{\"file\": \"" + writeData(Name, Values) + "\"}");
  }
  /// A new buffer that the kernel writes before it reads it.
  template <typename T> void output(const std::string &Name, size_t Count) {
    addBuffer(Name, TypeName<T>::Value, Count, "");
  }
  /// A buffer of this or an earlier launch again, \p Offset bytes into it.
  void again(const std::string &Name, size_t Offset = 0);

  /// Sets a module-level variable before the first launch.
  template <typename T>
  void symbol(const std::string &Name, size_t Count, const std::string &Init) {
    addSymbol(Name, TypeName<T>::Value, Count, Init);
  }

  /// What \p Name must hold. \p Tolerance is empty for a comparison bit by bit,
  /// or JSON such as `"rtol": 1e-6`.
  template <typename T>
  void expect(const std::string &Name, const std::vector<T> &Values,
              const std::string &Tolerance = "") {
    addExpectation("\"buffer\": \"" + Name + "\"", writeData(Name, Values),
                   Tolerance);
  }
  template <typename T>
  void expectSymbol(const std::string &Name, const std::vector<T> &Values) {
    addExpectation("\"symbol\": \"" + Name + "\", \"type\": \"" +
                       TypeName<T>::Value +
                       "\", \"count\": " + std::to_string(Values.size()),
                   writeData(Name, Values), "");
  }
  /// What the kernels must print; lines may come in any order.
  void expectOutput(const std::string &Text) { Output = Text; }

  /// Writes the manifest. Returns false if it or a data file could not be
  /// written.
  bool write();

private:
  void argument(const std::string &JSON);
  void addBuffer(const std::string &Name, const char *Type, size_t Count,
                 const std::string &Init);
  void addSymbol(const std::string &Name, const char *Type, size_t Count,
                 const std::string &Init);
  void addExpectation(const std::string &What, const std::string &File,
                      const std::string &Tolerance);
  template <typename T>
  std::string writeData(const std::string &Name, const std::vector<T> &Values) {
    return writeBytes(Name, Values.data(), Values.size() * sizeof(T));
  }
  std::string writeBytes(const std::string &Name, const void *Data,
                         size_t Size);
  std::string text() const;

  struct Launch {
    std::string Head;
    std::vector<std::string> Args;
  };

  std::filesystem::path Folder;
  std::string Kernel;
  std::vector<Launch> Launches;
  std::vector<std::string> Symbols;
  std::vector<std::string> Expectations;
  std::string Output;
  std::vector<std::string> DataFiles;
  bool Failed = false;
};

} // namespace reference

#endif // HEDDLE_TEST_KERNELS_MANIFESTWRITER_H

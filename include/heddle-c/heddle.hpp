//===- heddle.hpp - The C API for C++ ---------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Owners for the handles of the C API, and errors as exceptions. Everything is
// inline: the library itself shows C only, so that any compiler can use it.
//
//   heddle::api::Compiler Compiler;
//   heddle::api::CodeObject Code = Compiler.compile(PTX);
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_C_HEDDLE_HPP
#define HEDDLE_C_HEDDLE_HPP

#include "heddle-c/heddle.h"

#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::api {

/// What a call that failed throws. what() holds the diagnostics as a terminal
/// shows them, or else the message.
class Error : public std::runtime_error {
public:
  explicit Error(HeddleError E)
      : std::runtime_error(textOf(E)), Code(heddleErrorGetCode(E)) {}
  HeddleErrorCode code() const { return Code; }

private:
  static std::string textOf(HeddleError E) {
    std::string Text;
    HeddleDiagnostic D = {};
    D.StructSize = sizeof(D);
    for (size_t I = 0; heddleErrorGetDiagnostic(E, I, &D); ++I)
      Text += D.Rendered;
    return Text.empty() ? heddleErrorGetMessage(E) : Text;
  }
  HeddleErrorCode Code;
};

/// Throws if E is an error, and frees it.
inline void check(HeddleError E) {
  if (!E)
    return;
  Error Thrown(E);
  heddleErrorDestroy(E);
  throw Thrown;
}

template <auto Destroy> struct Destroyer {
  template <typename T> void operator()(T *Handle) const { Destroy(Handle); }
};
template <typename Handle, auto Destroy>
using Owner =
    std::unique_ptr<std::remove_pointer_t<Handle>, Destroyer<Destroy>>;

/// Machine code with what is known of it.
class CodeObject {
public:
  explicit CodeObject(HeddleCodeObject Handle) : Code(Handle) {}

  HeddleCodeObject get() const { return Code.get(); }
  std::string_view bytes() const {
    return {static_cast<const char *>(heddleCodeObjectGetData(get())),
            heddleCodeObjectGetSize(get())};
  }
  std::string_view origin() const { return heddleCodeObjectGetOrigin(get()); }
  std::vector<HeddleKernelInfo> kernels() const {
    std::vector<HeddleKernelInfo> Result;
    HeddleKernelInfo Info = {};
    Info.StructSize = sizeof(Info);
    for (size_t I = 0; heddleCodeObjectGetKernel(get(), I, &Info); ++I)
      Result.push_back(Info);
    return Result;
  }

private:
  Owner<HeddleCodeObject, heddleCodeObjectDestroy> Code;
};

class Compiler {
public:
  explicit Compiler(const HeddleCompilerConfig *Config = nullptr) {
    HeddleCompiler Handle = nullptr;
    check(heddleCompilerCreate(Config, &Handle));
    Owned.reset(Handle);
  }

  HeddleCompiler get() const { return Owned.get(); }

  /// Compiles PTX, or a fat binary, with options in ptxas's spelling.
  CodeObject compile(std::string_view PTX,
                     std::initializer_list<const char *> Options = {},
                     const char *Name = nullptr) const {
    HeddleInput Input = {sizeof(Input), PTX.data(), PTX.size(), Name};
    HeddleCompileOptions O;
    heddleCompileOptionsInit(&O);
    O.Options = Options.begin();
    O.NumOptions = Options.size();
    HeddleCodeObject Code = nullptr;
    check(heddleCompile(get(), &Input, &O, &Code));
    return CodeObject(Code);
  }

private:
  Owner<HeddleCompiler, heddleCompilerDestroy> Owned;
};

/// Several inputs that become one code object.
class Linker {
public:
  explicit Linker(const Compiler &C,
                  std::initializer_list<const char *> Options = {}) {
    HeddleCompileOptions O;
    heddleCompileOptionsInit(&O);
    O.Options = Options.begin();
    O.NumOptions = Options.size();
    HeddleLinker Handle = nullptr;
    check(heddleLinkerCreate(C.get(), &O, &Handle));
    Owned.reset(Handle);
  }

  HeddleLinker get() const { return Owned.get(); }
  void add(std::string_view Bytes, const char *Name = nullptr) const {
    HeddleInput Input = {sizeof(Input), Bytes.data(), Bytes.size(), Name};
    check(heddleLinkerAdd(get(), &Input));
  }
  CodeObject complete() const {
    HeddleCodeObject Code = nullptr;
    check(heddleLinkerComplete(get(), &Code));
    return CodeObject(Code);
  }

private:
  Owner<HeddleLinker, heddleLinkerDestroy> Owned;
};

class Context {
public:
  explicit Context(const HeddleContextConfig *Config = nullptr) {
    HeddleContext Handle = nullptr;
    check(heddleContextCreate(Config, &Handle));
    Owned.reset(Handle);
  }

  HeddleContext get() const { return Owned.get(); }
  void synchronize() const { check(heddleContextSynchronize(get())); }

private:
  Owner<HeddleContext, heddleContextDestroy> Owned;
};

/// Device memory for Count elements; its context has to outlive it.
template <typename T> class Buffer {
public:
  Buffer(const Context &Device, size_t Elements)
      : C(Device.get()), Count(Elements) {
    check(heddleAllocate(C, Count * sizeof(T), &Address));
  }
  Buffer(const Context &Device, const std::vector<T> &Values)
      : Buffer(Device, Values.size()) {
    check(heddleCopyToDevice(C, nullptr, Address, Values.data(),
                             Count * sizeof(T)));
    check(heddleStreamSynchronize(C, nullptr));
  }
  ~Buffer() { heddleErrorDestroy(heddleFree(C, Address)); }
  Buffer(const Buffer &) = delete;
  Buffer &operator=(const Buffer &) = delete;

  const HeddleAddress &address() const { return Address; }
  /// Waits for the default stream.
  std::vector<T> read() const {
    std::vector<T> Values(Count);
    check(heddleCopyFromDevice(C, nullptr, Values.data(), Address,
                               Count * sizeof(T)));
    check(heddleStreamSynchronize(C, nullptr));
    return Values;
  }

private:
  HeddleContext C;
  size_t Count;
  HeddleAddress Address = 0;
};

class Module {
public:
  Module(const Context &Device, const CodeObject &Code) : C(Device.get()) {
    HeddleModule Handle = nullptr;
    check(
        heddleModuleLoad(C, Code.bytes().data(), Code.bytes().size(), &Handle));
    Owned.reset(Handle);
  }

  HeddleModule get() const { return Owned.get(); }

  /// Enqueues a kernel in the default stream. Each argument is passed as the
  /// bytes that it consists of.
  template <typename... Ts>
  void launch(const char *Kernel, uint32_t Grid, uint32_t Block,
              const Ts &...Arguments) const {
    HeddleLaunch L;
    heddleLaunchInit(&L);
    L.Module = get();
    check(heddleModuleGetKernel(get(), Kernel, &L.Kernel));
    L.Grid[0] = Grid;
    L.Block[0] = Block;
    const void *Addresses[] = {&Arguments..., nullptr};
    L.Arguments = Addresses;
    L.NumArguments = sizeof...(Arguments);
    check(heddleLaunch(C, nullptr, &L));
  }

private:
  HeddleContext C;
  Owner<HeddleModule, heddleModuleDestroy> Owned;
};

} // namespace heddle::api

#endif // HEDDLE_C_HEDDLE_HPP

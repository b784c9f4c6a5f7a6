//===- DriverContext.cpp - A device of a driver library ---------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions are found by the names of DriverAPI.def.
//
//===----------------------------------------------------------------------===//

#include "DriverContext.h"
#include "llvm/Support/DynamicLibrary.h"

#include <type_traits>

using namespace llvm;

namespace heddle::timing {

Error DriverAPI::check(int Result, StringRef What) const {
  if (Result == 0)
    return Error::success();
  const char *Words = nullptr;
  if (getErrorName(Result, &Words) != 0 || !Words)
    Words = "unknown error";
  return createStringError(What + ": " + Words + " (" + Twine(Result) + ")");
}

Expected<DriverAPI> loadDriver(const std::string &Path) {
  std::string Message;
  sys::DynamicLibrary Library =
      sys::DynamicLibrary::getPermanentLibrary(Path.c_str(), &Message);
  if (!Library.isValid())
    return createStringError(Message);
  DriverAPI API;
  const char *Missing = nullptr;
  auto Load = [&](auto &Function, const char *Symbol) {
    Function = reinterpret_cast<std::remove_reference_t<decltype(Function)>>(
        Library.getAddressOfSymbol(Symbol));
    if (!Function && !Missing)
      Missing = Symbol;
  };
#define HEDDLE_DRIVER(Name, Symbol, Parameters) Load(API.Name, Symbol);
#include "DriverAPI.def"
  if (Missing)
    return createStringError(Twine(Path) + " has no function " + Missing);
  return API;
}

Error DriverContext::open() {
  char Buffer[256] = {};
  void *Context = nullptr;
  if (Error E = API.check(API.init(0), "cuInit"))
    return E;
  if (Error E = API.check(API.deviceGet(&Ordinal, 0), "cuDeviceGet"))
    return E;
  if (Error E = API.check(API.deviceGetName(Buffer, sizeof(Buffer), Ordinal),
                          "cuDeviceGetName"))
    return E;
  Name = Buffer;
  if (Error E = API.check(API.retainContext(&Context, Ordinal),
                          "cuDevicePrimaryCtxRetain"))
    return E;
  IsRetained = true;
  if (Error E = API.check(API.setContext(Context), "cuCtxSetCurrent"))
    return E;
  for (void **Event : {&Start, &End})
    if (Error E = API.check(API.createEvent(Event, 0), "cuEventCreate"))
      return E;
  return Error::success();
}

DriverContext::~DriverContext() {
  for (void *Event : {Start, End})
    if (Event)
      API.destroyEvent(Event);
  if (IsRetained)
    API.releaseContext(Ordinal);
}

} // namespace heddle::timing

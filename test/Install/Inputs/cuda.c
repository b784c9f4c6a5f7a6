//===- cuda.c - Loads the libraries with NVIDIA's names -----------*- C -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As a program does that is linked with none of them.
//
//===----------------------------------------------------------------------===//

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static void *find(const char *Library, const char *Name) {
  void *Handle = dlopen(Library, RTLD_NOW | RTLD_LOCAL);
  void *Symbol = Handle ? dlsym(Handle, Name) : NULL;
  if (!Symbol) {
    printf("%s\n", dlerror());
    exit(1);
  }
  return Symbol;
}

static int askDriver(void) {
  char Name[64] = "";
  int Device;
  int (*Init)(unsigned), (*Get)(int *, int), (*GetName)(char *, int, int);
  *(void **)&Init = find("libcuda.so.1", "cuInit");
  *(void **)&Get = find("libcuda.so.1", "cuDeviceGet");
  *(void **)&GetName = find("libcuda.so.1", "cuDeviceGetName");
  if (Init(0) || Get(&Device, 0) || GetName(Name, sizeof(Name), Device))
    return 1;
  printf("libcuda.so.1: %s\n", Name);
  return 0;
}

static int askRuntime(const char *Library) {
  int Count = 0;
  int (*GetCount)(int *);
  *(void **)&GetCount = find(Library, "cudaGetDeviceCount");
  if (GetCount(&Count))
    return 1;
  printf("%s: %d device\n", Library, Count);
  return 0;
}

int main(void) {
  return askDriver() || askRuntime("libcudart.so.11.0") ||
         askRuntime("libcudart.so.12") || askRuntime("libcudart.so.13");
}

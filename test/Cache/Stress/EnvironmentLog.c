//===- EnvironmentLog.c - Tells what variables are read ---------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A library to preload: it appends the name of each environment variable that
// the program asks for to the file $ENVIRONMENT_LOG.
//
//===----------------------------------------------------------------------===//

#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void note(const char *Name) {
  char *(*Get)(const char *) =
      (char *(*)(const char *))dlsym(RTLD_NEXT, "getenv");
  const char *File = Get("ENVIRONMENT_LOG");
  int FD = File ? open(File, O_WRONLY | O_APPEND | O_CREAT, 0600) : -1;
  if (FD < 0)
    return;
  char Line[256];
  size_t Size = strnlen(Name, sizeof(Line) - 1);
  memcpy(Line, Name, Size);
  Line[Size] = '\n';
  if (write(FD, Line, Size + 1) < 0)
    abort();
  close(FD);
}

char *getenv(const char *Name) {
  note(Name);
  return ((char *(*)(const char *))dlsym(RTLD_NEXT, "getenv"))(Name);
}

char *secure_getenv(const char *Name) {
  note(Name);
  return ((char *(*)(const char *))dlsym(RTLD_NEXT, "secure_getenv"))(Name);
}

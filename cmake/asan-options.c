//===- asan-options.c - How AddressSanitizer runs in our programs -*- C -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's allocators mark what they have not handed out. The packaged LLVM was
// built without that and does not take marks away which our instances of the
// same functions make.
//
//===----------------------------------------------------------------------===//

const char *__asan_default_options(void);
const char *__asan_default_options(void) { return "allow_user_poisoning=0"; }

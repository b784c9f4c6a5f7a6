// Stands for NVRTC, and with -DNVVM for NVVM: a program has PTX and other
// forms, and what compiles prints the options that it gets. With -DMAIN it is a
// program that loads the library and prints what it gets for machine code and
// for LTO-IR; with -DLINKED it is linked with the library.

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#if !defined(MAIN)

static int print(int count, const char *const *options) {
  for (int i = 0; i < count; ++i)
    printf("%s%s", i ? " " : "", options[i]);
  puts("");
  return 7;
}

#ifdef NVVM

int nvvmCompileProgram(void *program, int count, const char *const *options) {
  return print(count, options);
}
int nvvmGetCompiledResult(void *program, char *to) {
  strcpy(to, "compiled");
  return 0;
}

#else

int nvrtcCompileProgram(void *program, int count, const char *const *options) {
  return print(count, options);
}
int nvrtcGetPTXSize(void *program, size_t *size) {
  *size = strlen((char *)program) + sizeof("PTX of ");
  return 0;
}
int nvrtcGetPTX(void *program, char *to) {
  strcpy(to, "PTX of ");
  strcat(to, (char *)program);
  return 0;
}
int nvrtcGetCUBINSize(void *program, size_t *size) {
  printf("size of %s\n", (char *)program);
  *size = 6;
  return 5;
}
int nvrtcGetCUBIN(void *program, char *to) {
  printf("code of %s\n", (char *)program);
  strcpy(to, "CUBIN");
  return 5;
}
#ifndef OLD
int nvrtcGetLTOIRSize(void *program, size_t *size) {
  printf("LTO size of %s\n", (char *)program);
  *size = 4;
  return 5;
}
int nvrtcGetLTOIR(void *program, char *to) {
  printf("LTO of %s\n", (char *)program);
  strcpy(to, "LTO");
  return 5;
}
#endif
#endif

#else

#include <dlfcn.h>

typedef int Compile(void *, int, const char *const *);
typedef int Size(void *, size_t *);
typedef int Get(void *, char *);

#ifdef LINKED
Compile nvrtcCompileProgram;
#endif

static void get(void *library, const char *sizeName, const char *getName) {
  Size *size = (Size *)dlsym(library, sizeName);
  Get *get = (Get *)dlsym(library, getName);
  if (!size || !get)
    return;
  size_t bytes = 0;
  char code[64] = "";
  int first = size("it", &bytes), second = get("it", code);
  printf("%d %zu %d '%s'\n", first, bytes, second, code);
}

int main(int argc, char **argv) {
  void *library = dlopen(argv[1], RTLD_NOW);
  if (!library || argc != 3)
    return 2;
  Compile *compile = (Compile *)dlsym(library, argv[2]);
#ifdef LINKED
  compile = nvrtcCompileProgram;
#endif
  const char *const plain[] = {"-arch=sm_90", "-G"};
  const char *const link[] = {"-arch=sm_90", "-dlto", "-G"};
  const char *const said[] = {"-rdc=true", "--dlink-time-opt"};
  const char *const other[] = {"-gen-lto", "-opt=3"};
  int code = compile("it", 2, plain) + compile("it", 3, link) +
             compile("it", 2, said) + compile("it", 2, other) +
             compile("it", 0, NULL);
  printf("%d\n", code);
  get(library, "nvrtcGetCUBINSize", "nvrtcGetCUBIN");
  get(library, "nvrtcGetLTOIRSize", "nvrtcGetLTOIR");
  return 0;
}

#endif

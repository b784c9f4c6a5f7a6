// Stands for NVRTC: a program has PTX and machine code. With -DMAIN it is a
// program that loads the library and prints what it gets for machine code.

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#ifndef MAIN

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

#else

#include <dlfcn.h>

int main(int argc, char **argv) {
  void *library = dlopen(argv[1], RTLD_NOW);
  if (!library || argc != 2)
    return 2;
  int (*size)(void *, size_t *) = dlsym(library, "nvrtcGetCUBINSize");
  int (*get)(void *, char *) = dlsym(library, "nvrtcGetCUBIN");
  size_t bytes = 0;
  char code[64] = "";
  int first = size("it", &bytes), second = get("it", code);
  printf("%d %zu %d '%s'\n", first, bytes, second, code);
  return 0;
}

#endif

// Stands for NVIDIA's libnvJitLink, of a version that is newer than any: tells what it is asked for, and gives PTX of
// `answer` for its LTO-IR, which is the word and a name.
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const char PTX[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                          ".visible .func (.param .b32 r) answer(.param .b32 x) {\n"
                          "  .reg .b32 %v;\n  ld.param.u32 %v, [x];\n  mad.lo.u32 %v, %v, 2, 2;\n"
                          "  st.param.b32 [r], %v;\n  ret;\n}\n";
static int Inputs, IsBad;

int nvJitLinkVersion(unsigned *Major, unsigned *Minor) {
  *Major = 99;
  *Minor = 9;
  return 0;
}

int nvJitLinkCreate(void **Handle, uint32_t Count, const char **Options) {
  printf("link:");
  for (uint32_t I = 0; I < Count; ++I)
    printf(" %s", Options[I]);
  printf("\n");
  fflush(stdout);
  *Handle = &Inputs;
  return 0;
}

int nvJitLinkDestroy(void **Handle) {
  *Handle = NULL;
  return 0;
}

int nvJitLinkAddData(void *Handle, int Type, const void *Data, size_t Size, const char *Name) {
  (void)Handle;
  if (Size < 10)
    return 3;
  IsBad |= memcmp((const char *)Data + 4, "broken", 6) == 0;
  printf("input %d of type %d: %s\n", ++Inputs, Type, Name);
  fflush(stdout);
  return 0;
}

int nvJitLinkComplete(void *Handle) {
  (void)Handle;
  return IsBad ? 5 : 0;
}

int nvJitLinkGetLinkedPtxSize(void *Handle, size_t *Size) {
  (void)Handle;
  *Size = sizeof(PTX);
  return 0;
}

int nvJitLinkGetLinkedPtx(void *Handle, char *To) {
  (void)Handle;
  memcpy(To, PTX, sizeof(PTX));
  return 0;
}

static const char Log[] = "error: it is broken";

int nvJitLinkGetErrorLogSize(void *Handle, size_t *Size) {
  (void)Handle;
  *Size = sizeof(Log);
  return 0;
}

int nvJitLinkGetErrorLog(void *Handle, char *To) {
  (void)Handle;
  memcpy(To, Log, sizeof(Log));
  return 0;
}

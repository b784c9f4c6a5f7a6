// Does what the headers of NVTX 3 do in a program: loads the library that
// NVTX_INJECTION64_PATH names, lets it fill slots, and calls what is in them.

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef void (*Function)(void);

static Function MarkA, RangePushA, RangePop;
// Of module 1, by number. Functions that the program does not use have a slot
// that is not looked at; a header that is older has fewer.
static Function Unused, *Core[12] = {0, &Unused, &MarkA, &Unused, 0, 0, 0, 0, &Unused, &RangePushA, &Unused, &RangePop};

static int getModuleFunctionTable(int Module, Function ***Slots, unsigned *Count) {
  if (Module != 1)
    return 0;
  *Slots = Core;
  *Count = sizeof(Core) / sizeof(*Core);
  return 1;
}

static struct {
  size_t Size;
  int (*GetModuleFunctionTable)(int, Function ***, unsigned *);
} Callbacks = {sizeof(Callbacks), getModuleFunctionTable};

static const void *getExportTable(uint32_t Id) { return Id == 1 ? &Callbacks : NULL; }

int main() {
  const char *Path = getenv("NVTX_INJECTION64_PATH");
  void *Library = Path ? dlopen(Path, RTLD_LAZY) : NULL;
  int (*Initialize)(const void *(*)(uint32_t)) = NULL;
  if (Library)
    Initialize = (int (*)(const void *(*)(uint32_t)))dlsym(Library, "InitializeInjectionNvtx2");
  if (!Initialize) {
    printf("nothing is injected\n");
    return 0;
  }
  printf("initialized: %d\n", Initialize(getExportTable));
  printf("depth: %d\n", ((int (*)(const char *))RangePushA)("slot"));
  ((void (*)(const char *))MarkA)("in a slot");
  printf("depth: %d\n", ((int (*)(void))RangePop)());
  return 0;
}

// A program that brings along a heap of its own, as compilers do, which is
// ready when main begins and not before: a library that allocates earlier ends
// it.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *Heap, *Next;
static const size_t Size = 64 << 20;

static void *allocate(size_t Bytes, size_t Align) {
  if (!Next) {
    static const char Text[] = "allocated before main\n";
    if (write(2, Text, sizeof(Text) - 1))
      _exit(1);
  }
  Next += -(size_t)Next & (Align - 1);
  *(size_t *)Next = Bytes;
  char *Block = Next + Align;
  Next = Block + Bytes;
  return Next < Heap + Size ? Block : NULL;
}

void *malloc(size_t Bytes) { return allocate(Bytes, 16); }
void *calloc(size_t Count, size_t Bytes) { return malloc(Count * Bytes); }
void *realloc(void *Old, size_t Bytes) {
  void *New = malloc(Bytes);
  if (Old && New) {
    size_t Had = *(size_t *)((char *)Old - 16);
    memcpy(New, Old, Had < Bytes ? Had : Bytes);
  }
  return New;
}
void free(void *Block) { (void)Block; }

static char Memory[64 << 20] __attribute__((aligned(64)));

int main(void) {
  Heap = Next = Memory;
  char *Text = malloc(100);
  strcpy(Text, "ran");
  puts(Text);
  return 0;
}

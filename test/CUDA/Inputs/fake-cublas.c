// Stands for cuBLAS, and with -DLT for cuBLASLt: tells with which arithmetic it is called, and that the other parameters
// are what they were. With -DMAIN it is a program that calls one of them for some types, found by name or, with
// -DLINKED, linked with cuBLAS.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SINGLE = 68, DOUBLE = 70, FLOAT32 = 0, FLOAT64 = 1, HALF = 2, INT8 = 3, BFLOAT = 14 };

#ifndef MAIN

#ifdef LT

typedef struct {
  int Value;
} Description;

static int get(const Description *From, int Attribute, void *To, size_t Size, size_t *Written) {
  if (Attribute != 0 || Size != sizeof(int))
    return 7;
  memcpy(To, &From->Value, Size);
  *Written = Size;
  return 0;
}
int cublasLtMatrixLayoutGetAttribute(Description *Layout, int Attribute, void *To, size_t Size, size_t *Written) {
  return get(Layout, Attribute, To, Size, Written);
}
int cublasLtMatmulDescGetAttribute(Description *Product, int Attribute, void *To, size_t Size, size_t *Written) {
  return get(Product, Attribute, To, Size, Written);
}
int cublasLtMatmulDescSetAttribute(Description *Product, int Attribute, const void *From, size_t Size) {
  memcpy(&Product->Value, From, Size);
  return Attribute;
}
int cublasLtMatmulAlgoGetHeuristic(void *Handle, Description *Product, Description *A, Description *B, void *C, void *D,
                                   void *Preference, int Wanted, void *Results, int *Count) {
  printf("heuristic %d of %d and %d: %d\n", Wanted, A ? A->Value : -1, B->Value, Product->Value);
  *Count = Wanted;
  return Handle == C && D == Preference && Results == Handle ? 15 : 0;
}
int cublasLtMatmul(void *Handle, Description *Product, const void *Alpha, const void *A, Description *LayoutOfA,
                   const void *B, Description *LayoutOfB, const void *Beta, const void *C, void *LayoutOfC, void *D,
                   void *LayoutOfD, const void *Algorithm, void *Workspace, size_t Size, void *Stream) {
  printf("matmul of %d and %d: %d, %zu\n", LayoutOfA->Value, LayoutOfB->Value, Product->Value, Size);
  return Alpha == A && B == Beta && C == LayoutOfC && D == LayoutOfD && Algorithm == Workspace && !Stream && Handle;
}

#else

int cublasCreate_v2(void **Handle) {
  *Handle = 0;
  return 0;
}
int cublasGemmEx(void *Handle, int OfA, int OfB, int M, int N, int K, const void *Alpha, const void *A, int TypeOfA,
                 int StepOfA, const void *B, int TypeOfB, int StepOfB, const void *Beta, void *C, int TypeOfC,
                 int StepOfC, int Compute, int Algorithm) {
  printf("%d %d %d %d %d of %d and %d to %d: %d, %d %d %d %d\n", OfA, OfB, M, N, K, TypeOfA, TypeOfB, TypeOfC, Compute,
         StepOfA, StepOfB, StepOfC, Algorithm);
  return Handle || Alpha || A || B || Beta || C;
}
int cublasGemmStridedBatchedEx_64(void *Handle, int OfA, int OfB, long M, long N, long K, const void *Alpha,
                                  const void *A, int TypeOfA, long StepOfA, long long NextA, const void *B, int TypeOfB,
                                  long StepOfB, long long NextB, const void *Beta, void *C, int TypeOfC, long StepOfC,
                                  long long NextC, long Count, int Compute, int Algorithm) {
  printf("%d %d %ld %ld %ld of %d and %d to %d: %d, %ld %lld %ld %lld %ld %lld %ld %d\n", OfA, OfB, M, N, K, TypeOfA,
         TypeOfB, TypeOfC, Compute, StepOfA, NextA, StepOfB, NextB, StepOfC, NextC, Count, Algorithm);
  return Handle || Alpha || A || B || Beta || C;
}

#endif

#elif defined(LINKED)

int cublasGemmEx(void *, int, int, int, int, int, const void *, const void *, int, int, const void *, int, int,
                 const void *, void *, int, int, int, int);

int main(void) { return cublasGemmEx(0, 0, 1, 2, 3, 4, 0, 0, HALF, 5, 0, HALF, 6, 0, 0, FLOAT32, 7, SINGLE, -1); }

#else

int main(int Count, char **Arguments) {
  void *Library = dlopen(Arguments[1], RTLD_NOW | RTLD_LOCAL);
  if (!Library) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  static const int Types[][3] = {
      {HALF, HALF, SINGLE}, {BFLOAT, BFLOAT, SINGLE}, {FLOAT32, FLOAT32, SINGLE}, {INT8, INT8, SINGLE},
      {HALF, HALF, 64},     {FLOAT64, FLOAT64, DOUBLE},
  };
  int (*Gemm)() = (int (*)())dlsym(Library, "cublasGemmEx");
  int Failed = 0;
  if (Gemm) {
    int (*Plain)(void *, int, int, int, int, int, const void *, const void *, int, int, const void *, int, int,
                 const void *, void *, int, int, int, int) = (void *)Gemm;
    for (size_t I = 0; I < sizeof(Types) / sizeof(*Types); ++I)
      Failed |= Plain(0, 0, 1, 2, 3, 4, 0, 0, Types[I][0], 5, 0, Types[I][1], 6, 0, 0, FLOAT32, 7, Types[I][2], -1);
    int (*Large)(void *, int, int, long, long, long, const void *, const void *, int, long, long long, const void *,
                 int, long, long long, const void *, void *, int, long, long long, long, int, int) =
        dlsym(Library, "cublasGemmStridedBatchedEx_64");
    return Failed | Large(0, 1, 0, 1L << 40, 3, 4, 0, 0, HALF, 5, 50, 0, HALF, 6, 60, 0, 0, HALF, 7, 70, 8, SINGLE, -1);
  }
  int (*Heuristic)(void *, void *, void *, void *, void *, void *, void *, int, void *, int *) =
      dlsym(Library, "cublasLtMatmulAlgoGetHeuristic");
  int (*Matmul)(void *, void *, const void *, const void *, void *, const void *, void *, const void *, const void *,
                void *, void *, void *, const void *, void *, size_t, void *) = dlsym(Library, "cublasLtMatmul");
  int Found, Handle;
  for (size_t I = 0; I < sizeof(Types) / sizeof(*Types); ++I) {
    int A = Types[I][0], B = Types[I][1], First = Types[I][2], Second = First;
    Failed |= Heuristic(0, &First, &A, &B, &Handle, 0, &Found, 1, &Handle, &Found);
    Failed |= Matmul(0, &Second, &A, &A, &A, &B, &B, &B, 0, 0, &B, &B, &A, &A, 9, 0);
  }
  int Product = SINGLE, B = HALF;
  return Failed | Heuristic(0, &Product, 0, &B, &Handle, 0, &Found, Count, &Handle, &Found);
}

#endif

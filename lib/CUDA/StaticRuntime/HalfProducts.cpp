//===- HalfProducts.cpp - Half precision in NVIDIA's cuBLAS -----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions of ours stand for those that take a type of arithmetic, and call
// them with the pedantic one. cuBLASLt has the type in the description of a
// product, which is changed when the types of the matrices are known.
//
//===----------------------------------------------------------------------===//

#include "StaticRuntime/HalfProducts.h"
#include "StaticRuntime/LoadedObject.h"
#include "StaticRuntime/Rebind.h"

using namespace heddle::cuda;

namespace {

/// cublasComputeType_t.
enum Compute : int { Single = 68, SinglePedantic = 69 };
/// cudaDataType.
enum Type : int { Half = 2, BFloat = 14 };
/// CUBLASLT_MATMUL_DESC_COMPUTE_TYPE and CUBLASLT_MATRIX_LAYOUT_TYPE.
constexpr int ComputeAttribute = 0, TypeAttribute = 0;

/// So many of these libraries can be in a process, of several versions of CUDA.
constexpr unsigned MostLibraries = 8;

/// cuBLAS's functions are there for sizes of 32 bits and of 64.
enum Function : unsigned {
  GemmEx,
  GemmEx64,
  Strided,
  Strided64,
  Batched,
  Batched64,
  Heuristic,
  Matmul,
  NumFunctions
};

struct Library {
  void *Originals[NumFunctions];
  // Of cuBLASLt's descriptions.
  int (*GetLayout)(void *, int, void *, unsigned long, unsigned long *);
  int (*GetProduct)(void *, int, void *, unsigned long, unsigned long *);
  int (*SetProduct)(void *, int, const void *, unsigned long);
};

} // namespace

static Library Libraries[MostLibraries];
static unsigned Known;

static constexpr const char *Names[NumFunctions] = {
    "cublasGemmEx",
    "cublasGemmEx_64",
    "cublasGemmStridedBatchedEx",
    "cublasGemmStridedBatchedEx_64",
    "cublasGemmBatchedEx",
    "cublasGemmBatchedEx_64",
    "cublasLtMatmulAlgoGetHeuristic",
    "cublasLtMatmul",
};

//===----------------------------------------------------------------------===//
// What is called in the place of the library
//===----------------------------------------------------------------------===//

static bool isHalf(int Type) { return Type == Half || Type == BFloat; }

static int arithmetic(int Wanted, int TypeOfA, int TypeOfB) {
  return Wanted == Single && isHalf(TypeOfA) && isHalf(TypeOfB) ? SinglePedantic
                                                                : Wanted;
}

/// Calls the original with the same parameters.
template <typename... Parameters>
static int callOriginal(unsigned Number, Function Which, Parameters... Given) {
  return reinterpret_cast<int (*)(Parameters...)>(
      Libraries[Number].Originals[Which])(Given...);
}

template <unsigned L, typename Int, Function Which>
static int gemm(void *Handle, int OfA, int OfB, Int M, Int N, Int K,
                const void *Alpha, const void *A, int TypeOfA, Int StepOfA,
                const void *B, int TypeOfB, Int StepOfB, const void *Beta,
                void *C, int TypeOfC, Int StepOfC, int Compute, int Algorithm) {
  return callOriginal(L, Which, Handle, OfA, OfB, M, N, K, Alpha, A, TypeOfA,
                      StepOfA, B, TypeOfB, StepOfB, Beta, C, TypeOfC, StepOfC,
                      arithmetic(Compute, TypeOfA, TypeOfB), Algorithm);
}

template <unsigned L, typename Int, Function Which>
static int strided(void *Handle, int OfA, int OfB, Int M, Int N, Int K,
                   const void *Alpha, const void *A, int TypeOfA, Int StepOfA,
                   long long NextA, const void *B, int TypeOfB, Int StepOfB,
                   long long NextB, const void *Beta, void *C, int TypeOfC,
                   Int StepOfC, long long NextC, Int Count, int Compute,
                   int Algorithm) {
  return callOriginal(L, Which, Handle, OfA, OfB, M, N, K, Alpha, A, TypeOfA,
                      StepOfA, NextA, B, TypeOfB, StepOfB, NextB, Beta, C,
                      TypeOfC, StepOfC, NextC, Count,
                      arithmetic(Compute, TypeOfA, TypeOfB), Algorithm);
}

template <unsigned L, typename Int, Function Which>
static int batched(void *Handle, int OfA, int OfB, Int M, Int N, Int K,
                   const void *Alpha, const void *A, int TypeOfA, Int StepOfA,
                   const void *B, int TypeOfB, Int StepOfB, const void *Beta,
                   void *C, int TypeOfC, Int StepOfC, Int Count, int Compute,
                   int Algorithm) {
  return callOriginal(L, Which, Handle, OfA, OfB, M, N, K, Alpha, A, TypeOfA,
                      StepOfA, B, TypeOfB, StepOfB, Beta, C, TypeOfC, StepOfC,
                      Count, arithmetic(Compute, TypeOfA, TypeOfB), Algorithm);
}

/// A description that cannot be read is the library's to refuse.
static void chooseArithmetic(const Library &L, void *Product, void *A,
                             void *B) {
  int Wanted = 0, TypeOfA = 0, TypeOfB = 0;
  unsigned long Size;
  if (!Product || !A || !B ||
      L.GetProduct(Product, ComputeAttribute, &Wanted, sizeof(Wanted), &Size) ||
      L.GetLayout(A, TypeAttribute, &TypeOfA, sizeof(TypeOfA), &Size) ||
      L.GetLayout(B, TypeAttribute, &TypeOfB, sizeof(TypeOfB), &Size))
    return;
  int Chosen = arithmetic(Wanted, TypeOfA, TypeOfB);
  if (Chosen != Wanted)
    L.SetProduct(Product, ComputeAttribute, &Chosen, sizeof(Chosen));
}

template <unsigned L>
static int heuristic(void *Handle, void *Product, void *A, void *B, void *C,
                     void *D, void *Preference, int Wanted, void *Results,
                     int *Count) {
  chooseArithmetic(Libraries[L], Product, A, B);
  return callOriginal(L, Heuristic, Handle, Product, A, B, C, D, Preference,
                      Wanted, Results, Count);
}

template <unsigned L>
static int matmul(void *Handle, void *Product, const void *Alpha, const void *A,
                  void *LayoutOfA, const void *B, void *LayoutOfB,
                  const void *Beta, const void *C, void *LayoutOfC, void *D,
                  void *LayoutOfD, const void *Algorithm, void *Workspace,
                  unsigned long Size, void *Stream) {
  chooseArithmetic(Libraries[L], Product, LayoutOfA, LayoutOfB);
  return callOriginal(L, Matmul, Handle, Product, Alpha, A, LayoutOfA, B,
                      LayoutOfB, Beta, C, LayoutOfC, D, LayoutOfD, Algorithm,
                      Workspace, Size, Stream);
}

//===----------------------------------------------------------------------===//
// Redirection
//===----------------------------------------------------------------------===//

/// What stands for a function of library L.
template <unsigned L> static const void *replacementOf(unsigned Which) {
  switch (Which) {
  case GemmEx:
    return reinterpret_cast<const void *>(gemm<L, int, GemmEx>);
  case GemmEx64:
    return reinterpret_cast<const void *>(gemm<L, long, GemmEx64>);
  case Strided:
    return reinterpret_cast<const void *>(strided<L, int, Strided>);
  case Strided64:
    return reinterpret_cast<const void *>(strided<L, long, Strided64>);
  case Batched:
    return reinterpret_cast<const void *>(batched<L, int, Batched>);
  case Batched64:
    return reinterpret_cast<const void *>(batched<L, long, Batched64>);
  case Heuristic:
    return reinterpret_cast<const void *>(heuristic<L>);
  default:
    return reinterpret_cast<const void *>(matmul<L>);
  }
}

using Chooser = const void *(unsigned);
static Chooser *const Replacements[MostLibraries] = {
    replacementOf<0>, replacementOf<1>, replacementOf<2>, replacementOf<3>,
    replacementOf<4>, replacementOf<5>, replacementOf<6>, replacementOf<7>};

template <typename T>
static bool find(const LoadedObject &Object, const char *Name, T &Function) {
  Function = reinterpret_cast<T>(Object.find(Name));
  return Function != nullptr;
}

/// Whether the object is one of the two libraries, all of which is there.
static bool isKnown(const LoadedObject &Object, Library &L) {
  if (Object.find("cublasLtMatmul"))
    return find(Object, "cublasLtMatrixLayoutGetAttribute", L.GetLayout) &&
           find(Object, "cublasLtMatmulDescGetAttribute", L.GetProduct) &&
           find(Object, "cublasLtMatmulDescSetAttribute", L.SetProduct);
  return Object.find("cublasGemmEx") && Object.find("cublasCreate_v2");
}

bool heddle::cuda::computeHalvesByPTX(const link_map &Map) {
  LoadedObject Object(Map);
  if (Known == MostLibraries || !isKnown(Object, Libraries[Known]))
    return false;
  bool All = true;
  for (unsigned Which = 0; Which < NumFunctions; ++Which) {
    void *&Original = Libraries[Known].Originals[Which];
    Original = Object.find(Names[Which]);
    if (Original)
      All &= rebind(Map, Object, Names[Which], Replacements[Known](Which));
  }
  ++Known;
  return All;
}

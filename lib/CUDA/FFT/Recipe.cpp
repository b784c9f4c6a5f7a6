//===- Recipe.cpp - The steps of a transform --------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A transform in several dimensions is one in each of them after the other. In
// one dimension, lines that fit into shared memory take one step. Longer ones
// are seen as matrices of N1 rows and N2 columns: the columns are transformed,
// multiplied with roots of one, and then the rows. Lengths without passes
// become a convolution, which two transforms of a longer line compute.
//
//===----------------------------------------------------------------------===//

#include "FFT/Recipe.h"
#include "FFT/Lengths.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace llvm;
using namespace heddle::cuda;
using namespace heddle::cuda::fft;

namespace {

/// Other coordinates than that along the lines: the other dimensions, and which
/// transform of a batch.
constexpr unsigned NumOuter = NumCoordinates - 1;

/// One end of the transform of lines.
struct End {
  Region Where = Region::In;
  int64_t Stride = 1;
  int64_t Outer[NumOuter] = {};
  Kind Elements = Complex;
  Storage Numbers = Native;
  uint32_t Count = 0; ///< Elements of a line that there are.
  bool SwapsInverse = false, SwapsOutside = false, SwapsInside = false;
  FactorRule Factoring = NoFactor;
  uint32_t Factors = 0; ///< The number of a table.
};

/// Lines, of how many of each outer coordinate there are.
struct Lines {
  uint32_t Outer[NumOuter] = {1, 1, 1};

  uint64_t count() const { return uint64_t(Outer[0]) * Outer[1] * Outer[2]; }
};

class Planner {
public:
  Planner(const Request &Wanted, bool IsInPlace, Recipe &Made,
          std::vector<Table> &Tables)
      : Wanted(Wanted), IsInPlace(IsInPlace), Made(Made), Tables(Tables),
        Limit(longestLine(Wanted.IsDouble)) {}

  Result run();

private:
  uint32_t table(const Table &T);
  Place place(const End &E, uint32_t Scale, uint32_t Shift,
              uint32_t Length) const;
  Result addStep(uint32_t Length, uint32_t Parts, const Lines &L, Place In,
                 Place Out, Region From, Region To, bool OnlyCopies = false);
  End dense(Region Where, const Lines &L, uint32_t Length);
  bool mayOverwrite(const Lines &L, const End &In, const End &Out,
                    uint32_t Length) const;
  Result transform(uint32_t Length, const Lines &L, const End &In,
                   const End &Out);
  Result convolve(uint32_t Length, const Lines &L, const End &In,
                  const End &Out);
  Result addAxis(uint32_t Length, const Lines &L, End In, End Out);

  struct Strides {
    int64_t Axis[MaxRank];
    int64_t Batch;
  };
  Strides stridesOf(const Side &S) const;
  End endOf(Region Where, const Side &S, const Strides &St,
            unsigned Axis) const;
  Lines linesOf(unsigned Axis) const;
  Result runDimensions();

  const Request &Wanted;
  bool IsInPlace;
  Recipe &Made;
  std::vector<Table> &Tables;
  uint32_t Limit;
  /// The extents of what is complex: of a real transform's last dimension only
  /// one half.
  int64_t Extents[MaxRank] = {};
};

} // namespace

uint32_t fft::longestLine(bool IsDouble) { return IsDouble ? 4096 : 8192; }

//===----------------------------------------------------------------------===//
// A step
//===----------------------------------------------------------------------===//

uint32_t Planner::table(const Table &T) {
  auto Known = find(Tables, T);
  if (Known == Tables.end())
    Known = Tables.insert(Known, T);
  return Known - Tables.begin() + 1;
}

Place Planner::place(const End &E, uint32_t Scale, uint32_t Shift,
                     uint32_t Length) const {
  Place P = {};
  P.Stride = E.Stride;
  copy(E.Outer, P.Strides + 1);
  P.Factors = E.Factors;
  P.Factoring = E.Factoring;
  P.ElementKind = E.Elements;
  P.NumberStorage = E.Numbers;
  P.Scale = Scale;
  P.Shift = Shift;
  P.Count = E.Count;
  P.Length = Length;
  P.SwapsInverse = E.SwapsInverse;
  P.SwapsOutside = E.SwapsOutside;
  P.SwapsInside = E.SwapsInside;
  return P;
}

/// Whether neighbouring lines are closer in memory than neighbouring elements.
static bool areLinesCloser(const Step &S, const Place &P) {
  int64_t Element = int64_t(P.Scale) * P.Stride;
  if (S.Counts[0] > 1)
    return P.Shift < P.Scale;
  for (unsigned I = 1; I != NumCoordinates; ++I)
    if (S.Counts[I] > 1)
      return P.Strides[I] < Element;
  return false;
}

/// How lines and their elements are distributed over the threads of a block.
static void chooseBlock(PlannedStep &P, size_t ElementBytes, uint32_t Limit) {
  Step &S = P.Parameters;
  S.LogThreads =
      std::min(Log2_32_Ceil(divideCeil(S.Length, 4)), Log2_32(MaxThreads));
  S.LogLines = std::min({Log2_32(MaxThreads / 2) -
                             std::min(S.LogThreads, Log2_32(MaxThreads / 2)),
                         Log2_32_Ceil(S.Lines), Log2_32(Limit / S.Length)});
  P.Blocks = divideCeil(S.Lines, 1u << S.LogLines);
  P.Threads = 1u << (S.LogThreads + S.LogLines);
  P.SharedBytes = 2 * ElementBytes * (size_t(S.Length) << S.LogLines);
}

Result Planner::addStep(uint32_t Length, uint32_t Parts, const Lines &L,
                        Place In, Place Out, Region From, Region To,
                        bool OnlyCopies) {
  uint64_t Count = Parts * L.count();
  auto Radices = radicesOf(Length);
  if (!isInt<32>(Count) || !Radices)
    return InvalidSize;
  PlannedStep P = {};
  P.From = From;
  P.To = To;
  Step &S = P.Parameters;
  S.Counts[0] = Parts;
  copy(L.Outer, S.Counts + 1);
  S.Lines = Count;
  S.Length = Length;
  S.In = In;
  S.Out = Out;
  S.In.LinesFirst = areLinesCloser(S, In);
  S.Out.LinesFirst = areLinesCloser(S, Out);
  if (!OnlyCopies) {
    S.Roots = table({Table::Content::Roots, Length});
    S.NumPasses = Radices->size();
    uint32_t Done = 1;
    for (auto [I, Radix] : enumerate(*Radices)) {
      S.Radices[I] = Radix;
      S.Divisors[I] = Done == 1 ? 0 : divideCeil(uint64_t(1) << 32, Done);
      Done *= Radix;
    }
  }
  chooseBlock(P, 2 * Wanted.numberBytes(), Limit);
  Made.Steps.push_back(P);
  return Success;
}

//===----------------------------------------------------------------------===//
// One dimension
//===----------------------------------------------------------------------===//

/// Lines one behind the other in the work area, which gets room for them.
End Planner::dense(Region Where, const Lines &L, uint32_t Length) {
  End E;
  E.Where = Where;
  E.Count = Length;
  int64_t Next = Length;
  for (unsigned I = 0; I != NumOuter; ++I) {
    E.Outer[I] = Next;
    Next *= L.Outer[I];
  }
  uint64_t &Elements = Made.WorkElements[workIndex(Where)];
  Elements = std::max(Elements, uint64_t(Next));
  return E;
}

/// Whether a block's results may lie where another block reads, so that one
/// step cannot work in place.
bool Planner::mayOverwrite(const Lines &L, const End &In, const End &Out,
                           uint32_t Length) const {
  bool IsSame = In.Where == Out.Where ||
                (IsInPlace && !isWork(In.Where) && !isWork(Out.Where));
  if (!IsSame || L.count() == 1)
    return false;
  auto BytesOf = [&](const End &E) {
    return int64_t(Wanted.elementBytes({E.Elements, E.Numbers}));
  };
  int64_t InBytes = BytesOf(In), OutBytes = BytesOf(Out);
  int64_t Nearest = INT64_MAX;
  for (unsigned I = 0; I != NumOuter; ++I) {
    if (L.Outer[I] == 1)
      continue;
    if (In.Outer[I] * InBytes != Out.Outer[I] * OutBytes)
      return true;
    Nearest = std::min(Nearest, In.Outer[I] * InBytes);
  }
  int64_t Longest = std::max(In.Stride * InBytes, Out.Stride * OutBytes);
  return In.Stride * InBytes != Out.Stride * OutBytes &&
         Longest * Length > Nearest;
}

/// Lines of a length that has passes.
Result Planner::transform(uint32_t Length, const Lines &L, const End &In,
                          const End &Out) {
  if (Length <= Limit) {
    if (!mayOverwrite(L, In, Out, Length))
      return addStep(Length, 1, L, place(In, 1, 0, Length),
                     place(Out, 1, 0, Length), In.Where, Out.Where);
    End Between = dense(Region::First, L, Length);
    if (Result R =
            addStep(Length, 1, L, place(In, 1, 0, Length),
                    place(Between, 1, 0, Length), In.Where, Between.Where))
      return R;
    return addStep(Length, 1, L, place(Between, 1, 0, Length),
                   place(Out, 1, 0, Length), Between.Where, Out.Where,
                   /*OnlyCopies=*/true);
  }
  auto Split = splitOf(Length, Limit);
  if (!Split)
    return InvalidSize;
  auto [Rows, Columns] = *Split;
  End Between = dense(Region::First, L, Length);
  End Twiddled = Between;
  Twiddled.Factoring = ByProduct;
  Twiddled.Factors = table({Table::Content::Roots, Length});
  if (Result R =
          addStep(Rows, Columns, L, place(In, Columns, 1, Length),
                  place(Twiddled, Columns, 1, Length), In.Where, Between.Where))
    return R;
  return addStep(Columns, Rows, L, place(Between, 1, Columns, Length),
                 place(Out, Rows, 1, Length), Between.Where, Out.Where);
}

/// Lines of any length. With c(k) = exp(-pi i k^2 / Length), element k of the
/// result is c(k) times the sum of x(n) c(n) conj(c(k - n)), which is a
/// convolution.
Result Planner::convolve(uint32_t Length, const Lines &L, const End &In,
                         const End &Out) {
  auto Padded = nextLength(2 * uint64_t(Length) - 1, Limit);
  if (!Padded)
    return InvalidSize;
  End From = In, To = Out, Between = dense(Region::Second, L, *Padded);
  From.Factoring = To.Factoring = ByIndex;
  From.Factors = To.Factors = table({Table::Content::Chirp, Length});
  From.Count = Length;
  // Hermitian elements are mirrored in a line of the program's length.
  End Product = Between;
  Product.Factoring = ByIndex;
  Product.Factors = table({Table::Content::Spectrum, Length, *Padded});
  Product.SwapsOutside = true;
  size_t First = Made.Steps.size();
  if (Result R = transform(*Padded, L, From, Product))
    return R;
  Made.Steps[First].Parameters.In.Length = Length;
  To.SwapsInside = true;
  return transform(*Padded, L, Between, To);
}

Result Planner::addAxis(uint32_t Length, const Lines &L, End In, End Out) {
  In.Count = Length;
  Out.Count = Out.Elements == Hermitian ? Length / 2 + 1 : Length;
  In.SwapsInverse = Out.SwapsInverse = true;
  bool HasPasses = radicesOf(Length).has_value() &&
                   (Length <= Limit || splitOf(Length, Limit));
  return HasPasses ? transform(Length, L, In, Out)
                   : convolve(Length, L, In, Out);
}

//===----------------------------------------------------------------------===//
// Several dimensions
//===----------------------------------------------------------------------===//

/// The strides of a side's dimensions. Dense real elements of a transform in
/// place have room for the complex ones: the last dimension is padded.
Planner::Strides Planner::stridesOf(const Side &S) const {
  unsigned Last = Wanted.Rank - 1;
  Strides St = {};
  int64_t Next = S.IsDense ? 1 : S.Stride;
  for (unsigned I = Last + 1; I-- > 0;) {
    St.Axis[I] = Next;
    int64_t Extent = S.Embed[I];
    if (S.IsDense) {
      Extent =
          S.Elements == Hermitian || I != Last ? Extents[I] : Wanted.Extents[I];
      if (I == Last && S.Elements == Real && IsInPlace)
        Extent = 2 * Extents[I];
    }
    Next *= Extent;
  }
  St.Batch = S.IsDense ? Next : S.Distance;
  return St;
}

End Planner::endOf(Region Where, const Side &S, const Strides &St,
                   unsigned Axis) const {
  End E;
  E.Where = Where;
  E.Stride = St.Axis[Axis];
  E.Elements = S.Elements;
  E.Numbers = S.Numbers;
  unsigned Next = 0;
  for (unsigned I = Wanted.Rank; I-- > 0;)
    if (I != Axis)
      E.Outer[Next++] = St.Axis[I];
  E.Outer[Next] = St.Batch;
  return E;
}

/// The lines along a dimension, in endOf's order.
Lines Planner::linesOf(unsigned Axis) const {
  Lines L;
  unsigned Next = 0;
  for (unsigned I = Wanted.Rank; I-- > 0;)
    if (I != Axis)
      L.Outer[Next++] = Extents[I];
  L.Outer[Next] = Wanted.Batch;
  return L;
}

/// From real ones the last dimension comes first, to real ones it comes last;
/// what is between is complex, and to real ones in the work area, since a
/// program's input stays as it is.
Result Planner::runDimensions() {
  unsigned Last = Wanted.Rank - 1;
  Strides InStrides = stridesOf(Wanted.In), OutStrides = stridesOf(Wanted.Out);
  bool ToReal = Wanted.Out.Elements == Real;
  Side Between = ToReal ? Side{Hermitian, Native} : Wanted.Out;
  Strides Middle = ToReal ? stridesOf(Between) : OutStrides;
  Region Where = ToReal ? Region::Middle : Region::Out;
  Between.Elements = Complex;
  if (ToReal && Last != 0)
    Made.WorkElements[workIndex(Region::Middle)] = Middle.Batch * Wanted.Batch;
  for (unsigned I = 0; I <= Last; ++I) {
    unsigned Axis = ToReal ? I : Last - I;
    bool IsFirst = I == 0, IsLast = I == Last;
    End In = IsFirst ? endOf(Region::In, Wanted.In, InStrides, Axis)
                     : endOf(Where, Between, Middle, Axis);
    End Out = IsLast && ToReal
                  ? endOf(Region::Out, Wanted.Out, OutStrides, Axis)
                  : endOf(Where, Between, Middle, Axis);
    if (In.Elements != Real)
      In.Elements = ToReal && IsLast ? Hermitian : Complex;
    if (!ToReal && IsFirst)
      Out.Elements = Wanted.Out.Elements;
    if (Result R = addAxis(Wanted.Extents[Axis], linesOf(Axis), In, Out))
      return R;
  }
  return Success;
}

Result Planner::run() {
  for (unsigned I = 0; I != Wanted.Rank; ++I) {
    if (!isInt<32>(Wanted.Extents[I]))
      return InvalidSize;
    Extents[I] = Wanted.Extents[I];
  }
  if (!isInt<32>(Wanted.Batch))
    return InvalidSize;
  if (Wanted.In.Elements == Real || Wanted.Out.Elements == Real)
    Extents[Wanted.Rank - 1] = Extents[Wanted.Rank - 1] / 2 + 1;
  return runDimensions();
}

Result fft::makeRecipe(const Request &Wanted, bool IsInPlace, Recipe &Made,
                       std::vector<Table> &Tables) {
  return Planner(Wanted, IsInPlace, Made, Tables).run();
}

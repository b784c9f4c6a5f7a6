//===- Search.h - Searching a space of decisions ----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A space of points, ways to choose the next one, and the record of a search.
//
// Everything here is a function of the space, the seed and the costs that are
// told: the same on any machine. Costs are compared and modelled by their
// logarithms, so that only their ratios matter.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TUNING_SEARCH_H
#define HEDDLE_TUNING_SEARCH_H

#include "heddle/Tuning/Document.h"

#include <limits>
#include <memory>
#include <vector>

namespace heddle::tuning {

/// A decision with the values that it may take.
struct Dimension {
  std::string Name;
  std::vector<int64_t> Values;
  unsigned Default = 0; ///< Index into Values.
};

/// An index into the values of each dimension.
using Point = std::vector<unsigned>;

/// What a kernel may be launched with, the first of each without being told. If
/// there are none, any.
struct LaunchShapes {
  std::vector<Extents> Blocks = {}, Grids = {};
};

class Space {
public:
  /// \p Launches are what the extents among the dimensions can be together.
  explicit Space(std::vector<Dimension> Dimensions, LaunchShapes Launches = {})
      : All(std::move(Dimensions)), Launches(std::move(Launches)) {}

  llvm::ArrayRef<Dimension> dimensions() const { return All; }
  /// The number of points, or the largest number if there are more.
  uint64_t size() const;
  /// The point at an index below size(), in the order in which the last
  /// dimension changes first.
  Point at(uint64_t Index) const;
  /// Where everything is as the compiler decides by itself.
  Point defaults() const;
  /// The decisions that differ from the compiler's own.
  Configuration configuration(const Point &P) const;
  /// All decisions.
  Configuration allDecisions(const Point &P) const;
  /// The point of a configuration; what the space does not have stays as the
  /// compiler decides.
  Point nearest(const Configuration &C) const;
  /// \p P, if the extents of its block and its grid are possible, or else with
  /// the extents that have most in common with these.
  Point possible(Point P) const;

private:
  Point possible(Point P, Knob First, llvm::ArrayRef<Extents> Shapes) const;

  std::vector<Dimension> All;
  LaunchShapes Launches;
};

/// The decisions of a kernel with the loops given: all of Knobs.def but the
/// ones for instructions, or the ones that \p Only names, as NAME or
/// `NAME@LOOP`.
/// \p More are values of decisions besides those of the table.
Space spaceOf(llvm::ArrayRef<LoopShape> Loops,
              llvm::ArrayRef<std::string> Only = {},
              const LaunchShapes &Launches = {},
              llvm::ArrayRef<std::pair<Knob, int64_t>> More = {});

/// The cost of a point that cannot be used.
inline constexpr double Unusable = std::numeric_limits<double>::infinity();

/// A way to choose points. It may ask for a point again that it was told of.
class Strategy {
public:
  virtual ~Strategy() = default;
  virtual Point ask() = 0;
  /// Told of every point tried, whoever asked for it.
  virtual void tell(const Point &P, double Cost) = 0;
};

enum class StrategyKind : uint8_t {
#define HEDDLE_STRATEGY(Id, ...) Id,
#include "heddle/Tuning/Strategies.def"
};

struct StrategyInfo {
  StrategyKind Kind;
  llvm::StringLiteral Name;
  llvm::StringLiteral Help;
};
llvm::ArrayRef<StrategyInfo> strategyTable();
llvm::StringRef strategyName(StrategyKind Kind);
/// The kind of that name; none if there is none.
std::optional<StrategyKind> findStrategy(llvm::StringRef Name);

/// The space must outlive the strategy.
std::unique_ptr<Strategy> createStrategy(StrategyKind Kind, const Space &S,
                                         uint64_t Seed);

/// A point that was tried.
struct Trial {
  Point Where;
  double Cost = Unusable;
};

/// The record of a search. The first point is that of the defaults; no point is
/// tried twice.
class Search {
public:
  /// The space must outlive the search. \p Starts are tried first, behind the
  /// defaults.
  Search(const Space &S, StrategyKind Kind, uint64_t Seed,
         std::vector<Point> Starts = {});

  /// The next point to try; none if all have been given out. Several may be
  /// asked for before the first cost is recorded; what is asked for depends on
  /// which costs are recorded by then, in their order.
  std::optional<Point> next();
  void record(const Point &P, double Cost);

  llvm::ArrayRef<Trial> trials() const { return Trials; }
  /// The first of the trials with the least cost; null if none can be used.
  const Trial *best() const;

private:
  std::optional<Point> anyNew();
  std::optional<Point> choose();

  const Space &S;
  std::vector<Point> Starts;
  size_t NextStart = 0;
  std::unique_ptr<Strategy> Chooser, Fallback;
  /// Of all points given out; none yet for those under way.
  std::map<Point, std::optional<double>> Costs;
  std::vector<Trial> Trials;
  std::optional<size_t> Best;
};

} // namespace heddle::tuning

#endif // HEDDLE_TUNING_SEARCH_H

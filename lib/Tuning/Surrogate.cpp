//===- Surrogate.cpp - Search by a model of the costs -----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bayesian optimisation: a Gaussian process over the logarithms of the costs
// seen, and the point among many candidates whose expected improvement is the
// largest. C. E. Rasmussen and C. K. I. Williams, "Gaussian Processes for
// Machine Learning" (2006), algorithm 2.1 and equation 5.9; the expected
// improvement is that of D. R. Jones et al., "Efficient Global Optimization of
// Expensive Black-Box Functions" (1998), equation 15. Points that cannot be
// used have no cost: the expected improvement counts as much as a candidate is
// likely to be usable (M. Schonlau, W. J. Welch and D. R. Jones, "Global versus
// Local Search in Constrained Optimization of Computer Models", 1998), which a
// naive Bayes classifier says of the values of its decisions.
//
//===----------------------------------------------------------------------===//

#include "Surrogate.h"

#include "RandomPoints.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <numbers>

using namespace llvm;

namespace heddle::tuning {

namespace {

/// Dense rows of a lower triangular matrix.
using Matrix = std::vector<std::vector<double>>;
using Vector = std::vector<double>;

/// L with L times its transpose being A; none if rounding made A indefinite.
std::optional<Matrix> factorize(const Matrix &A) {
  Matrix L(A.size());
  for (size_t I = 0; I != A.size(); ++I) {
    L[I].resize(I + 1);
    for (size_t J = 0; J <= I; ++J) {
      double Sum = A[I][J];
      for (size_t K = 0; K != J; ++K)
        Sum -= L[I][K] * L[J][K];
      if (I != J)
        L[I][J] = Sum / L[J][J];
      else if (Sum > 0)
        L[I][I] = std::sqrt(Sum);
      else
        return std::nullopt;
    }
  }
  return L;
}

/// X with L X = B.
Vector solveLower(const Matrix &L, Vector B) {
  for (size_t I = 0; I != L.size(); ++I) {
    for (size_t J = 0; J != I; ++J)
      B[I] -= L[I][J] * B[J];
    B[I] /= L[I][I];
  }
  return B;
}

/// X with the transpose of L times X = B.
Vector solveUpper(const Matrix &L, Vector B) {
  for (size_t I = L.size(); I-- != 0;) {
    for (size_t J = I + 1; J != L.size(); ++J)
      B[I] -= L[J][I] * B[J];
    B[I] /= L[I][I];
  }
  return B;
}

/// A Gaussian process with mean 0 and variance 1 before anything is seen.
class Process {
public:
  Process(std::vector<Vector> Places, Vector Values, double Length)
      : Places(std::move(Places)), Length(Length) {
    Matrix Covariance(this->Places.size());
    for (size_t I = 0; I != Covariance.size(); ++I) {
      for (size_t J = 0; J <= I; ++J)
        Covariance[I].push_back(covariance(this->Places[I], this->Places[J]));
      Covariance[I][I] += Noise;
    }
    if (std::optional<Matrix> L = factorize(Covariance)) {
      Factor = std::move(*L);
      Vector Half = solveLower(Factor, std::move(Values));
      LogLikelihood = 0;
      for (size_t I = 0; I != Factor.size(); ++I)
        LogLikelihood -= 0.5 * Half[I] * Half[I] + std::log(Factor[I][I]);
      Weights = solveUpper(Factor, std::move(Half));
    }
  }

  bool isValid() const { return !Factor.empty(); }
  /// Up to a constant.
  double logLikelihood() const { return LogLikelihood; }

  /// Mean and standard deviation at a place.
  std::pair<double, double> predict(const Vector &Place) const {
    Vector K;
    for (const Vector &Known : Places)
      K.push_back(covariance(Place, Known));
    double Mean = 0;
    for (auto [A, B] : zip(K, Weights))
      Mean += A * B;
    double Explained = 0;
    for (double V : solveLower(Factor, std::move(K)))
      Explained += V * V;
    return {Mean, std::sqrt(std::max(1 + Noise - Explained, 1e-12))};
  }

private:
  /// Of a measurement, relative to the variance: what the model cannot tell
  /// apart.
  static constexpr double Noise = 1e-3;

  /// Matern's with smoothness 5/2.
  double covariance(const Vector &A, const Vector &B) const {
    double Squares = 0;
    for (auto [X, Y] : zip(A, B))
      Squares += (X - Y) * (X - Y);
    double R = std::sqrt(5 * Squares) / Length;
    return (1 + R + R * R / 3) * std::exp(-R);
  }

  std::vector<Vector> Places;
  double Length;
  Matrix Factor;
  Vector Weights;
  double LogLikelihood = -std::numeric_limits<double>::infinity();
};

class SurrogateStrategy : public Strategy {
public:
  SurrogateStrategy(const Space &S, uint64_t Seed) : S(S), Random(Seed) {}

  Point ask() override {
    if (Known.size() < Start)
      return Random.below(2) ? Random.anywhere(S)
                             : Random.neighbour(S, S.defaults());
    std::optional<Process> Model = fit();
    return Model ? mostPromising(*Model) : Random.anywhere(S);
  }

  void tell(const Point &P, double Cost) override {
    if (!Known.try_emplace(P, Cost).second)
      return; // costs do not change
    NumUnusable += Cost == Unusable;
    for (size_t D = 0; D != P.size(); ++D) {
      auto &[Good, Wrong] = Counts[{D, P[D]}];
      ++(Cost == Unusable ? Wrong : Good);
    }
  }

private:
  /// Points before the first model, candidates each time, and how many points a
  /// model is made of, since its cost grows with the third power.
  static constexpr size_t Start = 6, Candidates = 200, MostPlaces = 160;

  Vector place(const Point &P) const {
    Vector V;
    for (auto [D, Index] : zip(S.dimensions(), P))
      V.push_back(D.Values.size() < 2
                      ? 0
                      : static_cast<double>(Index) /
                            static_cast<double>(D.Values.size() - 1));
    return V;
  }

  /// The best of the points that can be used.
  std::vector<Trial> chosenTrials() const {
    std::vector<Trial> Trials;
    for (const auto &[P, Cost] : Known)
      if (Cost != Unusable)
        Trials.push_back({P, Cost});
    llvm::sort(Trials, [](const Trial &A, const Trial &B) {
      return std::tie(A.Cost, A.Where) < std::tie(B.Cost, B.Where);
    });
    if (Trials.size() > MostPlaces)
      Trials.resize(MostPlaces);
    return Trials;
  }

  /// The likeliest of some processes that differ in length.
  static std::optional<Process> likeliest(const std::vector<Vector> &Places,
                                          const Vector &Values) {
    std::optional<Process> Best;
    for (double Length : {0.5, 1.0, 2.0})
      if (Process P(Places, Values, Length);
          P.isValid() && (!Best || P.logLikelihood() > Best->logLikelihood()))
        Best.emplace(std::move(P));
    return Best;
  }

  std::optional<Process> fit() {
    std::vector<Trial> Trials = chosenTrials();
    if (Trials.empty())
      return std::nullopt;
    std::vector<Vector> Places;
    Vector Values;
    for (const Trial &T : Trials) {
      Places.push_back(place(T.Where));
      Values.push_back(std::log(T.Cost));
    }
    double Mean = 0, Variance = 0;
    for (double V : Values)
      Mean += V / static_cast<double>(Values.size());
    for (double V : Values)
      Variance += (V - Mean) * (V - Mean) / static_cast<double>(Values.size());
    double Deviation = std::max(std::sqrt(Variance), 1e-9);
    for (double &V : Values)
      V = (V - Mean) / Deviation;
    Least = Values.front();
    Incumbent = Trials.front().Where;
    return likeliest(Places, Values);
  }

  /// How likely a normal variable is below Z deviations.
  static double normalBelow(double Z) {
    return 0.5 * std::erfc(-Z / std::numbers::sqrt2);
  }

  /// How likely a point can be used: what the values of its decisions had in
  /// common with those of the points seen, one decision apart from the others.
  double usable(const Point &P) const {
    if (NumUnusable == 0)
      return 1;
    auto NumUsable = static_cast<double>(Known.size() - NumUnusable);
    auto Bad = static_cast<double>(NumUnusable);
    // No class is impossible before it is seen.
    double LogOdds = std::log((NumUsable + 1) / (Bad + 1));
    for (size_t D = 0; D != P.size(); ++D) {
      auto Values = static_cast<double>(S.dimensions()[D].Values.size());
      auto Seen = Counts.find({D, P[D]});
      auto [Good, Wrong] =
          Seen == Counts.end() ? std::pair(0u, 0u) : Seen->second;
      LogOdds += std::log((Good + 1) / (NumUsable + Values)) -
                 std::log((Wrong + 1) / (Bad + Values));
    }
    return 1 / (1 + std::exp(-LogOdds));
  }

  double expectedImprovement(const Process &Model, const Point &P) const {
    auto [Mu, Sigma] = Model.predict(place(P));
    double Z = (Least - Mu) / Sigma;
    double Density = std::exp(-0.5 * Z * Z) / std::sqrt(2 * std::numbers::pi);
    return Sigma * (Z * normalBelow(Z) + Density) * usable(P);
  }

  Point mostPromising(const Process &Model) {
    Point Best;
    double Most = -1;
    // What is less likely to be usable than this is passed over; the limit
    // changes, so that now and then an unlikely place is tried (as in E.
    // Hellsten et al., "BaCO: A Fast and Portable Bayesian Compiler
    // Optimization Framework", 2023).
    double LeastUsable = NumUnusable ? Random.fraction() : 0;
    for (size_t I = 0; I != Candidates; ++I) {
      Point P = Random.anywhere(S);
      if (I % 2) { // near the best place
        P = Random.neighbour(S, Incumbent);
        for (uint64_t N = Random.below(3); N != 0; --N)
          P = Random.neighbour(S, P);
      }
      if (Known.count(P) || usable(P) < LeastUsable)
        continue;
      if (double Gain = expectedImprovement(Model, P); Gain > Most) {
        Most = Gain;
        Best = std::move(P);
      }
    }
    return Best.empty() ? Random.anywhere(S) : Best;
  }

  const Space &S;
  RandomPoints Random;
  std::map<Point, double> Known;
  double Least = 0; ///< Of the model's values.
  Point Incumbent;
  size_t NumUnusable = 0; ///< Of Known.
  /// How many points with a value of a decision could be used, and how many
  /// could not.
  std::map<std::pair<size_t, unsigned>, std::pair<unsigned, unsigned>> Counts;
};

} // namespace

std::unique_ptr<Strategy> createSurrogateStrategy(const Space &S,
                                                  uint64_t Seed) {
  return std::make_unique<SurrogateStrategy>(S, Seed);
}

} // namespace heddle::tuning

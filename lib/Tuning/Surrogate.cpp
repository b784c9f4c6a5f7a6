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
// Expensive Black-Box Functions" (1998), equation 15.
//
//===----------------------------------------------------------------------===//

#include "Surrogate.h"

#include "Dice.h"

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
      Vector Half = solveLower(Factor, Values);
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

  void tell(const Point &P, double Cost) override { Known[P] = Cost; }

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

  /// The best points, with the unusable ones as bad as the worst usable.
  std::vector<Trial> chosenTrials() const {
    std::vector<Trial> Trials;
    for (const auto &[P, Cost] : Known)
      Trials.push_back({P, Cost});
    llvm::sort(Trials, [](const Trial &A, const Trial &B) {
      return std::tie(A.Cost, A.Where) < std::tie(B.Cost, B.Where);
    });
    if (Trials.size() > MostPlaces)
      Trials.resize(MostPlaces);
    return Trials;
  }

  std::optional<Process> fit() {
    std::vector<Trial> Trials = chosenTrials();
    if (Trials.front().Cost == Unusable)
      return std::nullopt;
    double Worst = 0;
    for (const Trial &T : Trials)
      if (T.Cost != Unusable)
        Worst = std::max(Worst, T.Cost);
    std::vector<Vector> Places;
    Vector Values;
    for (const Trial &T : Trials) {
      Places.push_back(place(T.Where));
      Values.push_back(std::log(T.Cost == Unusable ? Worst : T.Cost));
    }
    Mean = 0;
    for (double V : Values)
      Mean += V / static_cast<double>(Values.size());
    double Variance = 0;
    for (double V : Values)
      Variance += (V - Mean) * (V - Mean) / static_cast<double>(Values.size());
    Deviation = std::max(std::sqrt(Variance), 1e-9);
    for (double &V : Values)
      V = (V - Mean) / Deviation;
    Least = Values.front();
    Incumbent = Trials.front().Where;

    std::optional<Process> Best;
    for (double Length : {0.5, 1.0, 2.0})
      if (Process P(Places, Values, Length);
          P.isValid() && (!Best || P.logLikelihood() > Best->logLikelihood()))
        Best.emplace(std::move(P));
    return Best;
  }

  double expectedImprovement(const Process &Model, const Point &P) const {
    auto [Mu, Sigma] = Model.predict(place(P));
    double Z = (Least - Mu) / Sigma;
    double Density = std::exp(-0.5 * Z * Z) / std::sqrt(2 * std::numbers::pi);
    double Below = 0.5 * std::erfc(-Z / std::numbers::sqrt2);
    return Sigma * (Z * Below + Density);
  }

  Point mostPromising(const Process &Model) {
    Point Best;
    double Most = -1;
    for (size_t I = 0; I != Candidates; ++I) {
      Point P = Random.anywhere(S);
      if (I % 2) { // near the best place
        P = Random.neighbour(S, Incumbent);
        for (uint64_t N = Random.below(3); N != 0; --N)
          P = Random.neighbour(S, P);
      }
      if (Known.count(P))
        continue;
      if (double Gain = expectedImprovement(Model, P); Gain > Most) {
        Most = Gain;
        Best = std::move(P);
      }
    }
    return Best.empty() ? Random.anywhere(S) : Best;
  }

  const Space &S;
  Dice Random;
  std::map<Point, double> Known;
  double Mean = 0, Deviation = 1, Least = 0;
  Point Incumbent;
};

} // namespace

std::unique_ptr<Strategy> createSurrogateStrategy(const Space &S,
                                                  uint64_t Seed) {
  return std::make_unique<SurrogateStrategy>(S, Seed);
}

} // namespace heddle::tuning

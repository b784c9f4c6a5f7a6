//===- step.h - A simulation in ten files -----------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One step of a simulation, in ten files.
//
//===----------------------------------------------------------------------===//

struct State {
  float X, V, A, Heat, Mass;
};
__device__ float gravity(const State &S);
__device__ float drag(const State &S);
__device__ float spring(const State &S);
__device__ float friction(const State &S);
__device__ void accelerate(State &S, float Force, float Time);
__device__ void move(State &S, float Time);
__device__ void collide(State &S);
__device__ void heat(State &S, float Time);
__device__ float energy(const State &S);

//===- spinlock.cu - Locks that the lanes of a warp contend for -*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A lane may only get the lock when another lane of the same warp moves on and
// releases it, so the machine must let all threads make progress. What the lock
// protects is read and written plainly; a lost update shows in it.
//
//===----------------------------------------------------------------------===//

static __device__ void lock(unsigned *Lock) {
  while (atomicCAS(Lock, 0u, 1u) != 0u)
    ;
  __threadfence();
}

static __device__ void unlock(unsigned *Lock) {
  __threadfence();
  atomicExch(Lock, 0u);
}

/// Every thread takes one lock and adds to the counters under it.
extern "C" __global__ void spinlock(unsigned N, unsigned *Lock,
                                    volatile unsigned *Counters) {
  unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I >= N)
    return;
  lock(Lock);
  Counters[0] = Counters[0] + 1;
  Counters[1] = Counters[1] + I;
  unlock(Lock);
}

/// Transfers between accounts with a lock each, taken in the order of the
/// accounts.
extern "C" __global__ void transfer(unsigned N, unsigned Accounts,
                                    unsigned *Locks, volatile int *Balances) {
  unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I >= N)
    return;
  unsigned From = I % Accounts;
  unsigned To = (I * 6 + 3) % Accounts;
  if (From == To)
    return;
  lock(&Locks[min(From, To)]);
  lock(&Locks[max(From, To)]);
  Balances[From] = Balances[From] - int(I);
  Balances[To] = Balances[To] + int(I);
  unlock(&Locks[max(From, To)]);
  unlock(&Locks[min(From, To)]);
}

/// The older form, in which the critical section stands inside the loop.
extern "C" __global__ void spinlock_inside(unsigned N, unsigned *Lock,
                                           volatile unsigned *Counter) {
  unsigned I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I >= N)
    return;
  for (bool Done = false; !Done;) {
    if (atomicCAS(Lock, 0u, 1u) == 0u) {
      __threadfence();
      *Counter = *Counter + 1;
      __threadfence();
      atomicExch(Lock, 0u);
      Done = true;
    }
  }
}

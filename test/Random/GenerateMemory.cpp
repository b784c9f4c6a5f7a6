//===- GenerateMemory.cpp - Random accesses to memory -----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loads, stores, atomics and asynchronous operations on memory that a thread
// has for itself, and sums whose order does not matter.
//
//===----------------------------------------------------------------------===//

#include "GeneratorState.h"
#include "llvm/ADT/StringRef.h"

#include <bit>

using namespace llvm;

namespace heddle::random {

namespace {
struct AccessType {
  const char *Name;
  unsigned Width;
};
constexpr AccessType AccessTypes[] = {
    {".b8", 8},   {".u8", 8},   {".s8", 8},   {".b16", 16}, {".u16", 16},
    {".s16", 16}, {".b32", 32}, {".u32", 32}, {".s32", 32}, {".f32", 32},
    {".b64", 64}, {".u64", 64}, {".s64", 64}, {".f64", 64}, {".b128", 128}};
} // namespace

/// Lines that calculate an aligned address of \p Size bytes inside a region;
/// \p Address is what then stands in the brackets.
std::string Generator::addressIn(const Region &Where, unsigned Size,
                                 std::string &Address) {
  uint64_t Slots = Where.Bytes / Size;
  if (R.percent(40)) {
    Address = Where.Base + "+" + std::to_string(R.below(Slots) * Size);
    return "";
  }
  std::string Offset = temp(".b32");
  std::string Text = "\tand.b32 " + Offset + ", " + exact(32) + ", " +
                     std::to_string((Slots - 1) * Size) + ";\n";
  if (!Where.IsWide) {
    Address = temp(".b32");
    return Text + "\tadd.u32 " + Address + ", " + Where.Base + ", " + Offset +
           ";\n";
  }
  std::string Base = Where.Base;
  Address = temp(".b64");
  if (Base[0] != '%') {
    Base = temp(".b64");
    Text += "\tmov.u64 " + Base + ", " + Where.Base + ";\n";
  }
  return Text + "\tcvt.u64.u32 " + Address + ", " + Offset + ";\n\tadd.u64 " +
         Address + ", " + Base + ", " + Address + ";\n";
}

/// A name for each element of a vector, all different.
static std::vector<std::string> distinct(RandomGenerator &R, const char *Prefix,
                                         unsigned Pool, unsigned Count) {
  std::vector<std::string> Names;
  uint64_t First = R.below(Pool);
  for (unsigned N = 0; N != Count; ++N)
    Names.push_back(Prefix + std::to_string((First + N) % Pool));
  return Names;
}

std::string Generator::loadOrStore(const Region &Where) {
  static constexpr const char *LoadOps[] = {".ca", ".cg", ".cs", ".cv"};
  static constexpr const char *StoreOps[] = {".wb", ".cg", ".cs", ".wt"};
  const AccessType &Type = R.pick(AccessTypes);
  bool IsFloat = Type.Name[1] == 'f';
  unsigned Count = R.percent(30) ? 1u << R.from(1, 3) : 1;
  // Vectors of 256 bits are for global memory.
  bool MayBeLong = Where.Space == ".global" && Type.Width >= 32;
  while (Count * Type.Width > (MayBeLong ? 256 : 128) ||
         (Count == 8 && Type.Width != 32) || (Count == 2 && Type.Width == 128))
    Count /= 2;
  std::string Address;
  std::string Text = addressIn(Where, Count * Type.Width / 8, Address);
  bool IsStore = Where.IsWritable && R.percent(50);
  std::string Op = IsStore ? "st" : "ld";
  bool IsShared = Where.Space == ".shared";
  bool MayOrder = Where.IsWritable && Where.Space != ".local" && !IsFloat &&
                  Count * Type.Width <= 128 && Type.Width != 128;
  if (MayOrder && R.percent(12))
    Op += IsStore ? (R.percent(50) ? ".relaxed.gpu" : ".release.cta")
                  : (R.percent(50) ? ".relaxed.sys" : ".acquire.gpu");
  else if (MayOrder && R.percent(10))
    Op += ".volatile";
  Op += Where.Space;
  bool IsLong = Count * Type.Width == 256 || Type.Width == 128;
  bool IsPlain = !IsLong && (Op == "ld.global" || Op == "st.global");
  if (IsPlain && !IsShared && R.percent(20))
    Op += IsStore ? R.pick(StoreOps) : R.pick(LoadOps);
  unsigned Width = std::max(16u, Type.Width);
  while (!IsFloat && Width < 64 && R.percent(30))
    Width *= 2;
  const char *Prefix = Width == 128  ? "%q"
                       : Width == 64 ? "%d"
                       : Width == 32 ? "%r"
                                     : "%h";
  unsigned Pool = Width == 128 ? 2 : Width == 32 ? 10 : 6;
  std::vector<std::string> Names = distinct(R, Prefix, Pool, Count);
  std::string Data = Names[0];
  if (Count > 1) {
    Op += ".v" + std::to_string(Count);
    Data = "{";
    for (size_t N = 0; N != Names.size(); ++N)
      Data += (N ? ", " : "") + Names[N];
    Data += "}";
  }
  Op += Type.Name;
  std::string Guard = R.percent(10) ? "@" + predicate() + " " : "";
  if (IsStore)
    return Text + "\t" + Guard + Op + " [" + Address + "], " + Data + ";\n";
  return Text + "\t" + Guard + Op + " " + Data + ", [" + Address + "];\n";
}

Statement Generator::access(const Scope &) {
  return group(loadOrStore(R.pick(Regions)));
}

/// An atomic whose result is seen, on memory that no other thread touches.
Statement Generator::privateAtomic() {
  struct Form {
    const char *Op;
    unsigned Width;
  };
  static constexpr Form Forms[] = {
      {"add.u32", 32}, {"add.s32", 32},  {"add.u64", 64},    {"and.b32", 32},
      {"or.b64", 64},  {"xor.b32", 32},  {"xor.b64", 64},    {"min.s32", 32},
      {"max.u32", 32}, {"min.u64", 64},  {"max.s64", 64},    {"inc.u32", 32},
      {"dec.u32", 32}, {"exch.b32", 32}, {"exch.b64", 64},   {"cas.b32", 32},
      {"cas.b64", 64}, {"cas.b16", 16},  {"exch.b128", 128}, {"cas.b128", 128}};
  const Region *Where = &R.pick(Regions);
  while (!Where->IsWritable || Where->Base == "%loc" || Where->Base == "%gloc")
    Where = &R.pick(Regions);
  const Form &F = R.pick(Forms);
  std::string Op(F.Op), Address;
  std::string Text = addressIn(*Where, F.Width / 8, Address);
  static constexpr const char *Orders[] = {"", ".relaxed.gpu", ".acq_rel.cta",
                                           ".acquire.sys", ".release.gpu"};
  bool IsCas = Op.compare(0, 3, "cas") == 0;
  bool MayReduce = Op.compare(0, 4, "exch") != 0 && !IsCas;
  std::string Order = R.pick(Orders);
  // Not every machine has every width in every memory.
  std::string Probe = "atom" + Order + Where->Space + "." + Op;
  if (!mayUse(Probe, Probe + " " + exactWriteable(F.Width) + ", [" +
                         Where->Base + "], " + exactWriteable(F.Width) +
                         (IsCas ? ", " + exactWriteable(F.Width) : "") + ";"))
    return packing();
  std::string Operands = "[" + Address + "], " + exact(F.Width) +
                         (IsCas ? ", " + exact(F.Width) : "") + ";\n";
  if (MayReduce && R.percent(30))
    return group(Text + "\tred" + Where->Space + "." + Op + " " + Operands);
  return group(Text + "\tatom" + Order + Where->Space + "." + Op + " " +
               exactWriteable(F.Width) + ", " + Operands);
}

/// `%r+8`, perhaps with an offset already, and \p Bytes more.
static std::string addOffset(StringRef Address, unsigned Bytes) {
  auto [Base, Old] = Address.split('+');
  unsigned Offset = 0;
  Old.getAsInteger(10, Offset);
  return Base.str() + "+" + std::to_string(Offset + Bytes);
}

/// A vector of floats added to, or compared with, what a thread has for itself.
/// The results may be any NaNs.
Statement Generator::vectorAtomic() {
  struct Form {
    const char *Op;
    const char *Type;
    const char *Prefix;
    unsigned Pool, Width, MaxCount;
  };
  static constexpr Form Forms[] = {{"add", ".f32", "%lf", 4, 32, 4},
                                   {"add.noftz", ".f16x2", "%lx", 3, 32, 2},
                                   {"max.noftz", ".bf16x2", "%lz", 3, 32, 2},
                                   {"min.noftz", ".f16", "%lh", 3, 16, 2},
                                   {"add.noftz", ".bf16", "%lb", 3, 16, 2}};
  const Form &F = R.pick(Forms);
  unsigned Count = F.MaxCount == 4 && R.percent(50) ? 4 : 2;
  std::string Address;
  std::string Text =
      addressIn(Regions[R.percent(50) ? 0 : 1], Count * F.Width / 8, Address);
  auto Vector = [&] {
    std::string List;
    for (const std::string &Name : distinct(R, F.Prefix, F.Pool, Count))
      List += (List.empty() ? "{" : ", ") + Name;
    return List + "}";
  };
  std::string Op =
      std::string(".global.") + F.Op + ".v" + std::to_string(Count) + F.Type;
  if (R.percent(40))
    Text += "\tred" + Op + " [" + Address + "], " + Vector() + ";\n";
  else
    Text += "\tatom" + Op + " " + Vector() + ", [" + Address + "], " +
            Vector() + ";\n";
  // The bits of NaNs are open in memory, too.
  const char *Bits = F.Width == 32 ? ".b32" : ".b16";
  StringRef Type = StringRef(F.Type).drop_front();
  std::string Word = temp(Bits), P = temp(".pred");
  for (unsigned N = 0; N != Count; ++N) {
    std::string Place = " [" + addOffset(Address, N * F.Width / 8) + "]";
    Text +=
        std::string("\tld.global") + Bits + " " + Word + "," + Place + ";\n";
    Text += StringRef(Type).consume_back("x2")
                ? canonicalPair(Type.drop_back(2), Word, Word, P, temp(".b16"),
                                temp(".b16"))
                : canonical(Type, Word, Word, P);
    Text += std::string("\tst.global") + Bits + Place + ", " + Word + ";\n";
  }
  return group(Text);
}

/// What completes its bytes at an mbarrier: copies in bulk to shared memory,
/// stores and reductions.
std::string Generator::completedOperation(std::string &Bytes) {
  static constexpr const char *Reductions[] = {
      "and.b32", "or.b32",  "xor.b32", "add.u32", "add.s32", "min.u32",
      "max.s32", "inc.u32", "dec.u32", "min.s32", "max.u32"};
  std::string Word = "[%shm+" + std::to_string(16 + 4 * R.below(4)) + "], ";
  std::string Done = ".mbarrier::complete_tx::bytes";
  Bytes = "16";
  switch (R.below(4)) {
  case 0:
    Bytes = "4";
    return "st.async.shared::cluster" + Done + ".b32 " + Word + exact(32) +
           ", [%shm]";
  case 1:
    Bytes = "4";
    return "red.async.relaxed.cluster.shared::cluster" + Done + "." +
           R.pick(Reductions) + " " + Word + exact(32) + ", [%shm]";
  case 2:
    return "cp.async.bulk.shared::cta.global" + Done +
           ".ignore_oob [%shm+16], [%priv+" + std::to_string(16 * R.below(4)) +
           "], 16, " + std::to_string(R.below(9)) + ", " +
           std::to_string(R.below(8)) + ", [%shm]";
  default:
    return "cp.async.bulk.shared::cluster.global" + Done +
           " [%shm+16], [%priv+" + std::to_string(16 * R.below(4)) +
           "], 16, [%shm]";
  }
}

/// Asynchronous operations on what a thread has for itself, which the thread
/// waits for. Half of its shared memory is an mbarrier in between.
Statement Generator::asyncOperation() {
  static constexpr const char *Reductions[] = {
      "and.b32", "or.b64",  "xor.b32", "add.u32", "add.u64", "add.s32",
      "min.u32", "max.s32", "min.u64", "max.s64", "inc.u32", "dec.u32"};
  bool Stores = R.percent(40);
  std::string Bytes, Operation;
  if (Stores) {
    std::string Op = "cp.async.bulk.global.shared::cta.bulk_group";
    if (R.percent(70))
      Op = "cp.reduce.async.bulk.global.shared::cta.bulk_group." +
           std::string(R.pick(Reductions));
    Operation = Op + " [%priv+" + std::to_string(16 * R.below(4)) +
                "], [%shm+" + std::to_string(16 * R.below(2)) + "], 16";
  } else {
    Operation = completedOperation(Bytes);
  }
  if (!mayUse(Operation.substr(0, Operation.find(' ')), Operation + ";"))
    return packing();
  if (Stores)
    return group("\tfence.proxy.async;\n\t" + Operation +
                 ";\n\tcp.async.bulk.commit_group;\n"
                 "\tcp.async.bulk.wait_group 0;\n");
  std::string Again = label(), IsOver = temp(".pred");
  return group("\tmbarrier.init.shared.b64 [%shm], 1;\n"
               "\tfence.proxy.async;\n"
               "\tmbarrier.arrive.expect_tx.shared.b64 _, [%shm], " +
               Bytes + ";\n\t" + Operation + ";\n" + Again +
               ":\n\tmbarrier.try_wait.parity.shared.b64 " + IsOver +
               ", [%shm], 0;\n\t@!" + IsOver + " bra " + Again +
               ";\n\tmbarrier.inval.shared.b64 [%shm];\n");
}

/// Memory from the stack, given back at once.
Statement Generator::stackMemory() {
  std::string Saved = temp(".b64"), Place = temp(".b64");
  return group("\tstacksave.u64 " + Saved + ";\n\talloca.u64 " + Place + ", " +
               std::to_string(8 * R.from(1, 8)) + ", 8;\n\tst.local.b64 [" +
               Place + "], " + exact(64) + ";\n\tld.local.b32 " +
               exactWriteable(32) + ", [" + Place +
               (R.percent(50) ? "+4" : "") + "];\n\tstackrestore.u64 " + Saved +
               ";\n");
}

/// All threads add to the same word, each word with one operation, so that the
/// order does not matter; nobody sees the result before the end.
Statement Generator::sharedSum() {
  struct Form {
    const char *Op;
    unsigned Width, Word;
  };
  static constexpr Form Forms[] = {{"add.u32", 32, 0}, {"add.u64", 64, 1},
                                   {"xor.b32", 32, 2}, {"or.b32", 32, 3},
                                   {"max.s32", 32, 4}, {"min.u32", 32, 5},
                                   {"and.b64", 64, 6}, {"max.u64", 64, 7}};
  const Form &F = R.pick(Forms);
  bool Shared = R.percent(50);
  // Functions do not have the address of the sums in global memory.
  if (!Shared && Regions.size() < 9)
    Shared = true;
  std::string Address =
      (Shared ? "shsum+" : "%sum+") + std::to_string(8 * F.Word);
  std::string Space = Shared ? ".shared" : ".global";
  std::string Tail = std::string(".") + F.Op + " ";
  std::string Value = exact(F.Width);
  if (R.percent(60))
    return group("\tred" + Space + Tail + "[" + Address + "], " + Value +
                 ";\n");
  std::string Ignored = temp(F.Width == 64 ? ".b64" : ".b32");
  return group("\tatom" + Space + Tail + Ignored + ", [" + Address + "], " +
               Value + ";\n");
}

} // namespace heddle::random

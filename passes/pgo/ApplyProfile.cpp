//===- ApplyProfile.cpp - Puts profiles on functions ------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's own pass turns counts of edges into weights. It is given a profile of
// just the functions that the module has, so that nothing else has influence on
// the result.
//
//===----------------------------------------------------------------------===//

#include "passes/pgo/Instrument.h"

#include "heddle/IR/ProfileMetadata.h"
#include "passes/pgo/ControlFlow.h"

#include "llvm/Analysis/BlockFrequencyInfo.h"
#include "llvm/Analysis/BranchProbabilityInfo.h"
#include "llvm/IR/ProfileSummary.h"
#include "llvm/ProfileData/ProfileCommon.h"
#include "llvm/Support/MD5.h"
#include "llvm/Support/VirtualFileSystem.h"
#include "llvm/Transforms/Instrumentation/PGOInstrumentation.h"
#include "llvm/Transforms/Utils/Cloning.h"

#include <deque>

using namespace heddle::pgo;
using namespace llvm;

namespace heddle::passes {

namespace {

/// A function with the profile that fits it.
struct Match {
  Function *F;
  ProfileData::Key Of;
  const FunctionCounts *Counts;
};

class Applier {
public:
  Applier(Module &M, const ProfileData &Profile) : M(M), Profile(Profile) {}
  Application run();

private:
  void findMatches();
  ValueCounts nameForModule(const ValueCounts &Targets) const;
  void applyEdges();
  void applySides(const Match &Found);
  void applyTrips(const Loop &L, TripCounts Trips);
  MDNode *node(ArrayRef<uint64_t> Values);

  Module &M;
  const ProfileData &Profile;
  std::vector<Match> Matches;
  Application Result;
};

} // namespace

MDNode *Applier::node(ArrayRef<uint64_t> Values) {
  LLVMContext &C = M.getContext();
  SmallVector<Metadata *> Operands;
  for (uint64_t V : Values)
    Operands.push_back(
        ConstantAsMetadata::get(ConstantInt::get(Type::getInt64Ty(C), V)));
  return MDNode::get(C, Operands);
}

/// The hashes are those of a copy, which LLVM instruments.
void Applier::findMatches() {
  auto Named = [&](const Function &F) {
    auto First = Profile.Functions.lower_bound({F.getName().str(), 0});
    return First != Profile.Functions.end() && First->first.first == F.getName()
               ? First
               : Profile.Functions.end();
  };
  std::vector<Function *> Candidates;
  for (Function *F : countedFunctions(M))
    if (!F->getEntryCount() && Named(*F) != Profile.Functions.end())
      Candidates.push_back(F);
  if (Candidates.empty())
    return;
  std::unique_ptr<Module> Copy = CloneModule(M);
  runEdgeInstrumentation(*Copy);
  std::map<std::string, FunctionShape> Shapes = edgeShapes(*Copy);
  for (Function *F : Candidates) {
    const FunctionShape &S = Shapes[F->getName().str()];
    auto Found = Profile.Functions.find({S.Name, S.Hash});
    if (Found != Profile.Functions.end() &&
        Found->second.Edges.size() == S.Edges)
      Matches.push_back({F, Found->first, &Found->second});
    else
      Result.Stale.push_back(F->getName().str());
  }
}

/// Drops the summary that LLVM's pass leaves: it is of all functions together,
/// while each may be compiled apart.
static void dropSummary(Module &M) {
  NamedMDNode *Flags = M.getModuleFlagsMetadata();
  if (!Flags)
    return;
  SmallVector<MDNode *> Kept;
  for (MDNode *Flag : Flags->operands())
    if (cast<MDString>(Flag->getOperand(1))->getString() != "ProfileSummary")
      Kept.push_back(Flag);
  Flags->clearOperands();
  for (MDNode *Flag : Kept)
    Flags->addOperand(Flag);
}

/// LLVM puts the file's name before those of internal functions.
static constexpr StringLiteral InternalPrefix = "<unknown>;";

/// In a profile functions have their own names, whether they are internal where
/// they are compiled or not.
ValueCounts Applier::nameForModule(const ValueCounts &Targets) const {
  ValueCounts Named = Targets;
  if (Named.empty())
    return Named;
  for (const Function &F : M)
    if (F.hasLocalLinkage())
      if (auto Found = Named.extract(MD5Hash(F.getName()))) {
        Found.key() = MD5Hash((InternalPrefix + F.getName()).str());
        Named.insert(std::move(Found));
      }
  return Named;
}

/// Takes away the blocks that LLVM's pass has put on edges to count them. On
/// the way back to a loop's header such a block would stay, and the loop would
/// be compiled as one that is left in its middle.
static void removeBlocksOnEdges(Function &F,
                                const SmallPtrSetImpl<BasicBlock *> &Kept) {
  for (BasicBlock &B : make_early_inc_range(F)) {
    BasicBlock *From = B.getSinglePredecessor(), *To = B.getSingleSuccessor();
    if (Kept.contains(&B) || !From || !To || &B.front() != B.getTerminator())
      continue;
    From->getTerminator()->replaceSuccessorWith(&B, To);
    To->replacePhiUsesWith(&B, From);
    B.eraseFromParent();
  }
}

void Applier::applyEdges() {
  constexpr char FileName[] = "profile";
  std::vector<std::pair<ProfileData::Key, const FunctionCounts *>> Records;
  std::deque<FunctionCounts> Renamed;
  for (const Match &Found : Matches) {
    ProfileData::Key Of = Found.Of;
    if (Found.F->hasLocalLinkage())
      Of.first = InternalPrefix.str() + Of.first;
    FunctionCounts &Counts = Renamed.emplace_back();
    Counts.Edges = Found.Counts->Edges;
    for (const ValueCounts &Targets : Found.Counts->Targets)
      Counts.Targets.push_back(nameForModule(Targets));
    Records.push_back({Of, &Counts});
  }
  auto Files = makeIntrusiveRefCnt<vfs::InMemoryFileSystem>();
  Files->addFile(FileName, 0,
                 MemoryBuffer::getMemBufferCopy(writeEdges(Records)));
  ModulePassManager MPM;
  MPM.addPass(PGOInstrumentationUse(FileName, "", /*IsCS=*/false, Files));
  SmallPtrSet<BasicBlock *, 32> Blocks;
  for (const Match &Found : Matches)
    for (BasicBlock &B : *Found.F)
      Blocks.insert(&B);
  std::string Source = M.getSourceFileName();
  M.setSourceFileName("");
  runEdgePasses(M, std::move(MPM));
  M.setSourceFileName(Source);
  for (const Match &Found : Matches)
    removeBlocksOnEdges(*Found.F, Blocks);
  dropSummary(M);
}

/// A loop that is left at its header becomes one that is left at its end, with
/// one iteration less, and the header's branch its last.
void Applier::applyTrips(const Loop &L, TripCounts Trips) {
  SmallVector<BasicBlock *> Latches;
  L.getLoopLatches(Latches);
  for (BasicBlock *Latch : Latches)
    Latch->getTerminator()->setMetadata(ir::TripsName, node(Trips));
  Instruction *Branch = L.getHeader()->getTerminator();
  if (!L.isLoopExiting(L.getHeader()) || Branch->hasMetadata(ir::TripsName))
    return;
  std::rotate(Trips.begin(), Trips.begin() + 1,
              Trips.begin() + pgo::ExactTrips + 1);
  Trips[0] = Trips[pgo::ExactTrips] = 0;
  Branch->setMetadata(ir::TripsName, node(Trips));
}

/// What LLVM's passes know nothing of.
void Applier::applySides(const Match &Found) {
  ControlFlow Flow(*Found.F);
  const FunctionCounts &Counts = *Found.Counts;
  // A profile that was merged from old parts may lack them.
  if (Counts.Branches.size() == Flow.branches().size())
    for (auto [Branch, B] : zip_equal(Flow.branches(), Counts.Branches))
      if (B.Warps)
        Branch->setMetadata(ir::DivergenceName,
                            node({B.Warps, B.Divergent, B.Lanes}));
  if (Counts.Loops.size() == Flow.loops().size())
    for (auto [L, Trips] : zip_equal(Flow.loops(), Counts.Loops)) {
      if (any_of(Trips, [](uint64_t Count) { return Count != 0; }))
        applyTrips(*L, Trips);
    }
  for (auto [Index, Values] : enumerate(Counts.Arguments)) {
    SmallVector<uint64_t> Node = {Index, 0};
    for (const auto &[Value, Count] : Values) {
      Node[1] += Count;
      Node.append({Value, Count});
    }
    if (!Values.empty())
      Found.F->addMetadata(ir::ArgumentsName, *node(Node));
  }
}

Application Applier::run() {
  findMatches();
  if (Matches.empty())
    return Result;
  // Before LLVM's pass splits edges, which adds blocks.
  for (const Match &Found : Matches)
    applySides(Found);
  applyEdges();
  Result.Functions = Matches.size();
  return Result;
}

Application applyProfile(Module &M, const ProfileData &Profile) {
  return Applier(M, Profile).run();
}

/// What LLVM takes for cold are counts up to the least of those that all but a
/// millionth of the whole consists of. In a module of few functions that least
/// count may be that of a hot one.
static ProfileSummary withoutLeastNeeded(ProfileSummary &S) {
  SummaryEntryVector Entries = S.getDetailedSummary();
  if (!Entries.empty() && Entries.back().MinCount != 0) {
    ProfileSummaryEntry Last = Entries.back();
    Entries.pop_back();
    Entries.push_back({Last.Cutoff, Last.MinCount - 1, Last.NumCounts});
  }
  return {S.getKind(),
          Entries,
          S.getTotalCount(),
          S.getMaxCount(),
          S.getMaxInternalCount(),
          S.getMaxFunctionCount(),
          S.getNumCounts(),
          S.getNumFunctions()};
}

void summarizeProfile(Module &M) {
  bool HasProfile = any_of(
      M, [](const Function &F) { return F.getEntryCount().has_value(); });
  if (!HasProfile)
    return;
  InstrProfSummaryBuilder Builder(ProfileSummaryBuilder::DefaultCutoffs);
  for (Function &F : M) {
    if (F.isDeclaration() || !F.getEntryCount())
      continue;
    DominatorTree Dominators(F);
    LoopInfo Loops(Dominators);
    BranchProbabilityInfo Probabilities(F, Loops);
    BlockFrequencyInfo Frequencies(F, Probabilities, Loops);
    std::vector<uint64_t> Counts = {F.getEntryCount()->getCount()};
    for (const BasicBlock &Block : F)
      if (&Block != &F.getEntryBlock())
        Counts.push_back(Frequencies.getBlockProfileCount(&Block).value_or(0));
    Builder.addRecord(InstrProfRecord(std::move(Counts)));
  }
  ProfileSummary Summary = withoutLeastNeeded(*Builder.getSummary());
  M.setProfileSummary(Summary.getMD(M.getContext()), ProfileSummary::PSK_Instr);
}

} // namespace heddle::passes

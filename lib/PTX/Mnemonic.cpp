//===- Mnemonic.cpp - From a mnemonic to its rows ---------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the rows of the table that a mnemonic fits. This is done once for each
// spelling: a module of a million instructions has some hundred of them.
//
// Modifiers may stand in any order, as in ptxas; the types keep theirs.
//
//===----------------------------------------------------------------------===//

#include "ParserImpl.h"
#include "heddle/PTX/Forms.h"

using namespace llvm;

namespace heddle::ptx {

/// The dotted parts of a mnemonic after the first.
struct Parser::Parts {
  SmallVector<StringRef, 12> Texts;
  SmallVector<int, 12> Spellings;
  StringRef Head;

  explicit Parts(StringRef Mnemonic) {
    SmallVector<StringRef, 12> All;
    Mnemonic.split(All, '.');
    Head = All.front().trim();
    for (StringRef Text : ArrayRef(All).drop_front()) {
      // Blanks may stand before a dot.
      Text = Text.trim();
      Texts.push_back(Text);
      Spellings.push_back(findSpelling(Text));
    }
  }
};

/// What the helpers below are about.
using Parts = Parser::Parts;

namespace {

/// Takes out what stands a second time, if it is one of the modifiers of which
/// ptxas overlooks that.
bool dropRepeats(Parts &P) {
  static constexpr StringLiteral Overlooked[] = {
      "sync", "uni", "sat", "satfinite", "cc", "approx", "relu"};
  Parts Old = std::exchange(P, Parts(P.Head));
  for (auto [Text, Spelling] : zip(Old.Texts, Old.Spellings))
    if (!is_contained(Overlooked, Text) || !is_contained(P.Texts, Text)) {
      P.Texts.push_back(Text);
      P.Spellings.push_back(Spelling);
    }
  return P.Texts.size() != Old.Texts.size();
}

/// Whether an opcode has modifiers of a kind in one of its rows.
bool hasKind(ArrayRef<FormRow> Rows, Opcode Op, ModKind Kind) {
  return any_of(Rows, [&](const FormRow &Row) {
    return Row.Op == Op && any_of(Row.getElements(), [&](const FormElement &E) {
             return !E.IsType && getChoices(E).front().Kind == unsigned(Kind);
           });
  });
}

/// Whether ptxas does not look at `.pred` and the opaque types on instructions
/// of a row. On all others it does not look at `.b2`.
bool overlooksOpaqueTypes(const FormRow &Row) {
  static constexpr StringLiteral Opcodes[] = {"abs",
                                              "add",
                                              "atom",
                                              "cos",
                                              "cp.reduce.async.bulk",
                                              "cvt",
                                              "cvt.pack",
                                              "ex2",
                                              "fabric.try_atom.async",
                                              "fabric.try_get.async.tensor",
                                              "fabric.try_pullred.async",
                                              "fabric.try_put.async.tensor",
                                              "fabric.try_red.async",
                                              "fabric.try_red.async.tensor",
                                              "fma",
                                              "ldmatrix",
                                              "lg2",
                                              "max",
                                              "min",
                                              "mul",
                                              "multimem.cp.reduce.async.bulk",
                                              "multimem.ld_reduce",
                                              "multimem.red",
                                              "multimem.st",
                                              "neg",
                                              "rcp",
                                              "red",
                                              "rsqrt",
                                              "set",
                                              "setp",
                                              "sin",
                                              "spcompress",
                                              "spdecompress",
                                              "sqrt",
                                              "sub",
                                              "tanh",
                                              "tcgen05.ld.red.spcompress",
                                              "tcgen05.ld.spcompress",
                                              "wgmma.mma_async",
                                              "wgmma.mma_async.sp",
                                              "wmma.mma"};
  bool IsProduct = any_of(Row.getElements(), [](const FormElement &E) {
    return !E.IsType &&
           getChoices(E).front().Kind == unsigned(ModKind::MulPart);
  });
  return !IsProduct && is_contained(Opcodes, getOpcodeName(Row.Op));
}

/// Whether ptxas does not look at a modifier on instructions of a row.
bool isOverlookedOn(const FormRow &Row, StringRef Text) {
  StringRef Op = getOpcodeName(Row.Op);
  if (Op == "cp.async.bulk.tensor" || Op == "cp.reduce.async.bulk.tensor")
    if (is_contained({"cta", "cluster", "gpu", "sys"}, Text))
      return true;
  if (Op == "fence.proxy" && Text.starts_with("sync_restrict::"))
    return none_of(Row.getElements(), [](const FormElement &E) {
      return !E.IsType &&
             getChoices(E).front().Kind == unsigned(ModKind::SyncRestrict);
    });
  if (Op == "rcp" && Text == "ftz")
    return any_of(Row.getElements(), [](const FormElement &E) {
      return E.IsType && getChoices(E).front().Value == unsigned(Type::F64);
    });
  if (overlooksOpaqueTypes(Row))
    return is_contained({"pred", "texref", "samplerref", "surfref"}, Text);
  return Text == "b2";
}

/// Takes out the modifiers that ptxas does not look at on instructions like
/// that of the row, one of \p Rows.
bool dropOverlooked(Parts &P, const FormRow &Row, ArrayRef<FormRow> Rows) {
  Parts Old = std::exchange(P, Parts(P.Head));
  // The opcode itself has none of them between its parts.
  size_t OpcodeParts = count_if(Row.getElements(), [](const FormElement &E) {
    return !E.IsType && E.Position != AnyPosition &&
           getChoices(E).front().Kind == NoModKind;
  });
  for (auto [I, Text, Spelling] : enumerate(Old.Texts, Old.Spellings)) {
    bool Drop = I >= OpcodeParts && isOverlookedOn(Row, Text);
    for (unsigned K = 0; K != NumModKinds && !Drop && I >= OpcodeParts; ++K)
      Drop = isOverlooked(ModKind(K)) && !hasKind(Rows, Row.Op, ModKind(K)) &&
             findModifierValue(ModKind(K), Text) != 0;
    if (!Drop) {
      P.Texts.push_back(Text);
      P.Spellings.push_back(Spelling);
    }
  }
  return P.Texts.size() != Old.Texts.size();
}

/// More parts than any row has elements.
constexpr unsigned MaxParts = 24;

/// Assigns the parts of a mnemonic to the elements of a row.
class RowMatcher {
public:
  RowMatcher(const FormRow &Row, const Parts &P)
      : Row(Row), P(P), Elements(Row.getElements()) {}

  /// Whether every part finds an element and no required one is left.
  bool match();
  /// The number of parts that found an element when each takes the first
  /// that will do, the first part that found none, and the first required
  /// element that was left.
  unsigned matchPartly(int &FirstBad, const FormElement *&Missing);
  void fill(Mnemonic &Mn) const;

private:
  const FormChoice *find(unsigned Element, int Spelling) const;
  bool isFree(unsigned Element, unsigned Part, unsigned NextType) const;
  bool matchFrom(unsigned Part, unsigned NextType);

  const FormRow &Row;
  const Parts &P;
  ArrayRef<FormElement> Elements;
  /// The choice taken for each element, null when none.
  const FormChoice *Taken[MaxParts] = {};
};

const FormChoice *RowMatcher::find(unsigned Element, int Spelling) const {
  for (const FormChoice &C : getChoices(Elements[Element]))
    if (C.Spelling == Spelling)
      return &C;
  return nullptr;
}

/// Whether the element can take that part, by their places.
bool RowMatcher::isFree(unsigned Element, unsigned Part,
                        unsigned NextType) const {
  const FormElement &E = Elements[Element];
  // What has the same spellings as the element before it comes after it, and so
  // does the operation of a barrier after `red`.
  constexpr ModKind Followers[] = {ModKind::LayoutB, ModKind::SourceSpace,
                                   ModKind::SecondaryPolicy, ModKind::BarRedOp};
  if (Element != 0 && !Taken[Element - 1] && !Elements[Element - 1].Optional &&
      is_contained(Followers, ModKind(getChoices(E).front().Kind)))
    return false;
  return !Taken[Element] && (!E.IsType || Element >= NextType) &&
         (E.Position == AnyPosition || E.Position == Part);
}

bool RowMatcher::matchFrom(unsigned Part, unsigned NextType) {
  if (Part == P.Texts.size()) {
    for (unsigned E = 0; E != Elements.size(); ++E)
      if (!Elements[E].Optional && !Taken[E])
        return false;
    return true;
  }
  for (unsigned E = 0; E != Elements.size(); ++E) {
    if (!isFree(E, Part, NextType))
      continue;
    const FormChoice *C = find(E, P.Spellings[Part]);
    if (!C)
      continue;
    Taken[E] = C;
    if (matchFrom(Part + 1, Elements[E].IsType ? E + 1 : NextType))
      return true;
    Taken[E] = nullptr;
  }
  return false;
}

bool RowMatcher::match() {
  if (P.Texts.size() > Elements.size() || Elements.size() > MaxParts)
    return false;
  // Most rows are found not to match here.
  size_t Required =
      count_if(Elements, [](const FormElement &E) { return !E.Optional; });
  return Required <= P.Texts.size() && matchFrom(0, 0);
}

unsigned RowMatcher::matchPartly(int &FirstBad, const FormElement *&Missing) {
  unsigned NumGood = 0, NextType = 0;
  FirstBad = -1;
  Missing = nullptr;
  for (auto [Part, Spelling] : enumerate(P.Spellings)) {
    bool Found = false;
    for (unsigned E = 0; E != Elements.size() && !Found; ++E) {
      if (!isFree(E, Part, NextType))
        continue;
      Taken[E] = find(E, Spelling);
      Found = Taken[E];
      if (Found && Elements[E].IsType)
        NextType = E + 1;
    }
    NumGood += Found;
    if (!Found && FirstBad < 0)
      FirstBad = Part;
  }
  for (unsigned E = 0; E != Elements.size() && !Missing; ++E)
    if (!Elements[E].Optional && !Taken[E])
      Missing = &Elements[E];
  return NumGood;
}

void RowMatcher::fill(Mnemonic &Mn) const {
  Mn.Op = Row.Op;
  Mn.Form = &Row;
  for (unsigned E = 0; E != Elements.size(); ++E) {
    if (!Taken[E])
      continue;
    if (Elements[E].IsType)
      Mn.Types[Mn.NumTypes++] = Type(Taken[E]->Value);
    else if (Taken[E]->Kind != NoModKind)
      Mn.Mods[Taken[E]->Kind] = Taken[E]->Value;
  }
}

/// `.rn, .rz, .rm or .rp`
std::string listChoices(ArrayRef<FormChoice> Choices) {
  std::string List;
  for (auto [I, C] : enumerate(Choices)) {
    if (I == 8 && Choices.size() > 9) {
      List += " ...";
      break;
    }
    if (I != 0)
      List += I + 1 == Choices.size() ? " or " : ", ";
    List += ("." + getSpelling(C.Spelling)).str();
  }
  return List;
}

/// Bits of the vector that .v2, .v4 or .v8 makes, 0 when there is none.
unsigned getVectorBits(const Mnemonic &Mn) {
  // v2, v4 and v8 are the values 1, 2 and 3.
  unsigned Log = Mn.Mods[unsigned(ModKind::Vec)];
  return Log == 0 || Mn.NumTypes == 0 ? 0 : getTypeBits(Mn.Types[0]) << Log;
}

/// A row as PTX's manual would write it: `add{.rn|.rz}{.ftz}.f32`.
std::string describeForm(const FormRow &Row) {
  std::string Text = getOpcodeName(Row.Op).split('.').first.str();
  for (const FormElement &E : Row.getElements()) {
    ArrayRef<FormChoice> Choices = getChoices(E);
    bool Group = !E.Optional && Choices.size() > 1;
    Text += E.Optional ? "{" : Group ? "(" : "";
    for (auto [I, C] : enumerate(Choices.take_front(8)))
      Text += ((I == 0 ? "." : "|.") + getSpelling(C.Spelling)).str();
    Text += Choices.size() > 8 ? "|..." : "";
    Text += E.Optional ? "}" : Group ? ")" : "";
  }
  return Text;
}

std::string versionText(unsigned Code) {
  return std::to_string(Code / 10) + "." + std::to_string(Code % 10);
}

} // namespace

/// Whether the module's version and target have a form and its modifiers.
bool Parser::checkAvailability(const Mnemonic &Mn, SourceRange Where,
                               bool Report) {
  // Without a header there is nothing to compare with, and that was reported.
  if (!SawVersion || !SawTarget || M->GPU.Sm == 0)
    return true;
  unsigned MinVersion = Mn.Form->MinVersion, MinSm = 0;
  for (unsigned K = 0; K != NumModKinds; ++K)
    if (Mn.Mods[K]) {
      MinVersion =
          std::max(MinVersion, getModifierMinVersion(ModKind(K), Mn.Mods[K]));
      MinSm = std::max(MinSm, getModifierMinSm(ModKind(K), Mn.Mods[K]));
    }
  if (MinVersion > M->PTXVersion.getCode()) {
    if (Report)
      noteHeader(Diags.error(Where, "'" + Mn.Spelling + "' needs .version " +
                                        versionText(MinVersion) +
                                        "; .version is " +
                                        versionText(M->PTXVersion.getCode())),
                 VersionWhere);
    return false;
  }
  const FormRow &Form = *Mn.Form;
  if (isGone(Form, M->PTXVersion.getCode(), M->GPU)) {
    std::string Place =
        Form.GoneSm <= 1
            ? ""
            : " on sm_" + std::to_string(Form.GoneSm) + " and later";
    std::string Since =
        Form.GoneVersion == 0
            ? ""
            : " since .version " + versionText(Form.GoneVersion);
    if (Report)
      failAt(Where, "'" + Mn.Spelling + "' is not available" + Place + Since +
                        (Form.getAdvice().empty() ? "" : "; ") +
                        Form.getAdvice());
    return false;
  }
  ArrayRef<Target> Needs = Form.getTargets();
  bool Met = isMetBy(Needs, M->GPU);
  for (unsigned K = 0; K != NumModKinds && Met; ++K)
    if (Mn.Mods[K]) {
      ArrayRef<Target> More = getModifierTargets(ModKind(K), Mn.Mods[K]);
      Met = isMetBy(More, M->GPU);
      Needs = Met ? Needs : More;
    }
  std::string Text;
  for (const Target &Need : Needs)
    if (Need.Sm > MinSm || Need.Suffix)
      Text += (Text.empty() ? "" : " or ") + Need.str();
  if (Met && MinSm <= M->GPU.Sm)
    return true;
  if (Met || Text.empty())
    Text = "sm_" + std::to_string(MinSm);
  if (Report)
    noteHeader(Diags.error(Where, "'" + Mn.Spelling + "' needs " + Text +
                                      "; .target is " + M->GPU.str()),
               TargetWhere);
  return false;
}

/// Adds the mnemonic to those that a row allows, if the parts fit the row.
void Parser::matchRow(const FormRow &Row, const Parts &P, StringRef Text,
                      Matches &Result) {
  RowMatcher Matcher(Row, P);
  if (!Matcher.match())
    return;
  auto *Mn = create<Mnemonic>();
  Mn->Spelling = Text;
  Matcher.fill(*Mn);
  if (getVectorBits(*Mn) > Row.MaxVectorBits)
    Result.TooWide = &Row;
  else if (checkAvailability(*Mn, {}, false))
    Result.Available.push_back(Mn);
  else
    Result.Unavailable.push_back(Mn);
}

Parser::MnemonicSet Parser::resolveMnemonic(StringRef Text, SourceLoc Loc) {
  auto It = Mnemonics.find(Text);
  if (It != Mnemonics.end())
    return It->second;

  Matches Found;
  Parts P(Text);
  SourceRange Where{Loc, uint32_t(Text.size())};
  if (dropRepeats(P))
    Diags.warning(WarningId::RepeatedModifier, Where,
                  "a modifier of '" + Text + "' is written twice");
  ArrayRef<FormRow> Rows;
  if (P.Texts.size() <= MaxParts)
    Rows = findForms(P.Head);
  for (const FormRow &Row : Rows)
    matchRow(Row, P, Text, Found);
  if (Found.isEmpty()) {
    for (const FormRow &Row : Rows)
      if (Parts Rest = P; dropOverlooked(Rest, Row, Rows))
        matchRow(Row, Rest, Text, Found);
    if (!Found.Available.empty())
      Diags.warning(WarningId::IgnoredModifier, Where,
                    "a modifier of '" + Text +
                        "' belongs to other instructions and has no effect");
  }
  if (!Found.Available.empty())
    return Mnemonics[Text] = save(Found.Available);
  if (Found.TooWide && Found.Unavailable.empty())
    failAt(Where, "'" + Text + "' is too wide: a vector may have at most " +
                      Twine(Found.TooWide->MaxVectorBits) + " bits");
  else if (!Found.Unavailable.empty())
    checkAvailability(*Found.Unavailable.front(), Where, true);
  else
    reportMnemonic(Text, Loc);
  return {};
}

namespace {

/// The row that was meant by a mnemonic that fits none.
struct NearestForm {
  const FormRow *Row = nullptr;
  int Bad = -1;                         ///< The part that does not fit, or -1.
  const FormElement *Missing = nullptr; ///< What should stand there.
  /// Where parts are missing at the end, what rows that fit as well go on with.
  SmallVector<FormChoice> NextParts;
};

} // namespace

static bool isAmong(int Spelling, ArrayRef<FormChoice> Choices) {
  return any_of(Choices,
                [&](const FormChoice &C) { return C.Spelling == Spelling; });
}

/// The row that most parts fit.
static NearestForm findNearestForm(const Parts &P, ArrayRef<FormRow> Rows) {
  NearestForm Best;
  int Score = INT_MIN;
  for (const FormRow &Row : Rows) {
    if (Row.NumElements > MaxParts)
      continue;
    int Bad;
    const FormElement *Missing;
    int Good = RowMatcher(Row, P).matchPartly(Bad, Missing);
    int RowScore = 4 * Good - (Missing ? 1 : 0);
    if (RowScore > Score) {
      Score = RowScore;
      Best = {&Row, Bad, Missing, {}};
    }
    if (RowScore == Score && Bad < 0 && Missing &&
        Missing->IsType == Best.Missing->IsType)
      for (const FormChoice &C : getChoices(*Missing))
        if (!isAmong(C.Spelling, Best.NextParts))
          Best.NextParts.push_back(C);
  }
  return Best;
}

/// What is wrong with a part that exists, but not there.
static std::string describeMisplaced(const Parts &P, StringRef Text,
                                     const NearestForm &Form) {
  StringRef Bad = P.Texts[Form.Bad];
  bool IsMissing =
      Form.Missing && isAmong(P.Spellings[Form.Bad], getChoices(*Form.Missing));
  if (IsMissing && Form.Missing->Position == 0)
    return ("'." + Bad + "' must stand right behind '" + P.Head + "'").str();
  if (IsMissing)
    return ("'." + Bad + "' is in the wrong place in '" + Text + "'").str();
  std::string Message =
      ("'." + Bad + "' is not allowed on '" + P.Head + "' here").str();
  if (Form.Missing)
    Message += "; expected " + listChoices(getChoices(*Form.Missing));
  return Message;
}

/// Says why a mnemonic fits no row: the opcode is unknown, a part is unknown
/// or not allowed, or one is missing.
void Parser::reportMnemonic(StringRef Text, SourceLoc Loc) {
  Parts P(Text);
  ArrayRef<FormRow> Rows = findForms(P.Head);
  if (Rows.empty()) {
    failNear({Loc, uint32_t(P.Head.size())},
             "unknown instruction '" + P.Head + "'",
             findNearest(P.Head, getAllHeads()));
    return;
  }
  NearestForm Nearest = findNearestForm(P, Rows);
  std::string Form = "the nearest form is " + describeForm(*Nearest.Row);
  if (Nearest.Bad < 0) {
    SourceRange End{{Loc.Offset + uint32_t(Text.size())}, 1};
    std::string What = Nearest.NextParts.empty()
                           ? "another form"
                           : listChoices(Nearest.NextParts);
    Diags.error(End, "'" + Text + "' is incomplete: expected " + What)
        .note({}, Form);
    return;
  }
  StringRef Bad = P.Texts[Nearest.Bad];
  SourceRange Where{{Loc.Offset + uint32_t(Bad.data() - Text.data())},
                    uint32_t(Bad.size())};
  if (P.Spellings[Nearest.Bad] >= 0) {
    Diags.error(Where, describeMisplaced(P, Text, Nearest)).note({}, Form);
    return;
  }
  SmallVector<StringRef> Candidates;
  for (const FormRow &Row : Rows)
    for (const FormElement &E : Row.getElements())
      for (const FormChoice &C : getChoices(E))
        Candidates.push_back(getSpelling(C.Spelling));
  Diags.error(Where, "unknown modifier '." + Bad + "' on '" + P.Head + "'")
      .suggest(findNearest(Bad, Candidates), ".")
      .note({}, Form);
}

} // namespace heddle::ptx

//===- PTXTableEmitter.cpp - The PTX instruction table ----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// -gen-ptx-table: reads the rows of lib/PTX/PTXInstructions.td and writes the
// enumerators (GET_PTX_ENUMS) and tables (GET_PTX_TABLES) that
// include/heddle/PTX/Tables.h gives access to. PTXBase.td explains how a row
// is written.
//
//===----------------------------------------------------------------------===//

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TableGen/Error.h"
#include "llvm/TableGen/Record.h"
#include "llvm/TableGen/TableGenBackend.h"
#include <map>
#include <set>

using namespace llvm;

namespace {

/// Kind of a choice that is a part of the opcode, and of one that is a type.
constexpr int OpcodePart = -1;
constexpr int TypeChoice = -2;
/// Of an element that may stand anywhere.
constexpr unsigned AnyPosition = 255;

struct Choice {
  std::string Spelling;
  int Kind; ///< Index of the modifier kind, OpcodePart or TypeChoice.
  int Value;
  auto operator<=>(const Choice &) const = default;
};

struct Element {
  std::vector<Choice> Choices;
  bool Optional = false;
  bool IsType = false;
  /// The only place among the dotted parts where it may stand.
  unsigned Position = AnyPosition;
};

/// The texts that the tables refer to, each of them once.
class TextPool {
public:
  /// The initializer of a TableText.
  std::string refer(const Twine &Text) {
    auto [It, New] = Offsets.try_emplace(Text.str(), Size);
    if (New) {
      Size += It->first.size();
      Order.push_back(&It->first);
    }
    return ("{" + Twine(It->second) + ", " + Twine(It->first.size()) + "}")
        .str();
  }
  void emit(raw_ostream &OS) const;

private:
  std::map<std::string, size_t> Offsets;
  std::vector<const std::string *> Order;
  size_t Size = 0;
};

void TextPool::emit(raw_ostream &OS) const {
  OS << "static constexpr char Texts[] =";
  for (const std::string *Text : Order) {
    OS << "\n    \"";
    OS.write_escaped(*Text) << '"';
  }
  OS << ";\n\n";
}

/// One operand, its fields as C++ initializers in the order of OperandSpec.
struct OperandText {
  std::string Role, Rule = "Any", Name;
  unsigned Value = 0, VectorWidth = 0, NumValues = 0, FirstValue = 0,
           Multiple = 1;
  std::string Space = "NoModKind", With = "NoModKind", WidthKind = "NoModKind";
  unsigned WidthTimes = 1, WidthOver = 1, WidthLess = 0, GroupSize = 0,
           VariableSpace = 0;
  std::string Selector = "None";
  bool Optional = false, Wider = false, Twice = false, Sink = false,
       Pair = false, PairRequired = false, Negatable = false,
       VecModifier = false, Packable = false, Special = false, Address = false,
       Minus = false, NoConstant = false, Longer = false, FirstIndex = false,
       Braces = false, Independent = false, Exact = false, Unchecked = false;
  std::string str(TextPool &Texts) const;
};

std::string OperandText::str(TextPool &Texts) const {
  std::string S;
  raw_string_ostream OS(S);
  OS << "{OperandRole::" << Role << ", OperandTypeRule::" << Rule << ", "
     << Value << ", " << VectorWidth << ", uint8_t(" << Space << "), uint8_t("
     << With << "), uint8_t(" << WidthKind << "), " << WidthTimes << ", "
     << WidthOver << ", " << WidthLess << ", " << GroupSize << ", "
     << VariableSpace << ", OperandSelector::" << Selector << ", " << NumValues
     << ", " << FirstValue << ", " << Multiple;
  for (bool Flag : {Optional, Wider, Twice, Sink, Pair, PairRequired, Negatable,
                    VecModifier, Packable, Special, Address, Minus, NoConstant,
                    Longer, FirstIndex, Braces, Independent, Exact, Unchecked})
    OS << ", " << Flag;
  OS << ", " << Texts.refer(Name) << "}";
  return S;
}

class PTXTableEmitter {
public:
  explicit PTXTableEmitter(const RecordKeeper &Records);
  void run(raw_ostream &OS);

private:
  void readSpellings();
  unsigned spellingIndex(StringRef Text) const;
  std::vector<Element> parseMnemonic(const Record *Row);
  Element parseElement(const Record *Row, StringRef Text);
  void addSpelling(const Record *Row, StringRef Text, Element &E);
  void addSet(const Record *Row, const Record *Set, Element &E);
  std::vector<OperandText> parseOperands(const Record *Row);
  OperandText parseOperand(const Record *Row, StringRef Whole);
  void parseGroup(const Record *Row, StringRef Text,
                  std::vector<OperandText> &Result);
  void parseWidth(const Record *Row, StringRef Text, OperandText &O);
  void parseMarks(const Record *Row, StringRef Text, OperandText &O);
  std::string parseAllowedValues(const Record *Row, StringRef Text,
                                 OperandText &O);
  void parseOperandType(const Record *Row, StringRef Text, OperandText &O);
  unsigned findStateSpace(const Record *Row, StringRef Name);
  void parseAddressSpace(const Record *Row, StringRef Text, OperandText &O);
  void emitEnums(raw_ostream &OS);
  void emitNames(raw_ostream &OS);
  void emitSpecialRegs(raw_ostream &OS);
  struct FormTables;
  FormTables formTables();
  std::string rowText(const Record *Row, size_t NumElements, size_t NumOperands,
                      FormTables &To);
  void addElement(const Element &E, FormTables &To);
  void emitForms(raw_ostream &OS);

  const RecordKeeper &Records;
  std::vector<const Record *> Types, Kinds, Rows, SpecialRegs;
  std::vector<std::string> Opcodes;
  /// Values that immediate operands may have, one row after the other.
  std::vector<std::string> Values;
  /// What modifiers require, after the targets of all rows.
  std::vector<std::string> ModifierTargets;
  /// All spellings of modifiers, types and later parts of opcodes, sorted.
  std::vector<std::string> Spellings;
};

/// `L1::evict_last` as an enumerator: L1EvictLast.
std::string enumerator(StringRef Spelling) {
  std::string Name;
  bool Up = true;
  for (char C : Spelling) {
    if (!isAlnum(C)) {
      Up = true;
      continue;
    }
    if (Name.empty() && isDigit(C))
      Name += 'N';
    Name += Up ? toUpper(C) : C;
    Up = false;
  }
  return Name;
}

/// `sm_90a` as the fields of a Target.
std::string targetText(const Record *R, StringRef Name) {
  StringRef Number = Name;
  if (!Number.consume_front("sm_"))
    PrintFatalError(R, "bad target '" + Name + "'");
  StringRef Suffix = Number.ltrim("0123456789");
  return ("{" + Number.drop_back(Suffix.size()) + ", " +
          (Suffix.empty() ? "0" : "'" + Suffix.str() + "'") + "}")
      .str();
}

/// The opcode without the marks of its movable parts.
std::string opcodeOf(const Record *Row) {
  std::string Op = Row->getValueAsString("Opcode").str();
  llvm::erase(Op, '~');
  return Op;
}

/// Definitions of a class in the order of the file.
std::vector<const Record *> inOrder(const RecordKeeper &Records,
                                    StringRef Class) {
  std::vector<const Record *> All(Records.getAllDerivedDefinitions(Class));
  llvm::sort(All, [](const Record *A, const Record *B) {
    return A->getID() < B->getID();
  });
  return All;
}

PTXTableEmitter::PTXTableEmitter(const RecordKeeper &Records)
    : Records(Records), Types(inOrder(Records, "PTXType")),
      Kinds(inOrder(Records, "ModKind")), Rows(inOrder(Records, "Row")),
      SpecialRegs(inOrder(Records, "SpecialRegister")) {
  auto Head = [](const Record *R) {
    return R->getValueAsString("Opcode").split('.').first;
  };
  llvm::sort(Rows, [&](const Record *A, const Record *B) {
    return std::pair(Head(A), A->getID()) < std::pair(Head(B), B->getID());
  });
  for (const Record *Row : Rows) {
    std::string Op = opcodeOf(Row);
    if (!is_contained(Opcodes, Op))
      Opcodes.push_back(Op);
  }
  readSpellings();
}

void PTXTableEmitter::readSpellings() {
  std::set<std::string> All;
  for (const Record *T : Types)
    All.insert(T->getValueAsString("Spelling").str());
  for (const Record *K : Kinds)
    for (StringRef S : K->getValueAsListOfStrings("Spellings"))
      All.insert(S.str());
  for (StringRef Op : Opcodes) {
    SmallVector<StringRef> Parts;
    Op.split(Parts, '.');
    for (StringRef Part : ArrayRef(Parts).drop_front())
      All.insert(Part.str());
  }
  Spellings.assign(All.begin(), All.end());
}

unsigned PTXTableEmitter::spellingIndex(StringRef Text) const {
  return llvm::lower_bound(Spellings, Text) - Spellings.begin();
}

//===----------------------------------------------------------------------===//
// Mnemonics
//===----------------------------------------------------------------------===//

/// Adds the type or modifier that alone has this spelling.
void PTXTableEmitter::addSpelling(const Record *Row, StringRef Text,
                                  Element &E) {
  std::vector<Choice> Found;
  for (auto [I, T] : enumerate(Types))
    if (T->getValueAsString("Spelling") == Text)
      Found.push_back({Text.str(), TypeChoice, int(I)});
  for (auto [I, K] : enumerate(Kinds))
    for (auto [V, S] : enumerate(K->getValueAsListOfStrings("Spellings")))
      if (S == Text)
        Found.push_back({Text.str(), int(I), int(V) + 1});
  if (Found.empty())
    PrintFatalError(Row, "no type or modifier is spelled '" + Text + "'");
  if (Found.size() > 1)
    PrintFatalError(Row, "several modifiers are spelled '" + Text +
                             "': write Kind(" + Text + ")");
  E.Choices.push_back(Found.front());
}

/// Adds the members of a TypeSet, ModSet or ModKind.
void PTXTableEmitter::addSet(const Record *Row, const Record *Set, Element &E) {
  if (Set->isSubClassOf("TypeSet")) {
    for (const Record *T : Set->getValueAsListOfDefs("Types"))
      E.Choices.push_back({T->getValueAsString("Spelling").str(), TypeChoice,
                           int(llvm::find(Types, T) - Types.begin())});
    return;
  }
  bool IsSet = Set->isSubClassOf("ModSet");
  if (!IsSet && !Set->isSubClassOf("ModKind"))
    PrintFatalError(Row,
                    Set->getName() + " is not a set of types or modifiers");
  const Record *Kind = IsSet ? Set->getValueAsDef("Kind") : Set;
  auto All = Kind->getValueAsListOfStrings("Spellings");
  auto Values = IsSet ? Set->getValueAsListOfStrings("Values") : All;
  int KindIndex = llvm::find(Kinds, Kind) - Kinds.begin();
  for (StringRef V : Values) {
    auto It = llvm::find(All, V);
    if (It == All.end())
      PrintFatalError(Set, Kind->getName() + " has no value '" + V + "'");
    E.Choices.push_back({V.str(), KindIndex, int(It - All.begin()) + 1});
  }
}

/// One element without braces and dot: `ftz`, `(u32|s32)`, `Int32`,
/// `CmpOp(eq|ne)`.
Element PTXTableEmitter::parseElement(const Record *Row, StringRef Text) {
  Element E;
  size_t Open = Text.find('(');
  StringRef Name = Text.take_front(Open);
  const Record *Set = Name.empty() ? nullptr : Records.getDef(Name);
  SmallVector<StringRef> Parts;
  if (Open == StringRef::npos) {
    if (Set)
      addSet(Row, Set, E);
    else
      addSpelling(Row, Text, E);
  } else {
    if (!Text.ends_with(")"))
      PrintFatalError(Row, "missing ')' in '" + Text + "'");
    Text.drop_front(Open + 1).drop_back().split(Parts, '|');
    if (!Name.empty() && !Set)
      PrintFatalError(Row, "no modifier '" + Name + "'");
    Element All;
    if (Set)
      addSet(Row, Set, All);
    for (StringRef Part : Parts) {
      if (!Set) {
        if (const Record *PartSet = Records.getDef(Part))
          addSet(Row, PartSet, E);
        else
          addSpelling(Row, Part, E);
        continue;
      }
      auto It = find_if(All.Choices,
                        [&](const Choice &C) { return C.Spelling == Part; });
      if (It == All.Choices.end())
        PrintFatalError(Row, Name + " has no value '" + Part + "'");
      E.Choices.push_back(*It);
    }
  }
  E.IsType = E.Choices.front().Kind == TypeChoice;
  for (const Choice &C : E.Choices)
    if ((C.Kind == TypeChoice) != E.IsType)
      PrintFatalError(Row, "'" + Text + "' mixes types and modifiers");
  return E;
}

std::vector<Element> PTXTableEmitter::parseMnemonic(const Record *Row) {
  std::vector<Element> Elements;
  SmallVector<StringRef> Parts;
  Row->getValueAsString("Opcode").split(Parts, '.');
  for (StringRef Part : ArrayRef(Parts).drop_front()) {
    unsigned Position =
        Part.consume_front("~") ? AnyPosition : unsigned(Elements.size());
    Elements.push_back({{{Part.str(), OpcodePart, 0}}, false, false, Position});
  }

  StringRef Rest = Row->getValueAsString("Suffix");
  unsigned NumTypes = 0;
  while (!Rest.empty()) {
    bool Optional = Rest.consume_front("{");
    if (!Rest.consume_front("."))
      PrintFatalError(Row, "expected '.' at '" + Rest + "'");
    bool First = Rest.consume_front("^");
    unsigned Depth = 0;
    size_t End = 0;
    for (; End != Rest.size(); ++End) {
      char C = Rest[End];
      Depth += C == '(';
      if (Depth == 0 && (C == '.' || C == '{' || C == '}'))
        break;
      Depth -= C == ')';
    }
    Element E = parseElement(Row, Rest.take_front(End));
    Rest = Rest.drop_front(End);
    if (Optional && !Rest.consume_front("}"))
      PrintFatalError(Row, "missing '}' at '" + Rest + "'");
    E.Optional = Optional;
    E.Position = First ? 0 : AnyPosition;
    if (E.IsType && (Optional || ++NumTypes > 6))
      PrintFatalError(Row, "optional type, or too many types");
    Elements.push_back(std::move(E));
  }
  return Elements;
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

void PTXTableEmitter::parseOperandType(const Record *Row, StringRef Text,
                                       OperandText &O) {
  if (Text == "any")
    return;
  if (Text == "sink") {
    O.Rule = "Sink";
    O.Sink = true;
    return;
  }
  if (Text.size() == 1 && isDigit(Text[0])) {
    O.Rule = "Suffix";
    O.Value = Text[0] - '0';
    return;
  }
  if (Text.size() == 2 && Text[0] == 'w' && isDigit(Text[1])) {
    O.Rule = "Wide";
    O.Value = Text[1] - '0';
    return;
  }
  for (auto [I, T] : enumerate(Types))
    if (T->getValueAsString("Spelling") == Text) {
      O.Rule = "Fixed";
      O.Value = I;
      return;
    }
  PrintFatalError(Row, "unknown operand type '" + Text + "'");
}

/// The enumerator of a state space.
unsigned PTXTableEmitter::findStateSpace(const Record *Row, StringRef Name) {
  auto Spaces =
      Records.getDef("StateSpace")->getValueAsListOfStrings("Spellings");
  auto It = llvm::find(Spaces, Name);
  if (It == Spaces.end())
    PrintFatalError(Row, "unknown state space '" + Name + "'");
  return It - Spaces.begin() + 1;
}

void PTXTableEmitter::parseAddressSpace(const Record *Row, StringRef Text,
                                        OperandText &O) {
  auto [Space, OfVariables] = Text.split('/');
  if (!OfVariables.empty())
    O.VariableSpace = findStateSpace(Row, OfVariables);
  Space.consume_front(":");
  O.Space = "ModKind::StateSpace";
  if (Space.empty())
    return;
  if (const Record *Kind = Records.getDef(Space)) {
    O.Space = ("ModKind::" + Kind->getName()).str();
    return;
  }
  O.Space = "NoModKind";
  O.Rule = "Fixed";
  O.Value = findStateSpace(Row, Space);
}

/// Takes the `(4|8)` or the `(*32)` out of `#a(4|8):u32`.
std::string PTXTableEmitter::parseAllowedValues(const Record *Row,
                                                StringRef Text,
                                                OperandText &O) {
  auto [Before, Rest] = Text.split('(');
  auto [List, After] = Rest.split(')');
  if (List.consume_front("*")) {
    if (List.getAsInteger(10, O.Multiple))
      PrintFatalError(Row, "bad value '" + List + "'");
    return (Before + After).str();
  }
  SmallVector<StringRef> Parts;
  List.split(Parts, '|', -1, false);
  O.NumValues = Parts.size();
  O.FirstValue = Values.size();
  for (StringRef Part : Parts) {
    int64_t Value;
    if (Part.getAsInteger(10, Value))
      PrintFatalError(Row, "bad value '" + Part + "'");
    Values.push_back(Part.str());
  }
  return (Before + After).str();
}

/// What stands in the braces of `{4}`, `{Kind}`, `{Kind*2}`, `{Kind/4}` and
/// `{Kind-2}`, after the opening one.
void PTXTableEmitter::parseWidth(const Record *Row, StringRef Text,
                                 OperandText &O) {
  if (!Text.consume_back("}"))
    PrintFatalError(Row, "missing '}' at '" + Text + "'");
  StringRef Name = Text.take_while([](char C) { return isAlnum(C); });
  if (!Name.getAsInteger(10, O.VectorWidth))
    return;
  const Record *Kind = Records.getDef(Name);
  if (!Kind || !Kind->isSubClassOf("ModKind") ||
      Kind->getValueAsListOfInts("Numbers").empty())
    PrintFatalError(Row, "'" + Name + "' is no modifier with numbers");
  O.WidthKind = ("ModKind::" + Name).str();
  StringRef Rest = Text.drop_front(Name.size());
  if (Rest.empty())
    return;
  unsigned &Number = Rest[0] == '*'   ? O.WidthTimes
                     : Rest[0] == '/' ? O.WidthOver
                                      : O.WidthLess;
  if (!StringRef("*/-").contains(Rest[0]) ||
      Rest.drop_front().getAsInteger(10, Number))
    PrintFatalError(Row, "bad vector width '" + Text + "'");
}

void PTXTableEmitter::parseMarks(const Record *Row, StringRef Text,
                                 OperandText &O) {
  O.Wider = Text.contains('~');
  O.Twice = Text.contains("~~");
  O.Sink = Text.contains('_');
  O.Pair = Text.contains('|');
  O.PairRequired = Text.contains("||");
  O.VecModifier = Text.contains('*');
  O.Packable = Text.contains('^');
  O.Special = Text.contains('%');
  O.Address = Text.contains('&');
  O.Minus = Text.contains('-');
  O.NoConstant = Text.contains('$');
  O.Longer = Text.contains('+');
  O.FirstIndex = Text.contains('#');
  O.Braces = Text.contains('!');
  O.Independent = Text.contains('@');
  O.Exact = Text.contains('=');
  O.Unchecked = Text.contains('<');
  if (Text.find_first_not_of("~_|*^%&-$+#!@=<") != StringRef::npos)
    PrintFatalError(Row, "unknown mark in '" + Text + "'");
}

/// The role of what stands for the parts of a branch or a call, after "@" or as
/// "<callee>".
static std::string roleOfControl(StringRef Text) {
  return StringSwitch<StringRef>(Text)
      .Case("<targets>", "Targets")
      .Case("<returns>", "Returns")
      .Case("<callee>", "Callee")
      .Case("<args>", "Arguments")
      .Case("<proto>", "Prototype")
      .Default("Label")
      .str();
}

OperandText PTXTableEmitter::parseOperand(const Record *Row, StringRef Whole) {
  std::string Plain = Whole.str();
  StringRef Text = Plain;
  OperandText O;
  if (auto [Rest, Kind] = Text.split('?'); Rest.size() != Text.size()) {
    O.Optional = true;
    Text = Rest;
    if (!Kind.empty()) {
      if (!Records.getDef(Kind))
        PrintFatalError(Row, "no modifier '" + Kind + "'");
      O.With = ("ModKind::" + Kind).str();
    }
  }
  if (Text.consume_front("[")) {
    auto [Place, Space] = Text.split(']');
    StringRef Name =
        Place.take_while([](char C) { return isAlnum(C) || C == '_'; });
    O.Role = "Address";
    O.Name = Name.str();
    parseMarks(Row, Place.drop_front(Name.size()), O);
    parseAddressSpace(Row, Space, O);
    return O;
  }
  if (Text.consume_front("@") || Text.starts_with("<")) {
    O.Role = roleOfControl(Text);
    O.Name = Text.trim("<>").str();
    return O;
  }
  if (Text.contains('('))
    Text = Plain = parseAllowedValues(Row, Text, O);
  O.Role = Text.consume_front("=")   ? "Dest"
           : Text.consume_front("#") ? "Immediate"
                                     : "Source";
  auto [Left, Type] = Text.split(':');
  StringRef Name =
      Left.take_while([](char C) { return isAlnum(C) || C == '_'; });
  // A trailing underscore is the mark of the sink.
  Name = Name.rtrim('_');
  O.Name = Name.str();
  StringRef Flags = Left.drop_front(Name.size());
  if (auto [Marks, Selector] = Flags.split('.'); !Selector.empty()) {
    O.Selector = Selector.str();
    Flags = Marks;
  }
  if (size_t Open = Flags.find('{'); Open != StringRef::npos) {
    parseWidth(Row, Flags.drop_front(Open + 1), O);
    Flags = Flags.take_front(Open);
  }
  parseMarks(Row, Flags, O);
  parseOperandType(Row, Type, O);
  // Any predicate that is read may be negated.
  O.Negatable = O.Role == "Source";
  return O;
}

/// Splits at the commas that are outside of brackets.
std::vector<StringRef> splitOperands(StringRef Text) {
  std::vector<StringRef> Parts;
  unsigned Depth = 0;
  size_t Begin = 0;
  for (auto [I, C] : enumerate(Text)) {
    Depth += C == '[';
    Depth -= C == ']';
    if (C == ',' && Depth == 0) {
      Parts.push_back(Text.slice(Begin, I).trim());
      Begin = I + 1;
    }
  }
  if (StringRef Last = Text.drop_front(Begin).trim(); !Last.empty())
    Parts.push_back(Last);
  return Parts;
}

/// `[t:texref, s:samplerref?, c{2}:1]`: the members one after the other, the
/// first with their number.
void PTXTableEmitter::parseGroup(const Record *Row, StringRef Text,
                                 std::vector<OperandText> &Result) {
  size_t First = Result.size();
  for (StringRef Part : splitOperands(Text.drop_front().drop_back())) {
    Result.push_back(parseOperand(Row, Part));
    OperandText &O = Result.back();
    if (StringSwitch<bool>(Part.split(':').second.split('?').first)
            .Cases({"texref", "samplerref", "surfref"}, true)
            .Default(false))
      O.Role = "Object";
  }
  Result[First].GroupSize = Result.size() - First;
}

std::vector<OperandText> PTXTableEmitter::parseOperands(const Record *Row) {
  std::vector<OperandText> Result;
  for (StringRef Part : splitOperands(Row->getValueAsString("Operands"))) {
    bool IsGroup = Part.starts_with("[") && Part.ends_with("]") &&
                   Part.find_first_of(":,") != StringRef::npos;
    if (IsGroup)
      parseGroup(Row, Part, Result);
    else
      Result.push_back(parseOperand(Row, Part));
  }
  return Result;
}

//===----------------------------------------------------------------------===//
// Output
//===----------------------------------------------------------------------===//

void PTXTableEmitter::emitEnums(raw_ostream &OS) {
  OS << "#ifdef GET_PTX_ENUMS\n#undef GET_PTX_ENUMS\n";
  OS << "enum class Type : uint8_t {\n";
  for (const Record *T : Types)
    OS << "  " << T->getName() << ", ///< ." << T->getValueAsString("Spelling")
       << "\n";
  OS << "  None, ///< where there is none\n};\n"
        "inline constexpr unsigned NumTypes = "
     << Types.size() << ";\n\n";

  OS << "enum class Opcode : uint16_t {\n";
  for (const std::string &Op : Opcodes)
    OS << "  " << enumerator(Op) << ", ///< " << Op << "\n";
  OS << "};\ninline constexpr unsigned NumOpcodes = " << Opcodes.size()
     << ";\n\n";

  OS << "enum class SpecialReg : uint8_t {\n";
  for (const Record *R : SpecialRegs)
    OS << "  " << enumerator(R->getValueAsString("Name")) << ", ///< "
       << R->getValueAsString("Name") << "\n";
  OS << "};\n\n";

  OS << "enum class ModKind : uint8_t {\n";
  for (const Record *K : Kinds)
    OS << "  " << K->getName() << ",\n";
  OS << "};\ninline constexpr unsigned NumModKinds = " << Kinds.size()
     << ";\ntemplate <typename EnumT> struct ModKindOf;\n\n";
  for (const Record *K : Kinds) {
    OS << "enum class " << K->getName() << " : uint8_t {\n  None,\n";
    for (StringRef S : K->getValueAsListOfStrings("Spellings"))
      OS << "  " << enumerator(S) << ", ///< ." << S << "\n";
    OS << "};\ntemplate <> struct ModKindOf<" << K->getName()
       << "> {\n  static constexpr ModKind Value = ModKind::" << K->getName()
       << ";\n};\n\n";
  }
  OS << "#endif // GET_PTX_ENUMS\n\n";
}

void PTXTableEmitter::emitNames(raw_ostream &OS) {
  size_t NumRowTargets = 0;
  for (const Record *Row : Rows)
    NumRowTargets += Row->getValueAsListOfStrings("Targets").size();
  auto EmitStrings = [&](StringRef Name, const auto &Strings) {
    OS << "static constexpr StringLiteral " << Name << "[] = {\n";
    for (const auto &S : Strings)
      OS << "    \"" << S << "\",\n";
    OS << "};\n\n";
  };
  EmitStrings("Spellings", Spellings);
  EmitStrings("OpcodeNames", Opcodes);

  OS << "static constexpr TypeRecord TypeTable[] = {\n";
  for (const Record *T : Types)
    OS << "    {\"" << T->getValueAsString("Spelling") << "\", "
       << T->getValueAsInt("Width")
       << ", TypeClass::" << T->getValueAsDef("Class")->getValueAsString("Name")
       << ", " << T->getValueAsBit("Constants") << "},\n";
  OS << "    {\"\", 0, TypeClass::Bits, false}, // None\n};\n\n";

  std::map<std::pair<std::string, std::string>, const Record *> Since;
  for (const Record *S : Records.getAllDerivedDefinitions("ModSince"))
    Since[{S->getValueAsDef("Kind")->getName().str(),
           S->getValueAsString("Value").str()}] = S;
  for (const Record *K : Kinds) {
    OS << "static constexpr ModifierRecord Mod" << K->getName() << "[] = {\n";
    auto Numbers = K->getValueAsListOfInts("Numbers");
    auto Spelled = K->getValueAsListOfStrings("Spellings");
    if (!Numbers.empty() && Numbers.size() != Spelled.size())
      PrintFatalError(K, "as many numbers as spellings are needed");
    for (auto [I, S] : enumerate(Spelled)) {
      auto It = Since.find({K->getName().str(), S.str()});
      size_t First = NumRowTargets + ModifierTargets.size();
      if (It != Since.end())
        for (StringRef T : It->second->getValueAsListOfStrings("Targets"))
          ModifierTargets.push_back(targetText(It->second, T));
      OS << "    {\"" << S << "\", "
         << (It == Since.end() ? 0 : It->second->getValueAsInt("Version"))
         << ", " << (It == Since.end() ? 0 : It->second->getValueAsInt("Sm"))
         << ", " << (Numbers.empty() ? 0 : Numbers[I]) << ", " << First << ", "
         << NumRowTargets + ModifierTargets.size() - First << "},\n";
    }
    OS << "};\n";
  }
  OS << "static constexpr ArrayRef<ModifierRecord> ModifierTable[] = {\n";
  for (const Record *K : Kinds)
    OS << "    Mod" << K->getName() << ",\n";
  OS << "};\n\nstatic constexpr bool Overlooked[] = {\n";
  for (const Record *K : Kinds)
    OS << "    " << K->getValueAsBit("Overlooked") << ", // " << K->getName()
       << "\n";
  OS << "};\n\n";
}

void PTXTableEmitter::emitSpecialRegs(raw_ostream &OS) {
  OS << "static constexpr SpecialRegInfo SpecialRegTable[] = {\n";
  std::map<std::string, unsigned> ByName;
  for (auto [I, R] : enumerate(SpecialRegs)) {
    ByName[R->getValueAsString("Name").str()] = I;
    OS << "    {StringLiteral(\"" << R->getValueAsString("Name")
       << "\"), Type::" << R->getValueAsDef("RegType")->getName() << ", "
       << R->getValueAsInt("VectorWidth") << ", " << R->getValueAsInt("Version")
       << ", " << R->getValueAsInt("Sm") << ", "
       << R->getValueAsInt("LeastWidth") << "},\n";
  }
  OS << "};\n\n// Indices into SpecialRegTable, sorted by name.\n"
        "static constexpr uint8_t SpecialRegsByName[] = {";
  for (const auto &[Name, I] : ByName)
    OS << I << ", ";
  OS << "};\n\n";
}

/// The generated tables of forms, each as the initializers of its elements.
struct PTXTableEmitter::FormTables {
  std::vector<std::string> Choices, Elements, Operands, Targets, Rows, Heads;
  TextPool Texts;
  /// Equal sequences of choices are stored once.
  std::map<std::vector<Choice>, size_t> Pool;
};

/// The row itself; what it refers to follows in the other tables.
std::string PTXTableEmitter::rowText(const Record *Row, size_t NumElements,
                                     size_t NumOperands, FormTables &To) {
  std::string Op = opcodeOf(Row), Text;
  raw_string_ostream S(Text);
  S << "{Opcode::" << enumerator(Op) << ", " << NumElements << ", "
    << NumOperands << ", " << Row->getValueAsListOfStrings("Targets").size();
  for (StringRef Field :
       {"Version", "GoneVersion", "GoneSm", "MaxVectorBits", "DeprecatedSince"})
    S << ", " << Row->getValueAsInt(Field);
  for (StringRef Field : {"Undocumented", "Meaningless"})
    S << ", " << Row->getValueAsBit(Field);
  S << ", " << To.Elements.size() << ", " << To.Operands.size() << ", "
    << To.Targets.size() << ", "
    << To.Texts.refer(Op + Row->getValueAsString("Suffix")) << ", "
    << To.Texts.refer(Row->getValueAsString("Advice")) << "}";
  return Text;
}

void PTXTableEmitter::addElement(const Element &E, FormTables &To) {
  auto [It, New] = To.Pool.try_emplace(E.Choices, To.Choices.size());
  if (New)
    for (const Choice &C : E.Choices)
      To.Choices.push_back(("{" + Twine(spellingIndex(C.Spelling)) + ", " +
                            (C.Kind < 0 ? "NoModKind" : Twine(C.Kind).str()) +
                            ", " + Twine(C.Value) + "}")
                               .str());
  To.Elements.push_back(formatv("{{{0}, {1}, {2}, {3}, {4}}", It->second,
                                E.Choices.size(), int(E.Optional),
                                int(E.IsType), E.Position));
}

PTXTableEmitter::FormTables PTXTableEmitter::formTables() {
  FormTables Tables;
  std::string LastHead;
  for (auto [RowIndex, Row] : enumerate(Rows)) {
    std::string Op = opcodeOf(Row);
    StringRef Head = StringRef(Op).split('.').first;
    if (Head != LastHead)
      Tables.Heads.push_back(
          ("{\"" + Head + "\", " + Twine(RowIndex) + "}").str());
    LastHead = Head.str();

    std::vector<Element> Elements = parseMnemonic(Row);
    std::vector<OperandText> Operands = parseOperands(Row);
    Tables.Rows.push_back(
        rowText(Row, Elements.size(), Operands.size(), Tables));
    for (const Element &E : Elements)
      addElement(E, Tables);
    for (const OperandText &O : Operands)
      Tables.Operands.push_back(O.str(Tables.Texts));
    for (StringRef T : Row->getValueAsListOfStrings("Targets"))
      Tables.Targets.push_back(targetText(Row, T));
  }
  // Those of modifiers follow; emitNames has counted on it.
  append_range(Tables.Targets, ModifierTargets);
  Tables.Heads.push_back(("{\"\", " + Twine(Rows.size()) + "}").str());
  return Tables;
}

void PTXTableEmitter::emitForms(raw_ostream &OS) {
  FormTables Tables = formTables();
  std::vector<std::string> Known;
  for (const Record *R : inOrder(Records, "KnownTarget"))
    Known.push_back(("{" + targetText(R, R->getValueAsString("Name")) + ", " +
                     Twine(R->getValueAsInt("Version")) + "}")
                        .str());
  Tables.Texts.emit(OS);
  auto Emit = [&](StringRef Type, StringRef Name, ArrayRef<std::string> Lines) {
    OS << "static constexpr " << Type << " " << Name << "[] = {\n";
    for (const std::string &L : Lines)
      OS << "    " << L << ",\n";
    OS << "};\n\n";
  };
  Emit("FormChoice", "ChoiceTable", Tables.Choices);
  Emit("FormElement", "ElementTable", Tables.Elements);
  Emit("OperandSpec", "OperandTable", Tables.Operands);
  Emit("int64_t", "ValueTable", Values);
  Emit("Target", "TargetTable", Tables.Targets);
  Emit("FormRow", "FormTable", Tables.Rows);
  Emit("KnownTarget", "KnownTargetTable", Known);
  Emit("HeadRecord", "HeadTable", Tables.Heads);
}

void PTXTableEmitter::run(raw_ostream &OS) {
  emitSourceFileHeader("The PTX instruction table", OS);
  emitEnums(OS);
  OS << "#ifdef GET_PTX_TABLES\n#undef GET_PTX_TABLES\n";
  emitNames(OS);
  emitSpecialRegs(OS);
  emitForms(OS);
  OS << "#endif // GET_PTX_TABLES\n";
}

void emitPTXTable(const RecordKeeper &Records, raw_ostream &OS) {
  PTXTableEmitter(Records).run(OS);
}

} // namespace

static TableGen::Emitter::Opt
    Registration("gen-ptx-table", emitPTXTable,
                 "Generate the PTX instruction table");

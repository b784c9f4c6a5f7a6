//===- TraceWriter.cpp - Traces for Perfetto --------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs are traced while they run: packets are put together in one piece of
// memory. A message begins with its size, which gets its place when the message
// is complete.
//
//===----------------------------------------------------------------------===//

#include "heddle/Support/TraceWriter.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/Endian.h"

#include <algorithm>
#include <cstring>
#include <utility>

using namespace llvm;

namespace heddle {

/// The numbers of the fields of Perfetto's messages, by message and field.
enum Field : unsigned {
  Trace_packet = 1,
  Packet_timestamp = 8,
  Packet_sequence = 10,
  Packet_event = 11,
  Packet_interned = 12,
  Packet_flags = 13,
  Packet_sample = 66,
  Packet_track = 60,
  Interned_eventNames = 2,
  Interned_annotationNames = 3,
  Interned_functionNames = 5,
  Interned_frames = 6,
  Interned_stacks = 7,
  Interned_modulePaths = 17,
  Interned_modules = 19,
  Interned_annotationTexts = 29,
  Text_number = 1,
  Text_text = 2,
  Module_path = 7,
  Frame_function = 2,
  Frame_module = 3,
  Frame_address = 4,
  Stack_frames = 2,
  Sample_cpu = 1,
  Sample_pid = 2,
  Sample_tid = 3,
  Sample_stack = 4,
  Sample_mode = 5,
  Track_uuid = 1,
  Track_name = 2,
  Track_process = 3,
  Track_thread = 4,
  Track_parent = 5,
  Track_counter = 8,
  Process_pid = 1,
  Process_name = 6,
  Thread_pid = 1,
  Thread_tid = 2,
  Thread_name = 5,
  Counter_unitName = 6,
  Event_annotations = 4,
  Event_type = 9,
  Event_nameNumber = 10,
  Event_track = 11,
  Event_name = 23,
  Event_doubleValue = 44,
  Event_flow = 47,
  Annotation_nameNumber = 1,
  Annotation_number = 3,
  Annotation_text = 6,
  Annotation_name = 10,
  Annotation_textNumber = 17,
};

enum EventType : unsigned {
  SliceBegin = 1,
  SliceEnd = 2,
  Instant = 3,
  Counter = 4
};

/// Packet_flags: numbers of texts begin anew; packets have such numbers.
enum : uint64_t { NumbersBegin = 1, NeedsNumbers = 2 };

/// All packets are of one sequence.
static constexpr uint64_t Sequence = 1;

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

void TraceWriter::varint(uint64_t Value) {
  while (Value >= 0x80) {
    Bytes.push_back(static_cast<char>(Value | 0x80));
    Value >>= 7;
  }
  Bytes.push_back(static_cast<char>(Value));
}

void TraceWriter::key(unsigned Field, unsigned WireType) {
  varint(Field << 3 | WireType);
}

void TraceWriter::number(unsigned Field, uint64_t Value) {
  key(Field, 0);
  varint(Value);
}

void TraceWriter::eightBytes(unsigned Field, uint64_t Value) {
  key(Field, 1);
  char Eight[8];
  support::endian::write64le(Eight, Value);
  Bytes.append(std::begin(Eight), std::end(Eight));
}

void TraceWriter::text(unsigned Field, StringRef Value) {
  key(Field, 2);
  varint(Value.size());
  Bytes.append(Value);
}

/// Begins a message, for whose size one byte is left free. Returns where the
/// message begins.
size_t TraceWriter::open(unsigned Field) {
  key(Field, 2);
  Bytes.push_back(0);
  return Bytes.size();
}

void TraceWriter::close(size_t Start) {
  size_t Size = Bytes.size() - Start;
  char *At = &Bytes[Start - 1];
  if (Size < 0x80) {
    *At = static_cast<char>(Size);
    return;
  }
  SmallString<8> More;
  for (; Size >= 0x80; Size >>= 7)
    More.push_back(static_cast<char>(Size | 0x80));
  *At = static_cast<char>(Size);
  Bytes.insert(At, More.begin(), More.end());
}

void TraceWriter::flush() {
  OS.write(Piece.data(), InPiece);
  InPiece = 0;
}

char *TraceWriter::makeRoom(size_t Size) {
  constexpr size_t PieceBytes = 1 << 18;
  if (InPiece + Size > Piece.size()) {
    flush();
    Piece.resize_for_overwrite(std::max(Size, PieceBytes));
  }
  InPiece += Size;
  return &Piece[InPiece - Size];
}

void TraceWriter::print() {
  std::memcpy(makeRoom(Bytes.size()), Bytes.data(), Bytes.size());
  Bytes.clear();
}

//===----------------------------------------------------------------------===//
// Texts
//===----------------------------------------------------------------------===//

/// Texts of which there are many, each another one, need no numbers.
static constexpr size_t MostNumbers = 1 << 16, LongestText = 4096;

void TraceWriter::beginNumbers() {
  if (std::exchange(HasEvents, true))
    return;
  size_t Start = open(Trace_packet);
  number(Packet_sequence, Sequence);
  number(Packet_flags, NumbersBegin);
  close(Start);
  print();
}

void TraceWriter::beginEntry(unsigned Field, uint64_t Number) {
  std::swap(Waiting, Bytes);
  EntryPacket = open(Trace_packet);
  number(Packet_sequence, Sequence);
  number(Packet_flags, NeedsNumbers);
  EntryData = open(Packet_interned);
  Entry = open(Field);
  number(Text_number, Number);
}

void TraceWriter::endEntry() {
  close(Entry);
  close(EntryData);
  close(EntryPacket);
  print();
  std::swap(Waiting, Bytes);
}

uint64_t TraceWriter::intern(Interned Kind, StringRef Text) {
  StringMap<uint64_t> &Known = Numbers[static_cast<unsigned>(Kind)];
  auto It = Known.find(Text);
  if (It != Known.end())
    return It->second;
  if (Known.size() == MostNumbers || Text.size() > LongestText)
    return 0;
  uint64_t New = Known.size() + 1;
  Known[Text] = New;
  constexpr Field Fields[NumInterned] = {
      Interned_eventNames, Interned_annotationNames, Interned_annotationTexts,
      Interned_functionNames, Interned_modulePaths};
  beginEntry(Fields[static_cast<unsigned>(Kind)], New);
  text(Text_text, Text);
  endEntry();
  return New;
}

//===----------------------------------------------------------------------===//
// Tracks
//===----------------------------------------------------------------------===//

/// Begins the description of a track, to which a message of its kind may be
/// added.
TraceWriter::Track TraceWriter::beginTrack(StringRef Name, Track Group) {
  Packet = open(Trace_packet);
  number(Packet_sequence, Sequence);
  Event = open(Packet_track);
  number(Track_uuid, ++NumTracks);
  text(Track_name, Name);
  if (Group)
    number(Track_parent, Group);
  return NumTracks;
}

void TraceWriter::endTrack() {
  close(Event);
  close(Packet);
  print();
}

TraceWriter::Track TraceWriter::addGroup(StringRef Name) {
  Track New = beginTrack(Name, 0);
  size_t Process = open(Track_process);
  number(Process_pid, New);
  text(Process_name, Name);
  close(Process);
  endTrack();
  return New;
}

TraceWriter::Track TraceWriter::addTrack(StringRef Name, Track Group) {
  Track New = beginTrack(Name, Group);
  endTrack();
  return New;
}

TraceWriter::Track TraceWriter::addCounter(StringRef Name, StringRef Unit,
                                           Track Group) {
  Track New = beginTrack(Name, Group);
  size_t Counter = open(Track_counter);
  if (!Unit.empty())
    text(Counter_unitName, Unit);
  close(Counter);
  endTrack();
  return New;
}

void TraceWriter::addThread(Track Group, uint32_t Thread) {
  std::string Name = "thread " + std::to_string(Thread);
  beginTrack(Name, 0);
  size_t Descriptor = open(Track_thread);
  number(Thread_pid, Group);
  number(Thread_tid, Thread);
  text(Thread_name, Name);
  close(Descriptor);
  endTrack();
}

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

void TraceWriter::beginEvent(uint64_t Time, unsigned Type, Track On) {
  beginNumbers();
  Packet = open(Trace_packet);
  number(Packet_timestamp, Time);
  number(Packet_sequence, Sequence);
  Event = open(Packet_event);
  number(Event_type, Type);
  number(Event_track, On);
}

void TraceWriter::nameEvent(StringRef Name, ArrayRef<Argument> Arguments) {
  if (uint64_t Number = intern(Interned::EventName, Name))
    number(Event_nameNumber, Number);
  else
    text(Event_name, Name);
  for (const Argument &A : Arguments)
    addArgument(A);
}

void TraceWriter::addArgument(const Argument &A) {
  size_t Annotation = open(Event_annotations);
  if (uint64_t Number = intern(Interned::ArgumentName, A.Name))
    number(Annotation_nameNumber, Number);
  else
    text(Annotation_name, A.Name);
  if (A.IsNumber)
    number(Annotation_number, A.Number);
  else if (uint64_t Number = intern(Interned::ArgumentText, A.Text))
    number(Annotation_textNumber, Number);
  else
    text(Annotation_text, A.Text);
  close(Annotation);
}

void TraceWriter::endEvent() {
  close(Event);
  number(Packet_flags, NeedsNumbers);
  close(Packet);
  print();
}

void TraceWriter::beginSlice(Track On, uint64_t Begin, StringRef Name,
                             ArrayRef<Argument> Arguments, uint64_t Flow) {
  beginEvent(Begin, SliceBegin, On);
  nameEvent(Name, Arguments);
  if (Flow)
    eightBytes(Event_flow, Flow);
  endEvent();
}

void TraceWriter::addSlice(Track On, uint64_t Begin, uint64_t End,
                           StringRef Name, ArrayRef<Argument> Arguments,
                           uint64_t Flow) {
  beginSlice(On, Begin, Name, Arguments, Flow);
  endSlice(On, End);
}

void TraceWriter::addInstant(Track On, uint64_t Time, StringRef Name,
                             ArrayRef<Argument> Arguments) {
  beginEvent(Time, Instant, On);
  nameEvent(Name, Arguments);
  endEvent();
}

void TraceWriter::addValue(Track Counter, uint64_t Time, double Value) {
  beginEvent(Time, EventType::Counter, Counter);
  eightBytes(Event_doubleValue, bit_cast<uint64_t>(Value));
  endEvent();
}

//===----------------------------------------------------------------------===//
// Slices with labels
//===----------------------------------------------------------------------===//

// Most events of a program's timeline are such slices. Each of their numbers
// has as many bytes as its largest, as varints may, and sizes have four, as in
// what Perfetto's own writer makes: a label has all bytes of its slices, and
// numbers are put into a copy.

static constexpr size_t SizeBytes = 4, TimeBytes = 9, TrackBytes = 5,
                        FlowBytes = 5;
/// Places in a packet with an event. Keys of fields below 16 have one byte.
static constexpr size_t TimeAt = 1 + SizeBytes + 1,
                        TrackAt = TimeAt + TimeBytes + 2 + 1 + SizeBytes + 3,
                        BodyAt = TrackAt + TrackBytes;

/// Four bytes with seven bits each, and the bit that says that more follow.
static constexpr unsigned BitsOfFour = 28;
static uint32_t spread(uint64_t Value) {
  auto Bits = static_cast<uint32_t>(Value);
  Bits = (Bits & 0x3FFF) | (Bits & 0xFFFC000) << 2;
  Bits = (Bits & 0x7F007F) | (Bits & 0x3F803F80) << 1;
  return Bits | 0x80808080;
}

/// In five bytes.
static void putFive(char *At, uint64_t Value) {
  support::endian::write32le(At, spread(Value));
  At[4] = static_cast<char>(Value >> BitsOfFour);
}

/// The upper bytes are mostly those of the time before.
void TraceWriter::putTime(char *Packet, uint64_t Time) {
  if (Time >> BitsOfFour != UpperBits) {
    UpperBits = Time >> BitsOfFour;
    UpperBytes = uint64_t(spread(UpperBits)) << 32;
    TopByte = static_cast<char>(UpperBits >> BitsOfFour & 0x7F);
  }
  support::endian::write64le(Packet + TimeAt, UpperBytes | spread(Time));
  Packet[TimeAt + TimeBytes - 1] = TopByte;
}

static void putTrack(char *Packet, uint64_t Track) {
  putFive(Packet + TrackAt, Track);
}

/// A packet with an event and what follows its place, which is yet to be put.
static std::string makePacket(unsigned Type, StringRef Body) {
  auto Key = [](unsigned Field, unsigned WireType) {
    return static_cast<char>(Field << 3 | WireType);
  };
  auto Size = [](size_t Bytes) {
    std::string Text(SizeBytes, 0);
    support::endian::write32le(Text.data(), spread(Bytes) & 0x7FFFFFFF);
    return Text;
  };
  std::string Event = {Key(Event_type, 0), static_cast<char>(Type),
                       Key(Event_track, 0)};
  Event += std::string(TrackBytes, 0) + Body.str();
  std::string Packet(1, Key(Packet_timestamp, 0));
  Packet += std::string(TimeBytes, 0);
  Packet += {Key(Packet_sequence, 0), Sequence, Key(Packet_event, 2)};
  Packet += Size(Event.size()) + Event;
  Packet += {Key(Packet_flags, 0), NeedsNumbers};
  return Key(Trace_packet, 2) + Size(Packet.size()) + Packet;
}

TraceWriter::Label TraceWriter::prepare(Track On, StringRef Name,
                                        ArrayRef<Argument> Arguments,
                                        StringRef FlowName) {
  beginNumbers();
  Label L;
  if (!FlowName.empty()) {
    // The largest number, in whose place others will be.
    constexpr uint32_t Largest = ~uint32_t(0);
    addArgument({FlowName, uint64_t(Largest)});
    L.ArgumentAt = BodyAt + Bytes.size() - FlowBytes;
    eightBytes(Event_flow, Largest);
    L.FlowAt = BodyAt + Bytes.size() - sizeof(uint64_t);
  }
  nameEvent(Name, Arguments);
  L.Bytes = makePacket(SliceBegin, Bytes);
  Bytes.clear();
  L.BeginBytes = L.Bytes.size();
  L.Bytes += makePacket(SliceEnd, {});
  setTrack(L, On);
  return L;
}

void TraceWriter::setTrack(Label &L, Track On) {
  L.On = On;
  putTrack(L.Bytes.data(), On);
  putTrack(L.Bytes.data() + L.BeginBytes, On);
}

/// Makes a copy of packets of a label, in which numbers are yet to be put.
char *TraceWriter::copy(StringRef Packets) {
  char *At = makeRoom(Packets.size());
  std::memcpy(At, Packets.data(), Packets.size());
  return At;
}

void TraceWriter::addSlice(uint64_t Begin, uint64_t End, const Label &L,
                           uint32_t Flow) {
  char *At = copy(L.Bytes);
  putTime(At, Begin);
  putTime(At + L.BeginBytes, End);
  if (L.FlowAt) {
    putFive(At + L.ArgumentAt, Flow);
    support::endian::write64le(At + L.FlowAt, Flow);
  }
}

void TraceWriter::beginSlice(uint64_t Begin, const Label &L) {
  putTime(copy(StringRef(L.Bytes).take_front(L.BeginBytes)), Begin);
}

void TraceWriter::endSlice(Track On, uint64_t End) {
  if (TrackOfLatestEnd != On) {
    beginNumbers();
    LatestEnd = makePacket(SliceEnd, {});
    putTrack(LatestEnd.data(), On);
    TrackOfLatestEnd = On;
  }
  putTime(copy(LatestEnd), End);
}

//===----------------------------------------------------------------------===//
// Call stacks
//===----------------------------------------------------------------------===//

uint64_t TraceWriter::numberOfModule(StringRef Path) {
  uint64_t Text = intern(Interned::ModulePath, Path);
  auto [It, IsNew] = Modules.try_emplace(Text, Modules.size() + 1);
  if (IsNew) {
    beginEntry(Interned_modules, It->second);
    number(Module_path, Text);
    endEntry();
  }
  return It->second;
}

uint64_t TraceWriter::addFrame(StringRef Function, StringRef Module,
                               uint64_t Address) {
  beginNumbers();
  uint64_t Name =
      Function.empty() ? 0 : intern(Interned::FunctionName, Function);
  uint64_t File = Module.empty() ? 0 : numberOfModule(Module);
  beginEntry(Interned_frames, ++NumFrames);
  if (Name)
    number(Frame_function, Name);
  if (File)
    number(Frame_module, File);
  number(Frame_address, Address);
  endEntry();
  return NumFrames;
}

uint64_t TraceWriter::numberOfStack(ArrayRef<uint64_t> Frames) {
  auto [It, IsNew] = Stacks.try_emplace(Frames.vec(), Stacks.size() + 1);
  if (IsNew) {
    beginEntry(Interned_stacks, It->second);
    for (uint64_t Frame : Frames)
      number(Stack_frames, Frame);
    endEntry();
  }
  return It->second;
}

void TraceWriter::addSample(Track Group, uint32_t Thread, uint32_t CPU,
                            uint64_t Time, ArrayRef<uint64_t> Frames) {
  beginNumbers();
  constexpr uint64_t UserMode = 2;
  if (Threads.insert({Group, Thread}).second)
    addThread(Group, Thread);
  uint64_t Stack = numberOfStack(Frames);
  Packet = open(Trace_packet);
  number(Packet_timestamp, Time);
  number(Packet_sequence, Sequence);
  number(Packet_flags, NeedsNumbers);
  size_t Sample = open(Packet_sample);
  number(Sample_cpu, CPU);
  number(Sample_pid, Group);
  number(Sample_tid, Thread);
  number(Sample_stack, Stack);
  number(Sample_mode, UserMode);
  close(Sample);
  close(Packet);
  print();
}

TraceWriter::Track TraceLanes::take(uint64_t Begin, uint64_t End) {
  auto It =
      llvm::find_if(Lanes, [&](const Lane &L) { return L.FreeFrom <= Begin; });
  if (It == Lanes.end()) {
    Lanes.push_back({Writer.addTrack(Name, Group)});
    It = std::prev(Lanes.end());
  }
  It->FreeFrom = End;
  return It->On;
}

bool isPerfettoName(StringRef Path) {
  return Path.ends_with(".pftrace") || Path.ends_with(".perfetto-trace");
}

} // namespace heddle

//===- TraceWriter.cpp - Traces for Perfetto --------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Messages are put together from the inside out, since each begins with its
// size.
//
//===----------------------------------------------------------------------===//

#include "heddle/Support/TraceWriter.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/Endian.h"

using namespace llvm;

namespace heddle {

/// The numbers of the fields of Perfetto's messages, by message and field.
enum Field : unsigned {
  Trace_packet = 1,
  Packet_timestamp = 8,
  Packet_sequence = 10,
  Packet_event = 11,
  Packet_track = 60,
  Track_uuid = 1,
  Track_name = 2,
  Track_process = 3,
  Track_parent = 5,
  Track_counter = 8,
  Process_pid = 1,
  Process_name = 6,
  Counter_unitName = 6,
  Event_annotations = 4,
  Event_type = 9,
  Event_track = 11,
  Event_name = 23,
  Event_doubleValue = 44,
  Event_flow = 47,
  Annotation_string = 6,
  Annotation_name = 10,
};

enum EventType : uint64_t {
  SliceBegin = 1,
  SliceEnd = 2,
  Instant = 3,
  Counter = 4
};

namespace {
/// A message as bytes. Programs are traced while they run: there is no stream
/// in between, and short messages need no memory.
class Message {
public:
  Message &number(Field F, uint64_t Value) {
    key(F, 0);
    varint(Value);
    return *this;
  }
  Message &eightBytes(Field F, uint64_t Value) {
    key(F, 1);
    char Eight[8];
    support::endian::write64le(Eight, Value);
    Bytes.append(std::begin(Eight), std::end(Eight));
    return *this;
  }
  Message &text(Field F, StringRef Value) {
    key(F, 2);
    varint(Value.size());
    Bytes.append(Value);
    return *this;
  }
  StringRef bytes() const { return Bytes; }

private:
  void key(Field F, unsigned WireType) { varint(F << 3 | WireType); }
  void varint(uint64_t Value) {
    while (Value >= 0x80) {
      Bytes.push_back(static_cast<char>(Value | 0x80));
      Value >>= 7;
    }
    Bytes.push_back(static_cast<char>(Value));
  }

  SmallString<128> Bytes;
};
} // namespace

/// All packets are of one sequence.
static constexpr uint64_t Sequence = 1;

void TraceWriter::printPacket(StringRef Contents) {
  Message Trace;
  Trace.text(Trace_packet, Contents);
  OS << Trace.bytes();
}

TraceWriter::Track TraceWriter::addGroup(StringRef Name) {
  Track New = ++NumTracks;
  Message Process, Descriptor, Packet;
  Process.number(Process_pid, New).text(Process_name, Name);
  Descriptor.number(Track_uuid, New)
      .text(Track_name, Name)
      .text(Track_process, Process.bytes());
  printPacket(Packet.number(Packet_sequence, Sequence)
                  .text(Packet_track, Descriptor.bytes())
                  .bytes());
  return New;
}

TraceWriter::Track TraceWriter::addTrack(StringRef Name, Track Group) {
  Track New = ++NumTracks;
  Message Descriptor, Packet;
  Descriptor.number(Track_uuid, New)
      .text(Track_name, Name)
      .number(Track_parent, Group);
  printPacket(Packet.number(Packet_sequence, Sequence)
                  .text(Packet_track, Descriptor.bytes())
                  .bytes());
  return New;
}

TraceWriter::Track TraceWriter::addCounter(StringRef Name, StringRef Unit,
                                           Track Group) {
  Track New = ++NumTracks;
  Message Counter, Descriptor, Packet;
  if (!Unit.empty())
    Counter.text(Counter_unitName, Unit);
  Descriptor.number(Track_uuid, New)
      .text(Track_name, Name)
      .number(Track_parent, Group)
      .text(Track_counter, Counter.bytes());
  printPacket(Packet.number(Packet_sequence, Sequence)
                  .text(Packet_track, Descriptor.bytes())
                  .bytes());
  return New;
}

/// The packet of an event at a time.
static Message packetOf(uint64_t Time, const Message &Event) {
  Message Packet;
  Packet.number(Packet_timestamp, Time)
      .number(Packet_sequence, Sequence)
      .text(Packet_event, Event.bytes());
  return Packet;
}

/// An event with its name and arguments.
static Message eventOf(EventType Type, TraceWriter::Track On, StringRef Name,
                       ArrayRef<TraceWriter::Argument> Arguments) {
  Message Event;
  Event.number(Event_type, Type).number(Event_track, On).text(Event_name, Name);
  for (const auto &[Key, Value] : Arguments) {
    Message Annotation;
    Event.text(Event_annotations, Annotation.text(Annotation_name, Key)
                                      .text(Annotation_string, Value)
                                      .bytes());
  }
  return Event;
}

void TraceWriter::beginSlice(Track On, uint64_t Begin, StringRef Name,
                             ArrayRef<Argument> Arguments, uint64_t Flow) {
  Message Event = eventOf(SliceBegin, On, Name, Arguments);
  if (Flow)
    Event.eightBytes(Event_flow, Flow);
  printPacket(packetOf(Begin, Event).bytes());
}

void TraceWriter::endSlice(Track On, uint64_t End) {
  Message Event;
  Event.number(Event_type, SliceEnd).number(Event_track, On);
  printPacket(packetOf(End, Event).bytes());
}

void TraceWriter::addSlice(Track On, uint64_t Begin, uint64_t End,
                           StringRef Name, ArrayRef<Argument> Arguments,
                           uint64_t Flow) {
  beginSlice(On, Begin, Name, Arguments, Flow);
  endSlice(On, End);
}

void TraceWriter::addInstant(Track On, uint64_t Time, StringRef Name,
                             ArrayRef<Argument> Arguments) {
  printPacket(packetOf(Time, eventOf(Instant, On, Name, Arguments)).bytes());
}

void TraceWriter::addValue(Track Counter, uint64_t Time, double Value) {
  Message Event;
  Event.number(Event_type, EventType::Counter)
      .number(Event_track, Counter)
      .eightBytes(Event_doubleValue, bit_cast<uint64_t>(Value));
  printPacket(packetOf(Time, Event).bytes());
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

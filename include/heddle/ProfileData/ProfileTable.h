//===- ProfileTable.h - The records of an indexed profile -------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the records of a profile in LLVM's indexed format without LLVM, and
// checks every offset and length on the way. What serves a hit of the cache
// learns from it which part of a profile belongs to the key; what reads a
// profile, that LLVM's reader may be trusted with it.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_PROFILEDATA_PROFILETABLE_H
#define HEDDLE_PROFILEDATA_PROFILETABLE_H

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::pgo {

/// All records of one name, as bytes of the file.
struct ProfileTableEntry {
  std::string_view Name;
  std::string_view Data;
};

/// The entries of a profile, in the file's order; none if the bytes are not a
/// well-formed profile of IR instrumentation.
std::optional<std::vector<ProfileTableEntry>>
readProfileTable(std::string_view Bytes);

/// What stands before a function's name in the name of a side record of it.
constexpr std::string_view DivergenceRecordPrefix = "heddle.divergence;";
constexpr std::string_view TripsRecordPrefix = "heddle.trips;";
constexpr std::string_view ArgumentsRecordPrefix = "heddle.arguments;";

/// The function that a record is of.
std::string_view functionOfRecord(std::string_view RecordName);

/// The records that a compilation of \p PTX can use, those of functions whose
/// names stand in it, in one string: the same for profiles that differ
/// elsewhere. The whole file if it is malformed.
std::string profileOfFunctions(std::string_view Profile, std::string_view PTX);

} // namespace heddle::pgo

#endif // HEDDLE_PROFILEDATA_PROFILETABLE_H

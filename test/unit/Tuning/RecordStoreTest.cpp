//===- RecordStoreTest.cpp - Tests of tuning records ------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a record is found by, and documents made of records.
//
//===----------------------------------------------------------------------===//

#include "heddle/Tuning/RecordStore.h"
#include "gtest/gtest.h"

#include <filesystem>
#include <unistd.h>

using namespace heddle;
using namespace heddle::tuning;

TEST(LaunchClass, SimilarLaunchesAreOne) {
  EXPECT_EQ(LaunchClass().str(), "any");
  EXPECT_EQ(LaunchClass(1, 1).str(), "t32-c1");
  EXPECT_EQ(LaunchClass(33, 7).str(), "t64-c1");
  EXPECT_EQ(LaunchClass(256, 8).str(), "t256-c8");
  EXPECT_EQ(LaunchClass(1024, 4095).str(), "t1024-c512");
  EXPECT_EQ(LaunchClass(UINT64_MAX, UINT64_MAX).str(), "t1024-c4096");
  EXPECT_EQ(LaunchClass(200, 600), LaunchClass(256, 512));
}

namespace {

class Records : public testing::Test {
protected:
  Records()
      : Folder(std::filesystem::temp_directory_path() /
               ("heddle-records-" + std::to_string(::getpid()))) {
    std::filesystem::remove_all(Folder);
    std::vector<std::string> Complaints;
    cache::Settings S =
        cache::Settings::load([](const char *) { return nullptr; }, Complaints);
    EXPECT_FALSE(S.set(cache::SettingId::Dir, Folder.string(), "test"));
    C = std::make_unique<cache::Cache>(S);
    Store = std::make_unique<RecordStore>(*C, "build-1");
  }
  ~Records() override {
    Store.reset();
    C.reset();
    std::filesystem::remove_all(Folder);
  }

  const KernelText K{"k", "text of k"};
  const std::filesystem::path Folder;
  std::unique_ptr<cache::Cache> C;
  std::unique_ptr<RecordStore> Store;
};

} // namespace

TEST_F(Records, AreFoundByAllOfTheirKey) {
  LaunchClass Launch(256, 100);
  Store->insert(K, "hd100", Launch, {R"({"unroll@0":4})", "history"});
  std::optional<Record> R = Store->find(K, "hd100", Launch);
  ASSERT_TRUE(R);
  EXPECT_EQ(R->Configuration, R"({"unroll@0":4})");
  EXPECT_EQ(R->History, "history");
  EXPECT_FALSE(Store->find({"k", "other text"}, "hd100", Launch));
  EXPECT_FALSE(Store->find({"l", K.Text}, "hd100", Launch));
  EXPECT_FALSE(Store->find(K, "hd10", Launch));
  EXPECT_FALSE(Store->find(K, "hd100", {}));
  EXPECT_FALSE(Store->find(K, "hd100", {32, 100}));
  EXPECT_FALSE(RecordStore(*C, "build-2").find(K, "hd100", Launch))
      << "another compiler's code was measured";
}

TEST_F(Records, BecomeADocument) {
  KernelText L{"a", "text of a"}, M{"m", "nobody knows it"};
  EXPECT_EQ(Store->document({K, L, M}, "hd100", {}, false), "");
  Store->insert(K, "hd100", {}, {R"({"registers":64})", ""});
  EXPECT_EQ(Store->document({K, L, M}, "hd100", {}, false),
            R"({"heddle_tuning":1,"kernels":{"k":{"registers":64}}})");
  Store->insert(L, "hd100", {}, {R"({"unroll@0":2})", ""});
  EXPECT_EQ(Store->document({K, M, L}, "hd100", {}, false),
            R"({"heddle_tuning":1,"kernels":{"a":{"unroll@0":2},)"
            R"("k":{"registers":64}}})")
      << "in the order of names";
}

/// The class of a launch wins over any, also where nothing better is known than
/// what the compiler does by itself.
TEST_F(Records, OfTheLaunchWin) {
  LaunchClass Small(64, 1), Large(64, 4096);
  Store->insert(K, "hd100", {}, {R"({"registers":64})", ""});
  Store->insert(K, "hd100", Small, {R"({"registers":32})", ""});
  Store->insert(K, "hd100", Large, {"{}", ""});
  auto DocumentFor = [&](const LaunchClass &Launch) {
    return Store->document({K}, "hd100", Launch, false);
  };
  EXPECT_NE(DocumentFor(Small).find("32"), std::string::npos);
  EXPECT_NE(DocumentFor({64, 64}).find("64"), std::string::npos);
  EXPECT_EQ(DocumentFor(Large), "");
}

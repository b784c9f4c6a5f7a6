//===- Signed.cpp - Remotes whose entries are signed ------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is stored is
//
//   signed = magic hmac entry
//   magic  = 89 48 44 4C 53 0D 0A 1A
//   hmac   = 32 bytes   HMAC-SHA-256, with the shared key, of digest and entry
//
// The digest, under which it is stored, is signed as well, so that a remote
// cannot give one good entry for another.
//
//===----------------------------------------------------------------------===//

#include "Tiers.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

namespace heddle::cache {

namespace {

constexpr std::string_view Magic = "\x89HDLS\r\n\x1a";
constexpr size_t HeadSize = 8 + 32;

class SignedTier : public RemoteTier {
public:
  SignedTier(std::unique_ptr<RemoteTier> Tier, std::string Secret)
      : Tier(std::move(Tier)), Secret(std::move(Secret)) {}

  std::string name() const override { return Tier->name(); }
  bool readOnly() const override { return Tier->readOnly(); }

  Result<std::string> get(const Hash256 &Digest, uint64_t MaxSize,
                          Deadline Until) override {
    Result<std::string> Bytes = Tier->get(Digest, MaxSize + HeadSize, Until);
    if (!Bytes)
      return Bytes;
    std::string_view View(*Bytes);
    if (View.size() < HeadSize || !View.starts_with(Magic))
      return Fault{Counter::RemoteUnsigned, "it is not signed"};
    std::string Right = sign(Digest, View.substr(HeadSize));
    if (CRYPTO_memcmp(Right.data(), View.data() + Magic.size(), Right.size()) !=
        0)
      return Fault{Counter::RemoteUnsigned, "its signature is wrong"};
    return Bytes->substr(HeadSize);
  }

  Status put(const Hash256 &Digest, std::string_view Bytes,
             Deadline Until) override {
    std::string All(Magic);
    All += sign(Digest, Bytes);
    All += Bytes;
    return Tier->put(Digest, All, Until);
  }

private:
  std::string sign(const Hash256 &Digest, std::string_view Bytes) const {
    std::string Text(Digest.Bytes.begin(), Digest.Bytes.end());
    Text += Bytes;
    std::string Out(32, '\0');
    unsigned Size = 0;
    HMAC(EVP_sha256(), Secret.data(), static_cast<int>(Secret.size()),
         reinterpret_cast<const unsigned char *>(Text.data()), Text.size(),
         reinterpret_cast<unsigned char *>(Out.data()), &Size);
    return Out;
  }

  std::unique_ptr<RemoteTier> Tier;
  std::string Secret;
};

} // namespace

std::unique_ptr<RemoteTier> signTier(std::unique_ptr<RemoteTier> Tier,
                                     std::string Secret) {
  return std::make_unique<SignedTier>(std::move(Tier), std::move(Secret));
}

} // namespace heddle::cache

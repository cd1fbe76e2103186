// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "io/files/compressed.hpp"

#include <array>
#include <fstream>
#include <vector>
#include <zlib.h>

namespace tessera::io {
namespace {

constexpr std::size_t piece = std::size_t{1} << 16;
constexpr int gzip_window = 15 + 16;  // the largest window, with gzip's header and checksum

Bytef* bytes(char* data) { return reinterpret_cast<Bytef*>(data); }

/// Unpacks a file as it is read, all members of it one after the other.
class Unpacked final : public std::streambuf {
 public:
  explicit Unpacked(std::string const& path)
      : path_(path),
        file_(path, std::ios::binary),
        packed_(piece),
        text_(piece) {
    if (inflateInit2(&state_, gzip_window) != Z_OK) throw core::RunError(path + ": no memory to unpack it");
  }
  ~Unpacked() override { inflateEnd(&state_); }
  Unpacked(Unpacked const&) = delete;
  Unpacked& operator=(Unpacked const&) = delete;
  bool good() const { return file_.is_open(); }

 protected:
  int_type underflow() override {
    state_.next_out = bytes(text_.data());
    state_.avail_out = static_cast<uInt>(text_.size());
    while (state_.avail_out == text_.size()) {
      if (state_.avail_in == 0 && !refill()) {
        if (inside_) throw core::Error(path_, 0, "the packed file is truncated");
        return traits_type::eof();
      }
      inside_ = true;
      int const status = inflate(&state_, Z_NO_FLUSH);
      if (status == Z_STREAM_END) {
        inside_ = false;
        inflateReset(&state_);
      } else if (status != Z_OK && status != Z_BUF_ERROR) {
        throw core::Error(path_, 0,
                          std::string("the packed file is damaged: ") + (state_.msg ? state_.msg : "not gzip"));
      }
    }
    setg(text_.data(), text_.data(), text_.data() + (text_.size() - state_.avail_out));
    return traits_type::to_int_type(text_[0]);
  }

 private:
  bool refill() {
    file_.read(packed_.data(), static_cast<std::streamsize>(packed_.size()));
    state_.next_in = bytes(packed_.data());
    state_.avail_in = static_cast<uInt>(file_.gcount());
    return state_.avail_in > 0;
  }
  std::string path_;
  std::ifstream file_;
  std::vector<char> packed_, text_;
  z_stream state_{};
  bool inside_ = false;  // a member
};

class UnpackedStream final : public std::istream {
 public:
  explicit UnpackedStream(std::string const& path) : std::istream(nullptr), buffer_(path) {
    rdbuf(&buffer_);
    setstate(buffer_.good() ? goodbit : failbit);
    exceptions(badbit);  // the buffer's own errors pass
  }

 private:
  Unpacked buffer_;
};

class GzipPacker final : public Compression::Packer {
 public:
  GzipPacker() {
    if (deflateInit2(&state_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, gzip_window, 8, Z_DEFAULT_STRATEGY) != Z_OK)
      throw core::RunError("no memory to pack a file");
  }
  ~GzipPacker() override { deflateEnd(&state_); }
  GzipPacker(GzipPacker const&) = delete;
  GzipPacker& operator=(GzipPacker const&) = delete;

  std::string_view pack(std::string_view text, bool last) override {
    packed_.clear();
    std::array<char, piece> out{};
    do {  // zlib counts with 32 bits
      std::size_t const n = std::min(text.size(), std::size_t{1} << 30);
      bool const end = last && n == text.size();
      state_.next_in = bytes(const_cast<char*>(text.data()));
      state_.avail_in = static_cast<uInt>(n);
      text.remove_prefix(n);
      do {
        state_.next_out = bytes(out.data());
        state_.avail_out = static_cast<uInt>(out.size());
        deflate(&state_, end ? Z_FINISH : Z_NO_FLUSH);
        packed_.append(out.data(), out.size() - state_.avail_out);
      } while (state_.avail_out == 0);
    } while (!text.empty());
    return packed_;
  }

 private:
  z_stream state_{};
  std::string packed_;
};

class Gzip final : public Compression {
 public:
  std::unique_ptr<Packer> packer() const override { return std::make_unique<GzipPacker>(); }
  std::unique_ptr<std::istream> open(std::string const& path) const override {
    return std::make_unique<UnpackedStream>(path);
  }
};

[[maybe_unused]] bool const gzip_added = Compressions::add<Gzip>("gzip", "OpenFOAM's writeCompression, by zlib");

}  // namespace
}  // namespace tessera::io

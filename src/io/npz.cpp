#include "mha/io/npz.hpp"

#include <algorithm>
#include <mutex>
#include <string_view>
#include <unordered_set>
#include <utility>

#include <zip.h>

#include "mha/base/checked.hpp"
#include "mha/base/error.hpp"
#include "mha/base/text.hpp"

#include "npy_header.hpp"

namespace mha {
namespace {

constexpr std::string_view kSuffix = ".npy";
constexpr std::size_t kChunk = std::size_t{1} << 16;  // a multiple of every element's size

struct CloseArchive {
  void operator()(zip_t* archive) const { zip_discard(archive); }
};
using Archive = std::unique_ptr<zip_t, CloseArchive>;

std::string text_of(zip_error_t* error) {
  std::string text = zip_error_strerror(error);
  zip_error_fini(error);
  return text;
}

// An archive over bytes that stay where they are. `flags` are ZIP_CHECKCONS or 0.
Archive open_archive(const FileBytes& file, int flags) {
  const std::span<const unsigned char> bytes = file.bytes();
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* source = zip_source_buffer_create(bytes.data(), bytes.size(), 0, &error);
  if (source == nullptr) fail_input("the zip archive cannot be read: " + text_of(&error));
  Archive archive(zip_open_from_source(source, ZIP_RDONLY | flags, &error));
  if (!archive) {
    zip_source_free(source);
    fail_input("the zip archive is damaged: " + text_of(&error),
               "was the file cut, or is it still being written?");
  }
  zip_error_fini(&error);
  return archive;
}

std::string name_of(zip_t* archive, zip_uint64_t index) {
  const char* name = zip_get_name(archive, index, ZIP_FL_ENC_GUESS);
  return name == nullptr ? "" : name;
}

// "bzip2" for a compression method of the zip specification.
std::string method_name(unsigned method) {
  static constexpr std::pair<unsigned, const char*> kNames[] = {
      {ZIP_CM_SHRINK, "shrink"}, {ZIP_CM_IMPLODE, "implode"}, {ZIP_CM_DEFLATE64, "deflate64"},
      {ZIP_CM_BZIP2, "bzip2"},   {ZIP_CM_LZMA, "lzma"},       {93, "zstd"},
      {ZIP_CM_XZ, "xz"}};
  for (const auto& [number, name] : kNames) {
    if (number == method) return name;
  }
  return concat("method ", method);
}

// Reads one member from its start, in order.
class MemberReader {
 public:
  MemberReader(zip_t* archive, zip_uint64_t index)
      : archive_(archive), file_(zip_fopen_index(archive, index, 0)) {
    if (file_ == nullptr) {
      fail_input(concat("cannot be read: ", zip_error_strerror(zip_get_error(archive_))));
    }
  }
  MemberReader(const MemberReader&) = delete;
  MemberReader& operator=(const MemberReader&) = delete;
  ~MemberReader() { zip_fclose(file_); }

  // Fills `out` as far as the member reaches; returns the number of bytes.
  std::size_t read(std::span<unsigned char> out) {
    std::size_t done = 0;
    while (done < out.size()) {
      const zip_int64_t n = zip_fread(file_, out.data() + done, out.size() - done);
      if (n < 0) fail();
      if (n == 0) break;
      done += static_cast<std::size_t>(n);
    }
    return done;
  }

 private:
  [[noreturn]] void fail() {
    zip_error_t* error = zip_file_get_error(file_);
    if (zip_error_code_zip(error) == ZIP_ER_CRC) {
      fail_input("the checksum (CRC-32) does not match: the data are damaged");
    }
    fail_input(concat("the compressed data are damaged: ", zip_error_strerror(error)));
  }

  zip_t* archive_;
  zip_file_t* file_;
};

struct Member {
  zip_uint64_t index = 0;
  std::size_t size = 0;  // of the .npy file
  NpyHeader header;
};

zip_stat_t checked_stat(zip_t* archive, zip_uint64_t index) {
  zip_stat_t stat;
  zip_stat_init(&stat);
  constexpr zip_uint64_t kNeeded = ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD;
  if (zip_stat_index(archive, index, 0, &stat) != 0 || (stat.valid & kNeeded) != kNeeded) {
    fail_input("has no valid entry in the zip directory");
  }
  const bool knows_encryption = (stat.valid & ZIP_STAT_ENCRYPTION_METHOD) != 0;
  if (knows_encryption && stat.encryption_method != ZIP_EM_NONE) {
    fail_input("is encrypted; expected an archive without a password");
  }
  if (stat.comp_method != ZIP_CM_STORE && stat.comp_method != ZIP_CM_DEFLATE) {
    fail_input(
        concat("is compressed by ", method_name(stat.comp_method), "; expected stored or deflated"),
        "numpy.savez and numpy.savez_compressed write what is read here");
  }
  return stat;
}

// A directory may claim any size: more than the member's own bytes can hold is refused before
// anything of that size is allocated.
void check_claimed_size(const zip_stat_t& stat, std::size_t archive_size) {
  constexpr zip_uint64_t kBestRatio = 1032;  // of deflate: 258 bytes from 2 bits
  const bool is_stored = stat.comp_method == ZIP_CM_STORE;
  const bool fits =
      stat.comp_size <= archive_size &&
      (is_stored ? stat.size == stat.comp_size : stat.size / kBestRatio <= stat.comp_size);
  if (!fits) {
    fail_input(concat("the sizes in the zip directory cannot be; it claims ", stat.size,
                      " bytes from ", stat.comp_size, " in an archive of ", archive_size));
  }
}

Member read_member(zip_t* archive, zip_uint64_t index, std::size_t archive_size) {
  const zip_stat_t stat = checked_stat(archive, index);
  check_claimed_size(stat, archive_size);
  Member member;
  member.index = index;
  member.size = stat.size;
  std::vector<unsigned char> start(std::min(member.size, kLongestNpyHeader));
  start.resize(MemberReader(archive, index).read(start));
  if (start.size() < std::min(member.size, kLongestNpyHeader)) {
    fail_input(
        concat("the data are cut short; expected ", member.size, " bytes, got ", start.size()));
  }
  member.header = read_npy_header(start, member.size);
  return member;
}

class NpzSource : public TensorSource {
 public:
  explicit NpzSource(const FileBytes& file) : file_(file) {
    if (!looks_like_zip(file_.bytes())) fail_input("is no zip archive; expected an .npz file");
    check_names();
    Archive archive = open_archive(file_, ZIP_CHECKCONS);
    const auto n_members = static_cast<zip_uint64_t>(zip_get_num_entries(archive.get(), 0));
    for (zip_uint64_t i = 0; i < n_members; ++i) add_member(archive.get(), i);
    if (members_.empty() && n_members > 0) {
      fail_input("is a zip archive without .npy members; expected an .npz file");
    }
    give_back(std::move(archive));
  }

  const std::vector<TensorInfo>& tensors() const override { return infos_; }
  std::vector<std::string> notes() const override { return notes_; }
  const FloatCopier* copier(std::size_t) const override { return nullptr; }

  Tensor read(std::size_t index) const override {
    file_.check_length();
    const Member& member = members_[index];
    Tensor out{member.header.shape, {}};
    Archive archive = take();
    try {
      out.data = in_row_order(member.header, decode(archive.get(), member));
    } catch (const Error& error) {
      throw error.at("tensor '" + infos_[index].name + "'");
    }
    give_back(std::move(archive));
    file_.check_length();
    return out;
  }

 private:
  // Before the strict check, which would refuse a name given twice without saying which.
  void check_names() const {
    const Archive archive = open_archive(file_, 0);
    const auto n_members = static_cast<zip_uint64_t>(zip_get_num_entries(archive.get(), 0));
    std::unordered_set<std::string> names;
    for (zip_uint64_t i = 0; i < n_members; ++i) {
      const std::string name = name_of(archive.get(), i);
      if (!names.insert(name).second) {
        fail_input("the zip archive holds two members named '" + name + "'");
      }
    }
  }

  void add_member(zip_t* archive, zip_uint64_t index) {
    std::string name = name_of(archive, index);
    if (!name.ends_with(kSuffix)) {
      notes_.push_back("member '" + name + "' is no .npy file and was left out");
      return;
    }
    name.resize(name.size() - kSuffix.size());
    try {
      members_.push_back(read_member(archive, index, file_.bytes().size()));
    } catch (const Error& error) {
      throw error.at("tensor '" + name + "'");
    }
    infos_.push_back({std::move(name), members_.back().header.dtype, members_.back().header.shape});
  }

  // The elements in the order of the file; the checksum is verified at the member's end.
  static FloatVector decode(zip_t* archive, const Member& member) {
    MemberReader reader(archive, member.index);
    std::vector<unsigned char> chunk(std::max(kChunk, member.header.data_offset));
    reader.read(std::span(chunk).first(member.header.data_offset));
    const std::size_t width = dtype_size(member.header.dtype);
    FloatVector out(member.header.count);
    for (std::size_t done = 0; done < out.size();) {
      const std::size_t count = std::min(out.size() - done, kChunk / width);
      const std::size_t n = reader.read(std::span(chunk).first(count * width));
      if (n < count * width) {
        fail_input(concat("the data are cut short; expected ", out.size(), " elements, got ",
                          done + n / width));
      }
      convert_npy(member.header, chunk.data(), count, out.data() + done);
      done += count;
    }
    if (reader.read(std::span(chunk).first(1)) != 0) {
      fail_input(concat("there are more data than the zip directory says; expected ", member.size,
                        " bytes"));
    }
    return out;
  }

  // An archive is for one thread at a time: each reader takes one that is free, or opens another.
  Archive take() const {
    {
      const std::lock_guard guard(lock_);
      if (!free_.empty()) {
        Archive archive = std::move(free_.back());
        free_.pop_back();
        return archive;
      }
    }
    return open_archive(file_, 0);
  }

  void give_back(Archive archive) const {
    const std::lock_guard guard(lock_);
    free_.push_back(std::move(archive));
  }

  FileBytes file_;
  std::vector<Member> members_;
  std::vector<TensorInfo> infos_;
  std::vector<std::string> notes_;
  mutable std::mutex lock_;
  mutable std::vector<Archive> free_;
};

}  // namespace

std::unique_ptr<TensorSource> open_npz(const FileBytes& file) {
  return std::make_unique<NpzSource>(file);
}

bool looks_like_zip(std::span<const unsigned char> bytes) {
  const auto has = [&](unsigned char third, unsigned char fourth) {
    return bytes.size() >= 4 && bytes[0] == 'P' && bytes[1] == 'K' && bytes[2] == third &&
           bytes[3] == fourth;
  };
  return has(3, 4) || has(5, 6) || has(6, 6);  // a first member, or the end of an empty archive
}

bool is_zip_with_pickle(const FileBytes& file) {
  try {
    const Archive archive = open_archive(file, 0);
    const auto n_members = static_cast<zip_uint64_t>(zip_get_num_entries(archive.get(), 0));
    for (zip_uint64_t i = 0; i < n_members; ++i) {
      const std::string name = name_of(archive.get(), i);
      if (name == "data.pkl" || name.ends_with("/data.pkl")) return true;
    }
  } catch (const Error&) {  // is damaged: the reader will say so
  }
  return false;
}

}  // namespace mha

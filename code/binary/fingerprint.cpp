#include "binary/fingerprint.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <stdexcept>

#include "binary/mangled_name.hpp"

namespace weft {
namespace {

constexpr int reference_architecture = 90;

std::string hexadecimal(const XXH128_hash_t& hash) {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, hash);
  constexpr const char* digits = "0123456789abcdef";
  std::string text;
  for (const unsigned char byte : canonical.digest) {
    text += digits[byte >> 4U];
    text += digits[byte & 15U];
  }
  return text;
}

std::string text_of(const Launched& launch) {
  std::string text = "launch " + without_module(launch.kernel);
  for (const auto& extents : {launch.grid, launch.block, launch.cluster}) {
    for (const std::int64_t extent : extents) text += ' ' + std::to_string(extent);
  }
  return text + ' ' + std::to_string(launch.dynamic_shared) + '\n';
}

}  // namespace

Fingerprinter::Fingerprinter(const DeviceCode& code) {
  for (const PtxModule& module : code.ptx) {
    if (module.architecture == reference_architecture) modules_.push_back(statements(module.text));
  }
}

std::string Fingerprinter::of(const std::vector<Launched>& launches) const {
  if (launches.empty()) return {};
  std::set<std::string> wanted;
  for (const Launched& launch : launches) wanted.insert(launch.kernel);

  std::string text;
  for (const std::vector<Statement>& module : modules_) {
    const std::set<std::string> defined = entries(module);
    std::set<std::string> here;
    std::ranges::set_intersection(wanted, defined, std::inserter(here, here.end()));
    if (here.empty()) continue;
    text += normalized(module, here);
    for (const std::string& kernel : here) wanted.erase(kernel);
  }
  if (!wanted.empty()) {
    throw std::runtime_error(
        "kernel " + readable_name(*wanted.begin()) +
        " has no PTX for compute_90 in this program, which its fingerprint is made of: build it "
        "with -gencode=arch=compute_90,code=[sm_90,compute_90]");
  }
  for (const Launched& launch : launches) text += text_of(launch);
  return hexadecimal(XXH3_128bits(text.data(), text.size()));
}

std::string fingerprint(const std::vector<Launched>& launches) {
  if (launches.empty()) return {};
  static const Fingerprinter own(read_device_code("/proc/self/exe"));
  return own.of(launches);
}

}  // namespace weft

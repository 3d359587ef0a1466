#include "binary/fingerprint.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "step/text.hpp"

namespace weft::test {
namespace {

nlohmann::json described(const std::string& toy) {
  std::ifstream file(std::string(DESCRIPTIONS) + '/' + toy + ".json");
  REQUIRE_MESSAGE(file, "no description of ", toy);
  return nlohmann::json::parse(file).at("variants").at(0);
}

nlohmann::json run_of(const std::string& toy, const Shape& shape) {
  const nlohmann::json variant = described(toy);
  for (const auto& run : variant.at("runs")) {
    if (run.at("shape") == nlohmann::json(shape)) return run;
  }
  throw std::runtime_error(toy + " is not run at " + to_string(shape));
}

std::string fingerprint_of(const std::string& toy, const Shape& shape = {1024, 1024}) {
  return run_of(toy, shape).at("fingerprint");
}

TEST_CASE("a fingerprint has 32 hexadecimal digits") {
  const std::string text = fingerprint_of("toy");
  CHECK(text.size() == 32);
  CHECK(text.find_first_not_of("0123456789abcdef") == std::string::npos);
}

TEST_CASE("the folder and a comment do not change a fingerprint") {
  CHECK(fingerprint_of("toy") == fingerprint_of("commented"));
}

TEST_CASE("a kernel that stands before it in the file does not change a fingerprint") {
  CHECK(fingerprint_of("toy") == fingerprint_of("preceded"));
}

TEST_CASE("the code changes it") { CHECK(fingerprint_of("toy") != fingerprint_of("edited")); }
TEST_CASE("the block changes it") { CHECK(fingerprint_of("toy") != fingerprint_of("wider")); }
TEST_CASE("the grid changes it") { CHECK(fingerprint_of("toy") != fingerprint_of("toy", {4096, 4096})); }

TEST_CASE("a description lists the launches") {
  const auto launches = run_of("wider", {1024, 1024}).at("launches");
  REQUIRE(launches.size() == 1);
  CHECK(launches[0].at("kernel") == "copy");
  CHECK(launches[0].at("grid") == std::vector<int>{2048, 1, 1});
  CHECK(launches[0].at("block") == std::vector<int>{512, 1, 1});
  CHECK(launches[0].at("dynamic_shared") == 0);
}

TEST_CASE("dynamic shared memory and clusters change a fingerprint") {
  const std::string ptx = ".version 9.0\n.target sm_90\n.address_size 64\n.entry k()\n{\nret;\n}\n";
  const Fingerprinter fingerprinter({{{90, ptx}}, {}});
  const Launched plain{"k", {1, 1, 1}, {32, 1, 1}, 0, {}};
  Launched shared = plain;
  shared.dynamic_shared = 1024;
  Launched cluster = plain;
  cluster.cluster = {2, 1, 1};
  CHECK(fingerprinter.of({plain}) == fingerprinter.of({plain}));
  CHECK(fingerprinter.of({plain}) != fingerprinter.of({plain, plain}));
  CHECK(fingerprinter.of({plain}) != fingerprinter.of({shared}));
  CHECK(fingerprinter.of({plain}) != fingerprinter.of({cluster}));
  CHECK(fingerprinter.of({}).empty());
  CHECK_THROWS_WITH_AS(static_cast<void>(fingerprinter.of({{"other", {}, {}, 0, {}}})),
                       doctest::Contains("other has no PTX"), std::runtime_error);
}

TEST_CASE("damaged programs are refused") {
  CHECK_THROWS_WITH_AS(read_device_code("/nowhere"), "/nowhere: it cannot be read", std::runtime_error);
  CHECK_THROWS_WITH_AS(read_device_code(DESCRIPTIONS "/toy.json"), doctest::Contains("no 64-bit ELF file"),
                       std::runtime_error);
  CHECK_THROWS_WITH_AS(read_device_code("/proc/self/exe"), doctest::Contains("no code for a GPU"),
                       std::runtime_error);

  std::vector<std::uint64_t> words{0x0010'0001'BA55'ED50, 16 + 64, 0,
                                   0};  // a header that promises more than there is
  CHECK_THROWS_WITH_AS(device_code(std::as_bytes(std::span(words))), "it is cut short", std::runtime_error);
  words = {0x0010'0001'BA55'ED50, 64, 0x0000'0040'0101'0001, 0, 0, 0, 0, 0x8000, 0, 0};
  CHECK_THROWS_WITH_AS(device_code(std::as_bytes(std::span(words))), doctest::Contains("--no-compress"),
                       std::runtime_error);
  words = {0x1234'5678'9ABC'DEF0, 0};
  CHECK_THROWS_AS(device_code(std::as_bytes(std::span(words))), std::runtime_error);
}

}  // namespace
}  // namespace weft::test

// The program of a step, run as a reader runs it.

#include <cuda_runtime_api.h>
#include <doctest/doctest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>

namespace weft::test {
namespace {

struct Outcome {
  int status;
  std::string out;
  std::string err;
};

std::string quoted(const std::string& text) { return "'" + text + "'"; }

std::string output_of(const std::string& command, int& status) {
  FILE* const pipe = popen(command.c_str(), "r");  // NOLINT(bugprone-command-processor): all of it is ours
  REQUIRE(pipe != nullptr);
  std::string text;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) text += static_cast<char>(c);
  status = WEXITSTATUS(pclose(pipe));
  return text;
}

/// Runs the toy, each stream apart, where no GPU is visible.
Outcome run(const std::string& arguments, const std::string& prefix = "") {
  const std::string command = "CUDA_VISIBLE_DEVICES= " + prefix + ' ' + quoted(TOY) + ' ' + arguments;
  Outcome outcome{};
  outcome.out = output_of(command + " 2>/dev/null", outcome.status);
  outcome.err = output_of(command + " 2>&1 >/dev/null", outcome.status);
  return outcome;
}

Outcome run_recorded(const std::string& arguments) {
  return run(arguments, "LD_LIBRARY_PATH=" + quoted(RECORDER_FOLDER) + " LD_PRELOAD=librecorder.so");
}

/// Runs one of the toy's test cases on the emulator, even if it is one that is skipped.
Outcome run_emulated(const std::string& test_case) {
  return run("-- --no-skip -tc=" + quoted(test_case), quoted(EMULATE));
}

/// One line on the standard error stream, nothing on the other, and the status.
void expect_refusal(const Outcome& outcome, int status, const std::string& part) {
  CHECK(outcome.status == status);
  CHECK(outcome.out.empty());
  CHECK(std::ranges::count(outcome.err, '\n') == 1);
  CHECK_MESSAGE(outcome.err.find(part) != std::string::npos, outcome.err, " lacks ", part);
}

/// Whether a driver's library is installed here that programs of this CUDA refuse before they look for a GPU.
bool driver_is_too_old() {
  int version = 0;
  REQUIRE(cudaDriverGetVersion(&version) == cudaSuccess);
  return version != 0 && version / 1000 < CUDART_VERSION / 1000;
}

TEST_CASE("help and list need no GPU") {
  const Outcome help = run("--help");
  CHECK(help.status == 0);
  for (const char* option :
       {"--list", "--once SHAPE", "--measure", "--describe", "--small", "--output FILE", "77"}) {
    CHECK_MESSAGE(help.out.find(option) != std::string::npos, option);
  }
  const Outcome list = run("--list");
  CHECK(list.status == 0);
  CHECK(list.out == "toy  step  block=256  measured 4096x4096  counted 1024x1024\n");
}

TEST_CASE("wrong command lines get one line and status 2") {
  expect_refusal(run("--bogus"), 2, "--bogus");
  expect_refusal(run("stray"), 2, "stray");
  expect_refusal(run("--once"), 2, "--once");
  expect_refusal(run("--once 12xten"), 2, "12xten");
  expect_refusal(run("--once 12x"), 2, "12x: extents");
  expect_refusal(run("--once -3x4"), 2, "numbers like");
  expect_refusal(run("--once 0x8"), 2, "size 0");
  expect_refusal(run("--once 8"), 2, "2 extents");
  expect_refusal(run("--once 8x8x8"), 2, "2 extents");
  expect_refusal(run("--once 4294967296x4294967296"), 2, "memory");
  expect_refusal(run("--once 18446744073709551616x1"), 2, "too large");
  expect_refusal(run("--once 8x8 --with block=7x7"), 2, "no variant has block=7x7; there are: block=256");
  expect_refusal(run("--once 8x8 --with offset=1"), 2, "no variant has offset=1");
  expect_refusal(run("--once 8x8 --with block"), 2, "NAME=VALUE");
  expect_refusal(run("--once 8x8 --with block=wide"), 2, "numbers like");
  expect_refusal(run("--list --with block=256"), 2, "--with");
  expect_refusal(run("--once 8x8 --no-curves"), 2, "--measure");
  expect_refusal(run("--measure --shape 8x0"), 2, "size 0");
  expect_refusal(run("--measure --list"), 2, "excludes");
  expect_refusal(run("--output file"), 2, "--measure");
  expect_refusal(run("--shape 8x8"), 2, "--measure");
  expect_refusal(run("--with block=256"), 2, "--with");
  expect_refusal(run("--small --list"), 2, "--small");
}

TEST_CASE("without a GPU what needs one is skipped with status 77") {
  const std::string why = driver_is_too_old() ? "update the driver" : "GPU";
  for (const char* arguments : {"--once 8x8", "--measure", "--describe"})
    expect_refusal(run(arguments), 77, why);
  const Outcome checks = run("");
  CHECK(checks.status == 77);
  CHECK(std::ranges::count(checks.err, '\n') == 1);
  CHECK(checks.out.find("1 passed") != std::string::npos);  // the claim that needs no device
}

TEST_CASE("options of doctest come after two dashes") {
  const Outcome listed = run("-- --list-test-cases");
  CHECK(listed.status == 0);
  CHECK(listed.out.find("a claim that needs no device") != std::string::npos);
}

TEST_CASE("the recorder launches, but neither checks nor times") {
  const Outcome once = run_recorded("--once 1024x1024 --with block=256");
  CHECK(once.status == 0);
  CHECK(once.err.empty());
  CHECK(run_recorded("--describe").status == 0);
  expect_refusal(run_recorded(""), 2, "recorder");
  expect_refusal(run_recorded("--measure"), 2, "recorder");
}

TEST_CASE("the emulator neither times nor describes") {
  for (const char* const command : {"--measure", "--describe"}) {
    expect_refusal(run(command, quoted(EMULATE)), 2, "the emulator");
  }
}

TEST_CASE("what cannot be printed is not taken for printed") {
  int status = 0;
  CHECK(output_of(quoted(TOY) + " --list 2>&1 >/dev/full", status) ==
        "toy: the standard output cannot be written\n");
  CHECK(status == 1);
}

TEST_CASE("claims about counters are skipped in words where nothing counts") {
  const Outcome outcome = run("-- -tc='a claim about counters'");
  CHECK(outcome.out.find("skipped: counters are to be had on the emulator alone") != std::string::npos);
  CHECK(outcome.err.find("claims about counters skipped: 1, the emulator checks them") != std::string::npos);
  CHECK(run("-- -tc='a claim that needs no device'").err.find("claims") == std::string::npos);
}

TEST_CASE("claims about counters are checked on the emulator") {
  for (const char* const claim : {"a claim about counters", "a second launch is counted for itself"}) {
    const Outcome outcome = run_emulated(claim);
    CHECK_MESSAGE(outcome.status == 0, outcome.out);
    CHECK(outcome.out.find("test cases: 1 | 1 passed") != std::string::npos);
    CHECK((outcome.out + outcome.err).find("skipped:") == std::string::npos);
  }
}

TEST_CASE("a false claim about counters fails") {
  const Outcome wrong = run_emulated("a false claim about counters");
  CHECK(wrong.status == 1);
  CHECK(wrong.out.find("512 == 513") != std::string::npos);
  const Outcome empty = run_emulated("a claim about an empty launch");
  CHECK(empty.status == 1);
  CHECK(empty.out.find("the launch made no request") != std::string::npos);
  const Outcome unknown = run_emulated("a claim about a variant that is none");
  CHECK(unknown.status == 1);
  CHECK(unknown.out.find("no variant has block=1x1") != std::string::npos);
}

}  // namespace
}  // namespace weft::test

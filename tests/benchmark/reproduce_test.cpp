// `reproduce` from its command line to its file, on programs that need no GPU.

#include <doctest/doctest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>

#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "benchmark/process.hpp"
#include "benchmark/results.hpp"
#include "environment.hpp"

namespace {

namespace fs = std::filesystem;

/// A build tree with stand-ins for the steps of two chapters, in a folder with a space in its name.
class FakeTree {
 public:
  FakeTree() {
    add("6-transpose", "04_memcpy");
    add("6-transpose", "13_padded");
    add("7-sgemm", "01_naive");
  }

  int reproduce(std::vector<std::string> arguments) const {
    std::vector<std::string> command{REPRODUCE, "--programs", (root() / "chapters").string(), "--output",
                                     results().string()};
    command.insert(command.end(), arguments.begin(), arguments.end());
    return weft::run(command, said_);
  }

  [[nodiscard]] fs::path program(const std::string& name) const {
    return root() / "chapters" / "6-transpose" / name;
  }
  [[nodiscard]] fs::path results() const { return root() / "results"; }
  [[nodiscard]] fs::path file(int chapter) const {
    // The GPU's name is not known where there is none.
    return results() / gpu_ / ("chapter" + std::to_string(chapter) + ".json");
  }
  [[nodiscard]] std::string said() const { return weft::read_text(said_); }
  [[nodiscard]] std::string log() const {
    return weft::read_text(root() / "chapters" / "6-transpose" / "log.txt");
  }
  [[nodiscard]] bool says(const std::string& words) const { return said().find(words) != std::string::npos; }

  /// Where reproduce put its file, whatever this machine's GPU is called.
  void find_gpu() { gpu_ = fs::directory_iterator(results())->path().filename(); }

 private:
  [[nodiscard]] fs::path root() const { return folder_.path() / "a clone"; }

  void add(const std::string& chapter, const std::string& name) {
    fs::create_directories(root() / "chapters" / chapter);
    fs::copy_file(fs::path(FAKES) / "step", root() / "chapters" / chapter / name);
    fs::create_directories(root() / "describe" / chapter);
    const std::string step = name.substr(3);
    std::ofstream(root() / "describe" / chapter / (name + ".json"))
        << R"({"program":")" << name << R"(","variants":[{"step":")" << step
        << R"(","kind":"step","parameters":{"block":[32,8]},"measured":[[8,8]],"counted":[[4,4]],)"
        << R"("predicted":{},"fingerprints":{"4x4":"cd34"}}]})";
  }

  weft::TemporaryFolder folder_;
  fs::path said_ = folder_.path() / "said.txt";
  fs::path gpu_ = "unknown";
};

}  // namespace

TEST_CASE("all chapters are timed in three rounds and written with provenance") {
  FakeTree tree;
  REQUIRE(tree.reproduce({"--commit", "0123abc", "--compiler", "nvcc 13.0.88"}) == 0);
  tree.find_gpu();
  const weft::Results results = weft::read_results(tree.file(6));
  REQUIRE(results.measurements.size() == 2);
  CHECK(results.measurements[0]["step"] == "memcpy");
  CHECK(results.measurements[0]["kind"] == "ceiling");
  CHECK(results.measurements[1]["samples"] == 9);
  CHECK(results.provenance["commit"] == "0123abc");
  CHECK(results.provenance["compiler"] == "nvcc 13.0.88");
  CHECK(results.provenance["rounds"] == 3);
  for (const char* field :
       {"driver", "runtime", "nvbench", "cublas", "clocks", "ecc", "power_limit_w", "date"}) {
    CHECK_MESSAGE(results.provenance.contains(field), field);
  }
  CHECK(results.counters.empty());
  CHECK(fs::exists(tree.file(7)));
  CHECK(tree.says("[6/6] chapter 6, round 3 of 3: 13_padded"));
  CHECK(tree.says("100.0 %"));

  // Rounds run over the whole chapter, one after the other.
  const std::string log = tree.log();
  CHECK(log.find("memcpy", log.find("padded")) != std::string::npos);
}

TEST_CASE("one chapter alone, and its counters") {
  FakeTree tree;
  {
    const Environment path("PATH", std::string(FAKES) + ":/usr/bin:/bin");
    CHECK(tree.reproduce({"--chapter", "6", "--counters"}) == 0);
  }

  tree.find_gpu();
  const weft::Results results = weft::read_results(tree.file(6));
  CHECK_FALSE(fs::exists(tree.file(7)));
  REQUIRE(results.counters.size() == 2);
  CHECK(results.counters[1]["step"] == "padded");
  CHECK(results.counters[1]["shape"] == weft::Json{4, 4});
  CHECK(results.counters[1]["fingerprint"] == "cd34");
  CHECK(results.counters[1]["metrics"]["gpu__time_duration.sum"] == 1234);
  CHECK(results.measurements.size() == 2);
}

TEST_CASE("without ncu the times are kept, and one line says what is missing") {
  FakeTree tree;
  {
    const Environment path("PATH", "/usr/bin:/bin");
    CHECK(tree.reproduce({"--chapter", "6", "--counters"}) == 1);
  }

  CHECK(tree.says("no ncu on PATH"));
  tree.find_gpu();
  CHECK(weft::read_results(tree.file(6)).measurements.size() == 2);
}

TEST_CASE("a program that fails is named, and the others go on") {
  FakeTree tree;
  std::ofstream(tree.program("13_padded").string() + ".status") << 1;
  CHECK(tree.reproduce({"--chapter", "6"}) == 1);
  CHECK(tree.says("FAILED: 13_padded --measure: exit status 1"));
  tree.find_gpu();
  const weft::Results results = weft::read_results(tree.file(6));
  REQUIRE(results.measurements.size() == 1);
  CHECK(results.measurements[0]["samples"] == 9);
}

TEST_CASE("where no program can run, nothing is written and the first one says why") {
  FakeTree tree;
  std::ofstream(tree.program("04_memcpy").string() + ".status") << 77;
  CHECK(tree.reproduce({"--chapter", "6"}) == 1);
  CHECK(tree.says("memcpy: no such luck"));
  CHECK(tree.says("reproduce: nothing was measured"));
  tree.find_gpu();
  CHECK_FALSE(fs::exists(tree.file(6)));
}

TEST_CASE("a program that this GPU cannot run is left out without being a failure") {
  const FakeTree tree;
  std::ofstream(tree.program("13_padded").string() + ".status") << 77;
  CHECK(tree.reproduce({"--chapter", "6"}) == 0);
  const std::string log = tree.log();
  CHECK(log.find("padded --measure") == log.rfind("padded --measure"));
}

TEST_CASE("a damaged earlier file is refused before anything runs, and stays as it was") {
  FakeTree tree;
  REQUIRE(tree.reproduce({"--chapter", "6"}) == 0);
  tree.find_gpu();
  std::ofstream(tree.file(6)) << "{\n\"schema\": 1,\n";
  const std::string log = tree.log();
  CHECK(tree.reproduce({"--chapter", "6"}) == 1);
  CHECK(tree.says("chapter6.json:3: damaged"));
  CHECK(tree.log() == log);
  CHECK(weft::read_text(tree.file(6)) == "{\n\"schema\": 1,\n");
}

TEST_CASE("a file of another chapter is refused before anything runs, and stays as it was") {
  FakeTree tree;
  REQUIRE(tree.reproduce({}) == 0);
  tree.find_gpu();
  fs::copy_file(tree.file(6), tree.file(7), fs::copy_options::overwrite_existing);
  const std::string log = tree.log();
  const std::string foreign = weft::read_text(tree.file(7));
  CHECK(tree.reproduce({}) == 1);
  CHECK(tree.says("chapter7.json: foreign: holds results of chapter 6; move it away"));
  CHECK(std::ranges::count(tree.said(), '\n') == 1);
  CHECK(tree.log() == log);
  CHECK(weft::read_text(tree.file(7)) == foreign);
}

TEST_CASE("an interruption ends the programs and leaves earlier results whole") {
  FakeTree tree;
  REQUIRE(tree.reproduce({"--chapter", "6"}) == 0);
  tree.find_gpu();
  const std::string before = weft::read_text(tree.file(6));
  std::ofstream(tree.program("13_padded").string() + ".waits") << "";

  const pid_t pid = fork();
  if (pid == 0) _exit(tree.reproduce({"--chapter", "6"}));
  const fs::path step = tree.program("13_padded").string() + ".pid";
  for (int tries = 0; tries < 200 && weft::read_text(step).empty(); ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  const pid_t waiting = std::stoi(weft::read_text(step));
  REQUIRE(waiting > 0);
  // The one to interrupt, `reproduce`, is the child of the forked process and the parent of the waiting step.

  const std::string status = weft::read_text("/proc/" + std::to_string(waiting) + "/status");
  const pid_t parent = std::stoi(status.substr(status.find("PPid:") + 5));
  REQUIRE(kill(parent, SIGINT) == 0);
  int ended = 0;
  REQUIRE(waitpid(pid, &ended, 0) == pid);
  CHECK(WEXITSTATUS(ended) == 130);
  CHECK(tree.says("interrupted"));
  CHECK(weft::read_text(tree.file(6)) == before);
  for (int tries = 0; tries < 100 && kill(waiting, 0) == 0; ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  CHECK(kill(waiting, 0) != 0);
}

TEST_CASE("a command line that is wrong gets one line and status 2") {
  const FakeTree tree;
  CHECK(tree.reproduce({"--chapter", "six"}) == 2);
  CHECK(tree.says("six"));
  CHECK(std::ranges::count(tree.said(), '\n') == 1);
  CHECK(tree.reproduce({"--faster"}) == 2);
  CHECK(tree.reproduce({"surplus"}) == 2);
  CHECK(tree.reproduce({"--chapter", "9"}) == 2);
  CHECK(tree.says("no chapter 9"));
}

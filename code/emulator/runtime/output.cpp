#include "emulator/runtime/output.hpp"

#include <cstdio>
#include <mutex>
#include <utility>

#include "emulator/runtime/state.hpp"

namespace weft::emulator {
namespace {

struct Output {
  std::mutex mutex;
  std::string kept;
};

Output& output() {
  static auto* const instance = new Output;  // outlives the program's static objects
  return *instance;
}

/// CUDA loses what is not flushed when a program ends; so does the emulator, but not in silence.
struct LossAtExit {
  LossAtExit() = default;
  LossAtExit(const LossAtExit&) = delete;
  LossAtExit& operator=(const LossAtExit&) = delete;
  ~LossAtExit() {
    if (output().kept.empty()) return;
    say("what the last kernels printed is lost, as on a GPU: call cudaDeviceSynchronize() before the end");
  }
};
const LossAtExit loss_at_exit;

}  // namespace

void keep_output(const std::string& text) {
  const std::scoped_lock lock(output().mutex);
  output().kept += text;
}

void flush_output() {
  const std::scoped_lock lock(output().mutex);
  if (output().kept.empty()) return;
  const std::string text = std::exchange(output().kept, {});
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

}  // namespace weft::emulator

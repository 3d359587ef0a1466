#include "emulator/runtime/state.hpp"

#include <atomic>
#include <exception>
#include <iostream>
#include <mutex>
#include <set>
#include <utility>

namespace weft::emulator {
namespace {

thread_local cudaError_t last = cudaSuccess;
std::atomic<cudaError_t> sticky = cudaSuccess;

}  // namespace

cudaError_t note(cudaError_t result) {
  if (sticky != cudaSuccess) result = sticky;
  if (result != cudaSuccess && result != cudaErrorNotReady) last = result;
  return result;
}

cudaError_t guarded(const std::function<cudaError_t()>& body, cudaError_t failure) {
  try {
    return note(sticky != cudaSuccess ? sticky.load() : body());
  } catch (const NoImage& error) {
    say_once(error.what());
    return note(cudaErrorNoKernelImageForDevice);
  } catch (const std::exception& error) {
    say(error.what());
    return note(failure);
  }
}

cudaError_t take_last_error() { return std::exchange(last, cudaSuccess); }

cudaError_t last_error() { return last; }

void set_sticky(cudaError_t error) { sticky = error; }

void say(const std::string& line) { std::cerr << "emulate: " + line + '\n'; }

void say_once(const std::string& line) {
  static std::mutex mutex;
  static std::set<std::string> said;
  const std::scoped_lock lock(mutex);
  if (said.insert(line).second) say(line);
}

}  // namespace weft::emulator

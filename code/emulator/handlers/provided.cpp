/// @file
/// Device functions that CUDA provides: printf, assert, malloc and free. They find their arguments as any
/// function does, but are called without a frame.

#include <cstring>
#include <string>

#include "emulator/execute/block.hpp"
#include "emulator/execute/fault.hpp"
#include "emulator/execute/memory.hpp"
#include "emulator/execute/warp.hpp"
#include "emulator/handlers/handlers.hpp"
#include "emulator/handlers/print.hpp"
#include "emulator/memory/device_heap.hpp"

namespace weft::emulator {
namespace {

/// A call by one lane.
struct LaneCall {
  Warp& warp;
  const Operation& operation;
  int lane;

  [[nodiscard]] const CallSite& site() const { return *static_cast<const CallSite*>(operation.more); }
  [[nodiscard]] std::byte* place(std::uint32_t offset) const {
    return local_memory(warp, lane) + warp.context.local + offset;
  }

  template <class T>
  [[nodiscard]] T argument(std::size_t number) const {
    T value{};
    std::memcpy(&value, place(site().arguments.at(number)), sizeof value);
    return value;
  }

  template <class T>
  void give_back(T value) const {
    if (!site().results.empty()) std::memcpy(place(site().results.front()), &value, sizeof value);
  }

  /// Reads memory that a generic address names.
  [[nodiscard]] std::uint64_t read(std::uint64_t address, int bytes) const {
    std::uint64_t value = 0;
    const auto length = static_cast<std::uint64_t>(bytes);
    std::memcpy(&value, resolve(warp, operation, lane, ptx::Space::generic, address, length, 1), length);
    return value;
  }

  [[nodiscard]] std::string string_at(std::uint64_t address) const {
    std::string text;
    while (const auto letter = static_cast<char>(read(address++, 1))) text += letter;
    return text;
  }
};

void each_call(Warp& warp, const Operation& operation, auto visit) {
  ++warp.accesses[operation.site].requests;
  each_lane(warp.active, [&](int lane) { visit(LaneCall{warp, operation, lane}); });
}

/// int vprintf(const char* format, void* arguments)
const Operation* print_formatted(Warp& warp, const Operation& operation) {
  std::string text;
  each_call(warp, operation, [&](const LaneCall& call) {
    const auto format = call.argument<std::uint64_t>(0);
    auto at = call.argument<std::uint64_t>(1);
    if (format == 0) return call.give_back(-1);
    const auto next = [&](int bytes) {
      const auto size = static_cast<std::uint64_t>(bytes);
      at = (at + size - 1) / size * size;
      at += size;
      return call.read(at - size, bytes);
    };
    const Printed printed =
        print(call.string_at(format), {next, [&](std::uint64_t address) { return call.string_at(address); }});
    text += printed.text;
    call.give_back(printed.arguments);
  });
  if (warp.block->grid->output != nullptr) *warp.block->grid->output += text;
  return &operation + 1;
}

/// void __assertfail(const char* assertion, const char* file, unsigned line, const char* function, size_t)
const Operation* fail_assertion(Warp& warp, const Operation& operation) {
  std::string text;
  each_call(warp, operation, [&](const LaneCall& call) {
    const auto triple = [](const Extents& e) {
      return '[' + std::to_string(e.x) + ',' + std::to_string(e.y) + ',' + std::to_string(e.z) + ']';
    };
    const auto name = [&](std::size_t number) {
      return call.string_at(call.argument<std::uint64_t>(number));
    };
    text += name(1) + ':' + std::to_string(call.argument<std::uint32_t>(2)) + ": " + name(3) +
            ": block: " + triple(warp.block->index) + ", thread: " + triple(thread_index(warp, call.lane)) +
            " Assertion `" + name(0) + "` failed.\n";
  });
  text.pop_back();
  throw AssertionFailure(text);
}

/// void* malloc(size_t bytes)
const Operation* allocate(Warp& warp, const Operation& operation) {
  each_call(warp, operation, [&](const LaneCall& call) {
    call.give_back(device_heap().allocate(call.argument<std::uint64_t>(0)));
  });
  return &operation + 1;
}

/// void free(void* memory)
const Operation* release(Warp& warp, const Operation& operation) {
  each_call(warp, operation, [&](const LaneCall& call) {
    const auto address = call.argument<std::uint64_t>(0);
    if (address == 0 || device_heap().free(address)) return;
    throw fault(warp, operation, call.lane,
                "frees " + hexadecimal(address) + ", which no malloc() of a kernel gave, or which is free");
  });
  return &operation + 1;
}

}  // namespace

void add_provided(Table& table) {
  table.add("call.vprintf", "", &print_formatted, {});
  table.add("call.__assertfail", "", &fail_assertion, {});
  table.add("call.malloc", "", &allocate, {});
  table.add("call.free", "", &release, {});
}

}  // namespace weft::emulator

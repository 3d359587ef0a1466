#include "run_ptx.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "emulator/memory/allocations.hpp"

namespace weft::emulator {

Array::Array(const std::vector<std::uint32_t>& words)
    : memory_(
          static_cast<std::uint32_t*>(device_memory().allocate(words.size() * 4, Allocation::Kind::device))),
      size_(words.size()) {
  if (memory_ == nullptr) throw std::runtime_error("no memory");
  device_memory().copy(memory_, words.data(), words.size() * 4);
}

Array::~Array() { device_memory().free(memory_); }

Counted run_body(const std::string& body, const std::vector<const Array*>& pointers, Extents grid,
                 Extents block, bool cooperative, bool checked) {
  std::string text = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry test(";
  std::string loads;
  for (std::size_t i = 0; i < pointers.size(); ++i) {
    const std::string number = std::to_string(i);
    text.append(i == 0 ? "" : ", ").append(".param .u64 q").append(number);
    loads.append("ld.param.u64 %p").append(number).append(", [q").append(number).append("];\n");
  }
  text += ")\n{\n.reg .b64 %p<8>; .reg .b32 %t;\nmov.u32 %t, %tid.x;\n" + loads + body + "\nret;\n}\n";
  Program program(text);
  const Routine* const kernel = program.kernel("test");
  std::vector<std::byte> parameters(pointers.size() * 8);
  for (std::size_t i = 0; i < pointers.size(); ++i) {
    const std::uint64_t address = pointers[i]->address();
    std::memcpy(parameters.data() + i * 8, &address, 8);
  }
  Launch launch;
  launch.kernel = kernel;
  launch.grid = grid;
  launch.block = block;
  launch.parameters = parameters;
  launch.cooperative = cooperative;
  launch.checked = checked;
  Counted counted{.sites = program.sites(), .counts = run(launch, program.sites())};
  return counted;
}

std::vector<std::uint32_t> execute(const std::string& instruction, const std::vector<std::uint32_t>& a,
                                   const std::vector<std::uint32_t>& b, const std::vector<std::uint32_t>& c) {
  const Array in_a(a);
  const Array in_b(b.empty() ? a : b);
  const Array in_c(c.empty() ? a : c);
  const Array out(std::vector<std::uint32_t>(32));
  run_body(
      ".reg .b32 %a, %b, %c, %d; .reg .b64 %o;\n"
      "mul.wide.u32 %o, %t, 4;\n"
      "add.u64 %p0, %p0, %o; add.u64 %p1, %p1, %o; add.u64 %p2, %p2, %o; add.u64 %p3, %p3, %o;\n"
      "ld.global.b32 %a, [%p0]; ld.global.b32 %b, [%p1]; ld.global.b32 %c, [%p2];\n" +
          instruction + "\nst.global.b32 [%p3], %d;",
      {&in_a, &in_b, &in_c, &out});
  return out.words();
}

std::vector<std::uint32_t> ramp(std::uint32_t factor, std::uint32_t start) {
  std::vector<std::uint32_t> words(32);
  for (std::uint32_t i = 0; i < 32; ++i) words[i] = i * factor + start;
  return words;
}

}  // namespace weft::emulator

#include "fat_binary_file.hpp"

#include <fstream>
#include <iterator>
#include <stdexcept>

namespace weft::emulator {

std::vector<Image> images_of(const std::string& name, bool lines) {
  const std::string path =
      std::string(FAT_BINARIES) + (lines ? "lines" : "plain") + ".dir/kernels/" + name + ".fatbin";
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw std::runtime_error(path + " cannot be read");
  const std::string bytes(std::istreambuf_iterator<char>(stream), {});
  return unpack(std::as_bytes(std::span(bytes)));
}

Cubin cubin_of(const std::string& name, bool lines) {
  const auto images = images_of(name, lines);
  const Image* const code = best_machine_code(images, 90);
  if (code == nullptr) throw std::runtime_error(name + " holds no machine code");
  return read_cubin(std::as_bytes(std::span(code->contents)), code->architecture);
}

Program program_of(const std::string& name, bool lines) {
  const auto images = images_of(name, lines);
  return Program(best_ptx(images, 90)->contents, cubin_of(name, lines));
}

}  // namespace weft::emulator

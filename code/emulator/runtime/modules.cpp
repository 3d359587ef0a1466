#include "emulator/runtime/modules.hpp"

#include <cuda_runtime_api.h>

#include <charconv>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "emulator/error.hpp"
#include "emulator/fatbin/images.hpp"
#include "emulator/runtime/device.hpp"
#include "emulator/runtime/state.hpp"

namespace weft::emulator {
namespace {

std::string why_no_ptx(const std::vector<Image>& images) {
  std::string found;
  for (const Image& image : images) {
    if (image.kind == Image::Kind::ptx) found += " compute_" + std::to_string(image.architecture);
  }
  const std::string wanted = std::to_string(architecture());
  const std::string advice = ": build it with -gencode=arch=compute_" + wanted + ",code=compute_" + wanted;
  if (found.empty()) return "this program holds no PTX, only machine code" + advice;
  return "this program holds PTX for" + found + ", and the " + std::string(card().full_name) +
         " is of compute_" + wanted + advice;
}

/// Machine code for another architecture than the device's that can be read: what was made of that PTX, if it
/// is there.
std::optional<Cubin> foreign_cubin(const std::vector<Image>& images, int ptx_architecture) {
  std::optional<Cubin> found;
  for (const Image& image : images) {
    if (image.kind != Image::Kind::machine_code || (found && image.architecture != ptx_architecture))
      continue;
    try {
      found = read_cubin(std::as_bytes(std::span(image.contents)), image.architecture);
    } catch (const std::runtime_error&) {
      continue;  // a hint would have been welcome, but it is no more
    }
  }
  return found;
}

/// The code at an address that a program gives, by what it starts with.
std::vector<Image> read_code(const void* code) {
  constexpr std::uint32_t wrapper_magic = 0x466243b1, fat_binary_magic = 0xBA55ED50, elf_magic = 0x464C457F;
  std::uint32_t start = 0;
  std::memcpy(&start, code, sizeof start);
  if (start == wrapper_magic) return read_registered(code);
  if (start == elf_magic) return {{Image::Kind::machine_code, 0, false, {}}};
  if (start == fat_binary_magic) {
    const struct {
      std::uint32_t magic, version;
      const void* fat_binary;
    } wrapper{wrapper_magic, 1, code};
    return read_registered(&wrapper);
  }
  constexpr std::string_view before_number = ".target sm_";
  std::string text = static_cast<const char*>(code);
  const std::size_t target = text.find(before_number);
  int number = 0;
  bool specific = false;
  if (target != std::string::npos) {
    const char* const end = text.data() + text.size();
    const auto rest = std::from_chars(text.data() + target + before_number.size(), end, number).ptr;
    specific = rest != end && *rest == 'a';
  }
  return {{Image::Kind::ptx, number, specific, std::move(text)}};
}

}  // namespace

/// A fat binary that was registered, or code that was loaded; it is read when something in it is first
/// wanted.
class Module {
 public:
  explicit Module(const void* wrapper) : wrapper_(wrapper) {}
  explicit Module(std::vector<Image> images) : images_(std::move(images)) {}

  Program& program() {
    if (program_) return *program_;
    program_ = load();
    for (const auto& [host_variable, name] : managed_) *host_variable = program_->symbol(name).address;
    return *program_;
  }

  /// That of the machine code, if there is none for the device; otherwise 0.
  [[nodiscard]] int foreign_architecture() const { return foreign_architecture_; }

  /// @param host_variable the host's pointer to a managed variable, which is set when the module is read
  void add_managed(void** host_variable, std::string name) {
    managed_.emplace_back(host_variable, std::move(name));
  }

 private:
  std::unique_ptr<Program> load() {
    const std::vector<Image> images = wrapper_ != nullptr ? read_registered(wrapper_) : images_;
    const Image* const ptx = best_ptx(images, architecture());
    if (ptx == nullptr) throw NoImage(why_no_ptx(images));
    const Image* const code = best_machine_code(images, architecture());
    std::optional<Cubin> cubin;
    if (code != nullptr) {
      cubin = read_cubin(std::as_bytes(std::span(code->contents)), code->architecture);
    } else {
      cubin = foreign_cubin(images, ptx->architecture);
      if (cubin) {
        foreign_architecture_ = cubin->architecture;
        cubin->of_other_card = true;
      }
    }
    const bool of_it = code == nullptr || code->specific == ptx->specific;
    if (cubin && (cubin->architecture != ptx->architecture || !of_it)) cubin->forget_lines();
    return std::make_unique<Program>(ptx->contents, std::move(cubin));
  }

  const void* wrapper_ = nullptr;
  std::vector<Image> images_;  ///< if it has no wrapper
  std::unique_ptr<Program> program_;
  int foreign_architecture_ = 0;
  std::vector<std::pair<void**, std::string>> managed_;
};

namespace {

struct Registered {
  Module* module = nullptr;
  std::string name;  // on the device
};

/// Filled by the program's static initializers, so it is made on first use, and outlives its destructors.
struct Registry {
  std::recursive_mutex mutex;
  std::vector<std::unique_ptr<Module>> modules;
  std::map<const void*, Registered> kernels, variables;
};

Registry& registry() {
  static auto* const instance = new Registry;
  return *instance;
}

}  // namespace

Module* load_module(const void* code) {
  auto module = std::make_unique<Module>(read_code(code));
  module->program();
  const std::scoped_lock lock(registry().mutex);
  registry().modules.push_back(std::move(module));
  return registry().modules.back().get();
}

const void* kernel_handle(Module& module, const std::string& name) {
  const std::scoped_lock lock(registry().mutex);
  for (const auto& [handle, kernel] : registry().kernels) {
    if (kernel.module == &module && kernel.name == name) return handle;
  }
  const Routine* const routine = module.program().kernel(name);
  if (routine == nullptr) return nullptr;
  registry().kernels[routine] = {&module, name};  // an address that stands for no other kernel
  return routine;
}

std::vector<const void*> kernel_handles(Module& module) {
  std::vector<const void*> handles;
  for (const ptx::Function& function : module.program().module().functions) {
    if (function.kernel && function.defined)
      handles.push_back(kernel_handle(module, std::string(function.name)));
  }
  return handles;
}

Program::Symbol symbol_of(Module& module, const std::string& name) { return module.program().symbol(name); }

int architecture() { return card().architecture(); }

Kernel find_kernel(const void* function) {
  const std::scoped_lock lock(registry().mutex);
  const auto found = registry().kernels.find(function);
  if (found == registry().kernels.end()) return {};
  Program& program = found->second.module->program();
  Kernel kernel{&program, program.kernel(found->second.name), program.machine_function(found->second.name)};
  if (const int foreign = found->second.module->foreign_architecture(); foreign != 0) {
    kernel.foreign_code = std::exchange(kernel.machine_code, nullptr);
    kernel.foreign_architecture = foreign;
  }
  return kernel;
}

Program::Symbol find_symbol(const void* variable) {
  const std::scoped_lock lock(registry().mutex);
  const auto found = registry().variables.find(variable);
  if (found == registry().variables.end()) return {};
  return found->second.module->program().symbol(found->second.name);
}

}  // namespace weft::emulator

// What nvcc's host code calls before main(). The names are reserved, and nvcc's.
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
extern "C" {

void** __cudaRegisterFatBinary(void* wrapper) {
  auto& registry = weft::emulator::registry();
  const std::scoped_lock lock(registry.mutex);
  registry.modules.push_back(std::make_unique<weft::emulator::Module>(wrapper));
  return reinterpret_cast<void**>(registry.modules.back().get());
}

void __cudaRegisterFatBinaryEnd(void** /*module*/) {}

void __cudaUnregisterFatBinary(void** /*module*/) {}

/// Called before the host touches a managed variable.
char __cudaInitModule(void** module) {
  const cudaError_t result = weft::emulator::guarded(
      [&] {
        const std::scoped_lock lock(weft::emulator::registry().mutex);
        reinterpret_cast<weft::emulator::Module*>(module)->program();
        return cudaSuccess;
      },
      cudaErrorInvalidKernelImage);
  return result == cudaSuccess ? 1 : 0;
}

void __cudaRegisterFunction(void** module, const char* host_function, char* /*device_function*/,
                            const char* name, int /*thread_limit*/, uint3* /*thread*/, uint3* /*block*/,
                            dim3* /*block_extents*/, dim3* /*grid_extents*/, int* /*warp_size*/) {
  auto& registry = weft::emulator::registry();
  const std::scoped_lock lock(registry.mutex);
  registry.kernels[host_function] = {reinterpret_cast<weft::emulator::Module*>(module), name};
}

void __cudaRegisterManagedVar(void** module, void** host_variable, char* /*device_address*/, const char* name,
                              int /*external*/, std::size_t /*bytes*/, int /*constant*/, int /*global*/) {
  auto& registry = weft::emulator::registry();
  const std::scoped_lock lock(registry.mutex);
  auto* const owner = reinterpret_cast<weft::emulator::Module*>(module);
  registry.variables[static_cast<const void*>(host_variable)] = {owner, name};
  owner->add_managed(host_variable, name);
}

void __cudaRegisterVar(void** module, char* host_variable, char* /*device_address*/, const char* name,
                       int /*external*/, std::size_t /*bytes*/, int /*constant*/, int /*global*/) {
  auto& registry = weft::emulator::registry();
  const std::scoped_lock lock(registry.mutex);
  registry.variables[host_variable] = {reinterpret_cast<weft::emulator::Module*>(module), name};
}

}  // extern "C"
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)

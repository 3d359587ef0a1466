/// @file
/// The functions of the driver that programs ask the runtime for.

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <string_view>

#include "emulator/memory/tensor_map.hpp"
#include "emulator/runtime/state.hpp"

namespace weft::emulator {
namespace {

constexpr std::array<std::uint8_t, 13> element_bytes{1, 2, 4, 4, 8, 8, 2,
                                                     4, 8, 2, 4, 4, 4};  // by CUtensorMapDataType

CUresult encode_tensor_map(CUtensorMap* map, CUtensorMapDataType type, cuuint32_t dimensions,
                           const void* address, const cuuint64_t* lengths, const cuuint64_t* pitches,
                           const cuuint32_t* box, const cuuint32_t* /*element_strides*/,
                           CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                           CUtensorMapL2promotion /*promotion*/, CUtensorMapFloatOOBfill /*fill*/) {
  const bool known = dimensions >= 1 && dimensions <= TensorMap::most_dimensions &&
                     static_cast<std::size_t>(type) < element_bytes.size() &&
                     interleave == CU_TENSOR_MAP_INTERLEAVE_NONE && swizzle <= CU_TENSOR_MAP_SWIZZLE_128B;
  if (!known || reinterpret_cast<std::uintptr_t>(address) % 16 != 0) return CUDA_ERROR_INVALID_VALUE;
  TensorMap made;
  made.mark = TensorMap::valid;
  made.element_bytes = element_bytes[static_cast<std::size_t>(type)];
  made.dimensions = static_cast<std::uint8_t>(dimensions);
  made.swizzle = static_cast<TensorMap::Swizzle>(swizzle);
  made.address = reinterpret_cast<std::uint64_t>(address);
  for (std::size_t i = 0; i < dimensions; ++i) {
    made.pitch[i] = i == 0 ? made.element_bytes : pitches[i - 1];
    made.length[i] = static_cast<std::uint32_t>(lengths[i]);
    made.box[i] = static_cast<std::uint16_t>(box[i]);
    if (box[i] == 0 || box[i] > 256 || (i > 0 && made.pitch[i] % 16 != 0)) return CUDA_ERROR_INVALID_VALUE;
  }
  *map = {};
  std::memcpy(map, &made, sizeof made);
  return CUDA_SUCCESS;
}

}  // namespace
}  // namespace weft::emulator

extern "C" {

cudaError_t cudaGetDriverEntryPointByVersion(const char* symbol, void** function, unsigned /*version*/,
                                             unsigned long long /*flags*/,
                                             cudaDriverEntryPointQueryResult* status) {
  const bool known = std::string_view(symbol) == "cuTensorMapEncodeTiled";
  *function = known ? reinterpret_cast<void*>(&weft::emulator::encode_tensor_map) : nullptr;
  if (!known) weft::emulator::say_once(std::string("the driver's ") + symbol + " is not provided");
  if (status != nullptr) *status = known ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
  return weft::emulator::note(cudaSuccess);
}

cudaError_t cudaGetDriverEntryPoint(const char* symbol, void** function, unsigned long long flags,
                                    cudaDriverEntryPointQueryResult* status) {
  return cudaGetDriverEntryPointByVersion(symbol, function, CUDART_VERSION, flags, status);
}

}  // extern "C"

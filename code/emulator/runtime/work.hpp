#pragma once

/// @file
/// What streams do and graphs are made of.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

#include "emulator/execute/block.hpp"

struct CUgraph_st;

namespace weft::emulator {

/// A launch of a kernel.
struct KernelCall {
  const void* function = nullptr;  ///< its stub on the host
  Extents grid, block, cluster{1, 1, 1};
  std::uint32_t shared = 0;  ///< dynamic shared memory, in bytes
  bool cooperative = false;
  std::vector<std::byte> parameters;  ///< laid out as the kernel's PTX declares them
};

/// One side of a copy.
struct Pitched {
  std::byte* start = nullptr;
  std::size_t pitch = 0;  ///< bytes from row to row
  std::size_t slice = 0;  ///< bytes from slice to slice
};

/// A copy of a box of bytes.
struct Copy {
  Pitched to, from;
  std::size_t width = 0;  ///< bytes
  std::size_t height = 1, depth = 1;
  cudaMemcpyKind kind = cudaMemcpyDefault;
};

/// A box filled with one value.
struct Fill {
  Pitched to;
  unsigned value = 0;
  unsigned element = 1;   ///< bytes of the value: 1, 2 or 4
  std::size_t width = 0;  ///< elements
  std::size_t height = 1, depth = 1;
};

struct Record {
  cudaEvent_t event;
};
struct Wait {
  cudaEvent_t event;
};

/// The steps of another graph, which is owned.
struct Subgraph {
  std::shared_ptr<CUgraph_st> graph;
};

/// Memory that a graph allocates: it is there as long as the graph.
struct Allocate {
  std::shared_ptr<std::byte> memory;
  std::size_t bytes;
};
struct Release {
  void* memory;
};

using Work = std::variant<std::monostate, KernelCall, Copy, Fill, cudaHostNodeParams, Record, Wait, Subgraph,
                          Allocate, Release>;

/// Looks whether work can be done, as CUDA does when it is handed over.
cudaError_t check(const KernelCall& call);
cudaError_t check(const Copy& copy);
cudaError_t check(const Fill& fill);

/// Does it. What a kernel does wrong becomes the sticky error.
cudaError_t perform(const Work& work);
cudaError_t perform(const KernelCall& call);
void perform(const Copy& copy);
void perform(const Fill& fill);

/// A copy of one row.
Copy linear_copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind);

/// CUDA's own description of a copy, and back.
/// @return cudaErrorNotSupported for arrays
cudaError_t from_parameters(const cudaMemcpy3DParms& parameters, Copy& copy);
cudaMemcpy3DParms to_parameters(const Copy& copy);

Fill from_parameters(const cudaMemsetParams& parameters);
cudaMemsetParams to_parameters(const Fill& fill);

/// @param parameters with the arguments as cudaLaunchKernel() takes them
/// @return cudaErrorInvalidDeviceFunction if the kernel is not known
/// @throws Error if its module cannot be read, or the kernel cannot be run here
cudaError_t from_parameters(const cudaKernelNodeParams& parameters, KernelCall& call);

}  // namespace weft::emulator

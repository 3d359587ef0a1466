// A copy that reads in order and writes pieces of 4 KiB in a scattered order, within windows of so many MiB.
#include <bit>

#include "check/arrays.hpp"
#include "check/pattern.hpp"
#include "problem.hpp"
#include "step/step.hpp"

namespace {
constexpr int threads = 256;
constexpr int unroll = 4;
constexpr std::int64_t piece = 256;  // float4: 4 KiB
constexpr std::int64_t floats = 4;   // of a float4
constexpr std::int64_t pieces_of_a_mib = (1 << 20) / (piece * 16);

/// Which piece of its window the n-th becomes: one far from the piece before. `pieces` is a power of two.
__host__ __device__ constexpr std::int64_t place(std::int64_t n, std::int64_t pieces) {
  constexpr std::int64_t odd = 0x9E3779B1;  // 2^32 times the golden section
  return (n & ~(pieces - 1)) | (n * odd & (pieces - 1));
}

/// Which piece comes to place n.
constexpr std::int64_t piece_at(std::int64_t n, std::int64_t pieces) {
  std::uint32_t inverse = 1;
  for (int step = 0; step < 5; ++step) inverse *= 2 - 0x9E3779B1U * inverse;
  return (n & ~(pieces - 1)) | (n * inverse & (pieces - 1));
}

__global__ void copy_write_window(const float4* __restrict__ in, float4* __restrict__ out,
                                  std::int64_t pieces) {
  const std::int64_t first = std::int64_t{blockIdx.x} * threads * unroll + threadIdx.x;
  float4 moved[unroll];
#pragma unroll
  for (int k = 0; k < unroll; ++k) moved[k] = in[first + std::int64_t{k} * threads];
#pragma unroll
  for (int k = 0; k < unroll; ++k) {
    const std::int64_t index = first + std::int64_t{k} * threads;
    out[place(index / piece, pieces) * piece + index % piece] = moved[k];
  }
}

/// Pieces of a window of so many MiB, or of the whole matrix if that is smaller.
std::int64_t pieces_of(std::int64_t count, std::int64_t mib) {
  if (count % (piece * floats * unroll) != 0 || !std::has_single_bit(static_cast<std::uint64_t>(count))) {
    refuse("windows of pieces must divide the matrix");
  }
  return min(count / (piece * floats), mib * pieces_of_a_mib);
}

Owned<Problem> problem(const Shape& shape, int mib) {
  const std::int64_t count = shape[0] * shape[1];
  const std::int64_t pieces = pieces_of(count, mib);
  auto made = make_owned<ArrayProblem>();
  const auto& in = made->input<float>("input", shape, hashed_floats);
  auto& out = made->output<float>("output", shape, [=](std::uint64_t seed, std::int64_t index) {
    constexpr std::int64_t length = piece * floats;
    return hashed_float(seed, piece_at(index / length, pieces) * length + index % length);
  });
  made->launches([=, &in, &out](cudaStream_t stream) {
    const auto blocks = static_cast<unsigned>(count / floats / threads / unroll);
    copy_write_window<<<blocks, threads, 0, stream>>>(reinterpret_cast<const float4*>(in.data()),
                                                      reinterpret_cast<float4*>(out.data()), pieces);
  });
  return made;
}
}  // namespace

void weft::register_steps() {
  for (const Setting& setting : Axes().with("mib", {1, 8, 32, 128, 1024}).settings()) {
    Variant made("write-window", setting);
    made.kind = Kind::experiment;
    made.checked = {{512, 512}, {1024, 2048}};
    made.measured = {{16384, 16384}};
    made.make = [mib = setting.number("mib")](const Shape& shape) { return problem(shape, mib); };
    made.amounts = [](const Shape& shape) {
      return Amounts{.bytes = 2 * std::int64_t{sizeof(float)} * shape[0] * shape[1]};
    };
    add(std::move(made));
  }
}

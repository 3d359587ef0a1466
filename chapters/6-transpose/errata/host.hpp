#pragma once

/// @file
/// A grid of threads on the host, to see where a kernel's indices go without letting it go there.

#include <vector_types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "model/access.hpp"

namespace weft::errata {

/// The extents of a matrix as source 001 names them: nx columns, ny rows.
struct Extents {
  std::int64_t nx, ny;
  [[nodiscard]] std::int64_t count() const { return nx * ny; }
};

/// A thread's built-in variables.
struct Thread {
  dim3 grid, block;
  uint2 blockIdx, threadIdx;
  [[nodiscard]] std::int64_t x() const { return std::int64_t{blockIdx.x} * block.x + threadIdx.x; }
  [[nodiscard]] std::int64_t y() const { return std::int64_t{blockIdx.y} * block.y + threadIdx.y; }
};

/// One statement `MatB[to] = MatA[from]`.
struct Move {
  std::int64_t from, to;
};

/// What a thread moves.
using Kernel = std::function<std::vector<Move>(const Thread&, Extents)>;

/// The grid that covers the extents when each thread moves `per_thread` elements in x.
inline dim3 grid_for(Extents extents, dim3 block, unsigned per_thread = 1) {
  const auto blocks = [](std::int64_t length, std::int64_t size) {
    return static_cast<unsigned>((length + size - 1) / size);
  };
  return {blocks(extents.nx, std::int64_t{block.x} * per_thread), blocks(extents.ny, block.y)};
}

/// Calls `visit` for every thread of a grid.
template <typename Visit>
void for_each_thread(dim3 grid, dim3 block, Visit visit) {
  for (unsigned by = 0; by < grid.y; ++by) {
    for (unsigned bx = 0; bx < grid.x; ++bx) {
      for (unsigned ty = 0; ty < block.y; ++ty) {
        for (unsigned tx = 0; tx < block.x; ++tx) visit(Thread{grid, block, {bx, by}, {tx, ty}});
      }
    }
  }
}

/// What came of a launch.
struct Outcome {
  std::vector<std::int64_t> out;  ///< which element of the input came here; -1: none
  std::int64_t outside = 0;  ///< statements that read or write outside of their matrix, which are left out
};

inline Outcome run(const Kernel& kernel, Extents extents, dim3 grid, dim3 block) {
  Outcome outcome{std::vector<std::int64_t>(static_cast<std::size_t>(extents.count()), -1)};
  const auto inside = [&](std::int64_t index) { return index >= 0 && index < extents.count(); };
  for_each_thread(grid, block, [&](const Thread& thread) {
    for (const Move& move : kernel(thread, extents)) {
      if (inside(move.from) && inside(move.to)) {
        outcome.out[static_cast<std::size_t>(move.to)] = move.from;
      } else {
        ++outcome.outside;
      }
    }
  });
  return outcome;
}

/// Whether MatB[x][y] is MatA[y][x] everywhere.
inline bool is_transpose(const std::vector<std::int64_t>& out, Extents extents) {
  for (std::int64_t x = 0; x < extents.nx; ++x) {
    for (std::int64_t y = 0; y < extents.ny; ++y) {
      if (out.at(static_cast<std::size_t>(x * extents.ny + y)) != y * extents.nx + x) return false;
    }
  }
  return true;
}

/// Sectors that the first warp of a grid touches with its first load.
inline int sectors_of_first_load(const Kernel& kernel, Extents extents, dim3 grid, dim3 block) {
  return model::sectors(model::Lanes(4, [&](int lane) -> model::Element {
    const auto thread = static_cast<unsigned>(lane);
    const auto moves = kernel(Thread{grid, block, {0, 0}, {thread % block.x, thread / block.x}}, extents);
    if (moves.empty()) return {};
    return moves.front().from;
  }));
}

}  // namespace weft::errata

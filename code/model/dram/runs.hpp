#pragma once

/// @file
/// What a memory gives to random runs: so many neighbouring bytes at a time, from anywhere.

#include <algorithm>
#include <cstdint>
#include <optional>

#include "model/dram/controller.hpp"

namespace weft::model::dram {

/// Neighbouring bytes lie in one row up to this boundary and then anywhere. How the cards spread addresses is
/// not published; 256 bytes is what GPGPU-Sim's configurations of NVIDIA's cards assume (`dramid@8`).
inline constexpr std::int64_t chunk_bytes = 256;

/// SplitMix64 (Steele, Lea and Flood, 2014).
class Random {
 public:
  constexpr std::int64_t operator()(std::int64_t below) {
    std::uint64_t mixed = state_ += 0x9e3779b97f4a7c15;
    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111eb;
    return static_cast<std::int64_t>((mixed ^ mixed >> 31) % static_cast<std::uint64_t>(below));
  }

 private:
  std::uint64_t state_ = 1;
};

/// GB/s of the whole memory for reads of aligned runs of `run_bytes`, from `channel`, which stands for all.
/// The queue is always full. Simulates at least `bursts` bursts.
/// @throws std::invalid_argument if a run has no byte
constexpr double random_runs(const Memory& memory, const Policy& policy, std::int64_t run_bytes,
                             std::int64_t bursts = 50000) {
  if (run_bytes < 1) refuse("a run has at least a byte");
  const Organization& parts = memory.organization;
  const std::int64_t piece = std::min({run_bytes, chunk_bytes, parts.row_bytes()});
  const auto bursts_of_piece = static_cast<int>((piece + parts.burst_bytes - 1) / parts.burst_bytes);
  const std::int64_t pieces = bursts / bursts_of_piece + 1;

  Random random;
  std::int64_t drawn = 0;
  Tick last = 0;
  Controller controller(memory, policy);
  controller.serve(
      [&]() -> std::optional<Request> {
        if (drawn++ == pieces) return std::nullopt;
        Request request;
        request.bank = static_cast<int>(random(parts.banks_of_channel()));
        request.row = random(parts.rows);
        request.column = static_cast<int>(random(parts.columns / bursts_of_piece)) * bursts_of_piece;
        request.bursts = bursts_of_piece;
        return request;
      },
      [&](const Issued& line) { last = line.tick; });
  const double ns = static_cast<double>(last + memory.timing.cl + memory.timing.burst) * memory.tick_ns();
  return static_cast<double>(pieces * piece) / ns * static_cast<double>(parts.channels);
}

}  // namespace weft::model::dram

#include <doctest/doctest.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "model/metric_names.hpp"
#include "model/prediction.hpp"

using namespace weft::model;

namespace {

constexpr std::int64_t n = 1024;
constexpr std::int64_t warps = n * n / warp_size;

constexpr Metrics naive_transpose(std::int64_t block_x) {
  const auto x = [=](int lane) { return lane % block_x; };
  const auto y = [=](int lane) { return lane / block_x; };
  return Prediction{}
      .global_load(warps, 4, [&](int lane) { return y(lane) * n + x(lane); })
      .global_store(warps, 4, [&](int lane) { return x(lane) * n + y(lane); });
}

// Published counts of a 1024 x 1024 transpose (Nsight Compute, an Ada card).
static_assert(naive_transpose(32)[Metric::global_load_requests] == 32'768);
static_assert(naive_transpose(32)[Metric::global_load_sectors] == 131'072);
static_assert(naive_transpose(32)[Metric::global_store_requests] == 32'768);
static_assert(naive_transpose(32)[Metric::global_store_sectors] == 1'048'576);
static_assert(naive_transpose(8)[Metric::global_load_sectors] == 131'072);
static_assert(naive_transpose(8)[Metric::global_store_sectors] == 262'144);

// 4 x 4 floats per thread, blocks of 16 x 16 threads: 4 loads and 4 stores of a float4 in every thread.
constexpr Metrics register_tile =
    Prediction{}
        .global_load(n * n / 16 / warp_size * 4, 16, [](int lane) { return lane / 16 * n + lane % 16; })
        .global_store(n * n / 16 / warp_size * 4, 16, [](int lane) { return lane % 16 * n + lane / 16; });
static_assert(register_tile[Metric::global_load_requests] == 8'192);
static_assert(register_tile[Metric::global_load_sectors] == 131'072);
static_assert(register_tile[Metric::global_store_requests] == 8'192);
static_assert(register_tile[Metric::global_store_sectors] == 131'072);

// Adding two arrays of 2^23 floats, aligned and one element off.
constexpr Metrics add(int offset) {
  const std::int64_t add_warps = (std::int64_t{1} << 23) / warp_size;
  const auto element = [=](int lane) { return lane + offset; };
  return Prediction{}.global_load(2 * add_warps, 4, element).global_store(add_warps, 4, element);
}
static_assert(add(0)[Metric::global_load_sectors] == 4 * add(0)[Metric::global_load_requests]);
static_assert(add(1)[Metric::global_load_sectors] == 2'621'440);
static_assert(add(1)[Metric::global_store_sectors] == 1'310'720);

TEST_CASE("each line counts in its own metrics") {
  const Metrics metrics = Prediction{}
                              .global_load(2, 4, [](int lane) { return lane; })
                              .global_store(3, 4, [](int lane) { return lane * 8; })
                              .global_reduction(5, [](int) { return 0; })
                              .shared_load(7, 4, [](int lane) { return lane * 2; })
                              .shared_store(11, 16, [](int lane) { return lane; })
                              .shared_atomic(13, [](int) { return 0; });
  CHECK(metrics[Metric::global_load_requests] == 2);
  CHECK(metrics[Metric::global_load_sectors] == 2 * 4);
  CHECK(metrics[Metric::global_store_requests] == 3);
  CHECK(metrics[Metric::global_store_sectors] == 3 * 32);
  CHECK(metrics[Metric::global_reduction_requests] == 5);
  CHECK(metrics[Metric::global_reduction_sectors] == 5 * 32);
  CHECK(metrics[Metric::shared_load_requests] == 7);
  CHECK(metrics[Metric::shared_load_wavefronts] == 7 * 2);
  CHECK(metrics[Metric::shared_store_requests] == 11);
  CHECK(metrics[Metric::shared_store_wavefronts] == 11 * 4);
  CHECK(metrics[Metric::shared_atomic_requests] == 13);
  CHECK(metrics[Metric::shared_atomic_wavefronts] == 13 * 32);
  CHECK(metrics.size() == metric_names.size() - 2);  // those of the L1 are not known
}

// A warp reads a column of 32 rows; with rows of 32 floats more than a power of two no two columns are alike.
Prediction columns_of(std::int64_t pitch) {
  const auto column = [=](int lane) { return lane * pitch; };
  return Prediction{}
      .global_load(2048, 4, column, 1024, [](std::int64_t warp) { return warp; })
      .global_store(2048, 4, [](int lane) { return lane; });
}

TEST_CASE("tag wavefronts are predicted of loads whose places are told") {
  CHECK(columns_of(1024)[Metric::load_tag_wavefronts] == 2048 * 8);
  std::uint64_t padded = 0;
  for (int warp = 0; warp < 1024; ++warp) {
    padded += tag_wavefronts(Lanes(4, [&](int lane) { return lane * 1056 + warp; }));
  }
  CHECK(columns_of(1056)[Metric::load_tag_wavefronts] == 2 * padded);
  CHECK(padded > 1024 * 8);
  CHECK_THROWS_AS(Prediction{}.global_load(
                      3, 4, [](int lane) { return lane; }, 2, [](std::int64_t place) { return place; }),
                  std::invalid_argument);
}

TEST_CASE("tag wavefronts are not predicted if the places of a load are not told") {
  const Metrics metrics = columns_of(1024).global_load(1, 4, [](int lane) { return lane; });
  CHECK(metrics[Metric::load_tag_wavefronts] == 0);
}

TEST_CASE("data wavefronts are predicted of a known number of warps, for all kinds of memory") {
  const auto row = [](int lane) { return lane; };
  CHECK(columns_of(1024)[Metric::data_wavefronts] == 0);
  const Metrics metrics = columns_of(1024).shared_load(3, 8, row).shared_store(5, 4, row).launch(7, 2);
  CHECK(metrics[Metric::data_wavefronts] == 2048 * 32 + 2048 + 3 * 2 + 5 + 7 * 2);
}

TEST_CASE("a prediction keeps its lines, as they were said") {
  const Prediction prediction =
      Prediction{}.global_load(6, 8, [](int lane) { return 3 * lane; }).shared_store(2, 4, [](int lane) {
        return lane < 20 ? Element(lane) : Element();
      });
  REQUIRE(prediction.lines().size() == 2);
  const Line& load = prediction.lines()[0];
  CHECK(load.operation == Operation::global_load);
  CHECK(load.warps == 6);
  CHECK(load.lanes.width() == 8);
  CHECK(load.lanes.address(31) == 3 * 31 * 8);
  const Line& store = prediction.lines()[1];
  CHECK(store.operation == Operation::shared_store);
  CHECK(store.lanes.active(19));
  CHECK_FALSE(store.lanes.active(20));
}

TEST_CASE("a shared load that no lane executes is a request without a wavefront") {
  const Prediction prediction = Prediction{}.skipped_shared_load(9);
  CHECK(prediction[Metric::shared_load_requests] == 9);
  CHECK(prediction[Metric::shared_load_wavefronts] == 0);
  for (int lane = 0; lane < warp_size; ++lane) CHECK_FALSE(prediction.lines().at(0).lanes.active(lane));
}

TEST_CASE("a shared store that no lane executes is one, too") {
  const Prediction prediction = Prediction{}.skipped_shared_store(9);
  CHECK(prediction[Metric::shared_store_requests] == 9);
  CHECK(prediction[Metric::shared_store_wavefronts] == 0);
}

TEST_CASE("lines add up, and their order does not matter") {
  const auto row = [](int lane) { return lane; };
  const Metrics once = Prediction{}.global_load(5, 4, row).shared_load(5, 4, row);
  const Metrics twice =
      Prediction{}.shared_load(2, 4, row).global_load(4, 4, row).shared_load(3, 4, row).global_load(1, 4,
                                                                                                    row);
  CHECK(once == twice);
}

TEST_CASE("metrics are listed by name, in alphabetical order, and only if something was predicted") {
  CHECK(std::ranges::is_sorted(metric_names));
  CHECK(Metrics{}.empty());
  const Metrics metrics =
      Prediction{}.shared_load(1, 4, [](int lane) { return lane; }).global_load(0, 4, [](int lane) {
        return lane;
      });
  std::vector<std::pair<std::string, std::uint64_t>> listed;
  for (const auto& [metric, value] : metrics) listed.emplace_back(name(metric), value);
  CHECK(listed == std::vector<std::pair<std::string, std::uint64_t>>{
                      {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", 0},
                      {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 0},
                      {"smsp__inst_executed_op_shared_ld.sum", 1},
                      {"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", 1}});
  CHECK(metrics[Metric::global_store_sectors] == 0);
}

TEST_CASE("edge warps get a line of their own") {
  // Rows of 40 floats, one after the other: 40 * 4 bytes are 5 whole sectors.
  constexpr std::int64_t rows = 3, columns = 40;
  Prediction prediction;
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t first = 0; first < columns; first += warp_size) {
      prediction.global_load(1, 4, [&](int lane) -> Element {
        if (first + lane >= columns) return {};
        return row * columns + first + lane;
      });
    }
  }
  const Metrics metrics = prediction;
  CHECK(metrics[Metric::global_load_requests] == rows * 2);
  CHECK(metrics[Metric::global_load_sectors] == rows * 5);
}

TEST_CASE("counts beyond 32 bits stay exact") {
  const std::int64_t many = std::int64_t{1} << 40;
  const Metrics metrics =
      Prediction{}.global_store(many, 4, [](int lane) { return std::int64_t{lane} << 34; });
  CHECK(metrics[Metric::global_store_sectors] == static_cast<std::uint64_t>(many) * 32);
}

TEST_CASE("a negative number of warps is refused") {
  CHECK_THROWS_AS(Prediction{}.global_load(-1, 4, [](int lane) { return lane; }), std::invalid_argument);
}

}  // namespace

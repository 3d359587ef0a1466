// Rows that are left open or closed, and addresses whose neighbours lie together or apart.
#include <doctest/doctest.h>

#include <cstdint>
#include <stdexcept>

#include "dram_streams.hpp"
#include "model/dram/mapped_runs.hpp"

using namespace weft::model::dram;

namespace {

/// From the arrival of the last of three reads of one bank to the end of its data, if each finds the memory
/// at rest, and the last one wants the row of the others or another one.
Tick latency(const Memory& memory, Page page, bool same_row) {
  constexpr Tick apart = 10'000;
  const Served served = serve(memory, {.page = page}, 3, [&](std::int64_t n) {
    Request request;
    request.arrival = apart * n;
    request.row = n == 2 && !same_row ? 1 : 0;
    return request;
  });
  return served.end - 2 * apart;
}

TEST_CASE("one read at a time: an open row saves tRCD, and another open row costs tRP") {
  for (const Memory& memory : {h200, h100, hbm2, gddr6}) {
    INFO(memory.name);
    const Timing& t = memory.timing;
    CHECK(latency(memory, Page::open, true) == t.cl + t.burst);
    CHECK(latency(memory, Page::open, false) == t.rp + t.rcd_read + t.cl + t.burst);
    CHECK(latency(memory, Page::closed, true) == t.rcd_read + t.cl + t.burst);
    CHECK(latency(memory, Page::closed, false) == t.rcd_read + t.cl + t.burst);
  }
}

double share(Page page, int queue, std::int64_t together, std::int64_t run_bytes) {
  const Policy policy{.page = page, .queue = queue * h200.organization.pseudo_channels};
  return mapped_runs(h200, policy, together, run_bytes) / h200.peak();
}

TEST_CASE("with banks first each burst of a random run opens a row, and tFAW is the limit") {
  const Timing& t = h200.timing;
  const double limit = 4. * static_cast<double>(t.burst) / static_cast<double>(t.faw);
  for (const std::int64_t bytes : {32, 256, 2048}) {
    for (const Page page : {Page::open, Page::closed}) CHECK(share(page, 128, 32, bytes) == near(limit));
  }
}

TEST_CASE("if many requests wait, it hardly matters whether rows are left open") {
  for (const std::int64_t together : {32, 256, 1024}) {
    for (const std::int64_t bytes : {32, 256, 4096, 1 << 20}) {
      INFO(together, " ", bytes);
      CHECK(share(Page::open, 128, together, bytes) ==
            doctest::Approx(share(Page::closed, 128, together, bytes)).epsilon(0.02));
    }
  }
}

TEST_CASE("if few requests wait, random runs want closed rows, and a stream over all banks open ones") {
  for (const std::int64_t together : {32, 256, 1024}) {
    for (const std::int64_t bytes : {32, 64, 128, 256}) {
      INFO(together, " ", bytes);
      CHECK(share(Page::closed, 8, together, bytes) > 1.2 * share(Page::open, 8, together, bytes));
    }
  }
  CHECK(share(Page::open, 8, 32, 1 << 20) > 2 * share(Page::closed, 8, 32, 1 << 20));
  CHECK(share(Page::open, 8, 256, 1 << 20) > 1.3 * share(Page::closed, 8, 256, 1 << 20));
  CHECK(share(Page::closed, 8, 1024, 1 << 20) > 1.2 * share(Page::open, 8, 1024, 1 << 20));
}

TEST_CASE("all addresses of a channel are used, each once") {
  for (const std::int64_t together : {32, 256, 1024}) {
    int bits = 0;
    for (const Field& field : fields(h100.organization, together)) bits += field.bits;
    CHECK(h100.organization.burst_bytes * (std::int64_t{1} << bits) * h100.organization.channels ==
          h100.organization.bytes());
  }
}

TEST_CASE("what cannot be simulated is refused") {
  CHECK_THROWS_AS(static_cast<void>(fields(h200.organization, 16)), std::invalid_argument);
  CHECK_THROWS_AS(static_cast<void>(fields(h200.organization, 2048)), std::invalid_argument);
  CHECK_THROWS_AS(static_cast<void>(mapped_runs(h200, {}, 32, 16)), std::invalid_argument);
}

}  // namespace

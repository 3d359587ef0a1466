// The benchmark's work as plain C++ on all processors: `plain copy|transpose|sgemm N` prints the seconds that
// it took.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <vector>

namespace {

using Matrix = std::vector<float>;

/// Calls `rows(first, end)` for parts of 0 … n - 1, one per processor.
void in_parallel(std::size_t n, const std::function<void(std::size_t, std::size_t)>& rows) {
  const std::size_t workers = std::max(1U, std::thread::hardware_concurrency());
  std::vector<std::jthread> threads;
  threads.reserve(workers);
  for (std::size_t i = 0; i < workers; ++i)
    threads.emplace_back(rows, n * i / workers, n * (i + 1) / workers);
}

void copy(const Matrix& a, const Matrix& /*b*/, Matrix& c, std::size_t n) {
  in_parallel(n, [&](std::size_t first, std::size_t end) {
    for (std::size_t row = first; row < end; ++row) {
      for (std::size_t column = 0; column < n; ++column) c[row * n + column] = a[row * n + column];
    }
  });
}

void transpose(const Matrix& a, const Matrix& /*b*/, Matrix& c, std::size_t n) {
  constexpr std::size_t tile = 32;
  in_parallel((n + tile - 1) / tile, [&](std::size_t first, std::size_t end) {
    for (std::size_t top = first * tile; top < std::min(n, end * tile); top += tile) {
      for (std::size_t left = 0; left < n; left += tile) {
        for (std::size_t row = top; row < std::min(n, top + tile); ++row) {
          for (std::size_t column = left; column < std::min(n, left + tile); ++column)
            c[column * n + row] = a[row * n + column];
        }
      }
    }
  });
}

void sgemm(const Matrix& a, const Matrix& b, Matrix& c, std::size_t n) {
  in_parallel(n, [&](std::size_t first, std::size_t end) {
    for (std::size_t row = first; row < end; ++row) {
      for (std::size_t k = 0; k < n; ++k) {
        const float factor = a[row * n + k];
        for (std::size_t column = 0; column < n; ++column) c[row * n + column] += factor * b[k * n + column];
      }
    }
  });
}

}  // namespace

int main(int argc, const char* const* argv) {
  const std::map<std::string, void (*)(const Matrix&, const Matrix&, Matrix&, std::size_t)> jobs{
      {"copy", copy}, {"transpose", transpose}, {"sgemm", sgemm}};
  const auto job = argc == 3 ? jobs.find(argv[1]) : jobs.end();
  const long n = argc == 3 ? std::strtol(argv[2], nullptr, 10) : 0;
  if (job == jobs.end() || n <= 0) {
    std::fputs("usage: plain copy|transpose|sgemm N\n", stderr);
    return 2;
  }
  const auto side = static_cast<std::size_t>(n);
  const Matrix a(side * side, 1.5F);
  const Matrix b(side * side, 0.5F);
  Matrix c(side * side, 0.0F);
  const auto start = std::chrono::steady_clock::now();
  job->second(a, b, c, side);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  if (c[0] == 0 || c.back() == 0) return EXIT_FAILURE;
  std::printf("%.9f\n", seconds.count());
  return EXIT_SUCCESS;
}

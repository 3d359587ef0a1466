#include "device/parallel.hpp"

#include <algorithm>
#include <thread>
#include <vector>

namespace weft {

void for_each_range(std::int64_t begin, std::int64_t end,
                    const Function<void(std::int64_t, std::int64_t)>& work, std::int64_t parts) {
  constexpr std::int64_t worth_a_thread =
      1 << 18;  // parts: below, starting the thread costs more than it saves
  const std::int64_t most = std::max(1U, std::min(16U, std::thread::hardware_concurrency()));
  const std::int64_t count = std::clamp<std::int64_t>((end - begin) * parts / worth_a_thread, 1, most);
  const auto edge = [&](std::int64_t part) { return begin + (end - begin) * part / count; };
  std::vector<std::jthread> threads;
  for (std::int64_t part = 1; part < count; ++part) {
    threads.emplace_back([&, part] { work(edge(part), edge(part + 1)); });
  }
  work(begin, edge(1));
}

}  // namespace weft

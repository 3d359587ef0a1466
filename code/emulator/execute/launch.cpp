#include "emulator/execute/launch.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <thread>

#include "emulator/checking.hpp"
#include "emulator/execute/statistics.hpp"
#include "emulator/memory/allocations.hpp"

namespace weft::emulator {
namespace {

/// Rounds without progress after which a block is taken to wait for another one.
constexpr int patience = 4;
/// Turns without progress, of each block, after which all are taken to wait for each other.
constexpr std::size_t turns_in_vain = 2;

/// Blocks whose order matters run in one order, whatever the number of processors: on one.
bool one_worker(const Launch& launch) { return launch.cooperative || launch.kernel->order_matters; }

/// What the workers of a launch share.
struct Work {
  const Launch& launch;
  const std::vector<Site>& sites;
  Grid grid;
  std::atomic<std::uint64_t> next_block = 0;
  std::atomic<bool> failed = false;
  std::mutex mutex;
  std::exception_ptr failure;
  std::uint64_t failed_block = ~std::uint64_t{0};
  std::vector<SiteCount> counts;
};

/// The narrowest access to shared memory, up to 4 bytes.
std::uint32_t least_shared_access(const std::vector<Site>& sites) {
  int least = 4;
  for (const Site& site : sites) {
    if (site.space == ptx::Space::shared && site.bytes > 0) least = std::min(least, site.bytes);
  }
  return static_cast<std::uint32_t>(least);
}

/// Runs blocks, one after the other; several in turns where they wait for each other.
class Worker {
 public:
  explicit Worker(Work& work)
      : work_(work), accesses_(std::make_unique<Access[]>(std::max<std::size_t>(work.sites.size(), 1))) {}

  void run() {
    try {
      const std::uint64_t all = work_.grid.blocks.count() / work_.grid.cluster.count();
      while (!work_.failed) {
        if (may_start_another()) {
          const std::uint64_t number = work_.next_block++;
          all_started_ = number >= all;
          if (!all_started_) start_cluster(number);
        }
        if (running_.empty()) break;
        take_turn();
      }
    } catch (...) {
      report_failure();
    }
    const std::scoped_lock lock(work_.mutex);
    for (const auto& block : spare_) statistics().thread_instructions += block->thread_instructions;
    for (std::size_t i = 0; i < work_.sites.size(); ++i) {
      work_.counts[i].requests += accesses_[i].requests;
      work_.counts[i].units += accesses_[i].units;
      work_.counts[i].beyond_rule = work_.counts[i].beyond_rule || accesses_[i].beyond_rule;
      work_.counts[i].tags += accesses_[i].tags;
      work_.counts[i].data += accesses_[i].data;
    }
  }

 private:
  /// A block that waits for one that has not started gets it, as long as a card would have room.
  [[nodiscard]] bool may_start_another() const {
    if (all_started_) return false;
    if (running_.empty() || work_.launch.cooperative) return true;
    return work_.grid.cluster.count() == 1 && waited_ && work_.launch.kernel->order_matters &&
           running_.size() < work_.launch.resident_blocks;
  }

  /// Starts the blocks of a cluster, by rank; most clusters have one block.
  void start_cluster(std::uint64_t number) {
    const Extents& blocks = work_.grid.blocks;
    const Extents& cluster = work_.grid.cluster;
    if (cluster.count() == 1) return start(number);
    const std::uint64_t across = blocks.x / cluster.x;
    const std::uint64_t down = blocks.y / cluster.y;
    clusters_.push_back(std::make_unique<Cluster>());
    for (std::uint64_t rank = 0; rank < cluster.count(); ++rank) {
      const std::uint64_t x = number % across * cluster.x + rank % cluster.x;
      const std::uint64_t y = number / across % down * cluster.y + rank / cluster.x % cluster.y;
      const std::uint64_t z = number / across / down * cluster.z + rank / cluster.x / cluster.y;
      start(x + blocks.x * (y + blocks.y * z));
      clusters_.back()->blocks.push_back(running_.back().get());
      running_.back()->cluster = clusters_.back().get();
    }
  }

  void start(std::uint64_t number) {
    if (spare_.empty()) spare_.push_back(std::make_unique<Block>(work_.grid, accesses_.get(), open_joins_));
    running_.push_back(std::move(spare_.back()));
    spare_.pop_back();
    running_.back()->start(number);
    if (!one_worker(work_.launch))
      open_joins_.clear();  // what another block found out depends on the workers
    turn_ = running_.size() - 1;
    waited_ = false;
  }

  void take_turn() {
    turn_ = turn_ < running_.size() ? turn_ : 0;
    current_ = running_[turn_]->number;
    Block& block = *running_[turn_];
    const std::uint64_t before = block.progress;
    const Block::Outcome outcome = block.run(patience);
    in_vain_ = block.progress == before ? in_vain_ + 1 : 0;
    if (outcome == Block::Outcome::finished) {
      spare_.push_back(std::move(running_[turn_]));
      running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(turn_));
    } else {
      ++turn_;
      waited_ = true;
      if (in_vain_ >= turns_in_vain * running_.size() && !may_start_another()) open_joins();
    }
  }

  /// Nothing gets on any more: who waits at a join is let go.
  void open_joins() {
    for (const auto& block : running_) block->open_all_joins(false);
    in_vain_ = 0;
  }

  /// The failure of the first block in the grid's order is the one that is told.
  void report_failure() {
    const std::scoped_lock lock(work_.mutex);
    work_.failed = true;
    if (current_ > work_.failed_block) return;
    work_.failed_block = current_;
    work_.failure = std::current_exception();
  }

  Work& work_;
  std::unique_ptr<Access[]> accesses_;
  std::vector<std::unique_ptr<Block>> running_, spare_;
  std::vector<std::unique_ptr<Cluster>> clusters_;  ///< of more than one block
  std::size_t turn_ = 0;
  std::uint64_t current_ = 0;
  bool waited_ = false;
  bool all_started_ = false;
  std::size_t in_vain_ = 0;  ///< turns, one after the other
  std::vector<const Operation*> open_joins_;
};

/// What cooperative groups keep of a grid: the size of this, and a barrier, which flips its highest bit.
std::uint64_t grid_workspace() {
  static std::uint32_t* const words = [] {
    void* const memory = device_memory().allocate(2 * sizeof(std::uint32_t), Allocation::Kind::variable,
                                                  "(the grid's barrier)");
    if (memory == nullptr) throw std::bad_alloc();
    return static_cast<std::uint32_t*>(memory);
  }();
  words[0] = 2 * sizeof(std::uint32_t);
  words[1] = 0;
  return reinterpret_cast<std::uint64_t>(words);
}

}  // namespace

int worker_count() {
  static const int count = [] {
    const char* const wanted = std::getenv("WEFT_EMULATOR_THREADS");
    const long number = wanted != nullptr ? std::strtol(wanted, nullptr, 10) : 0;
    return number > 0 ? static_cast<int>(number)
                      : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  }();
  return count;
}

std::vector<SiteCount> run(const Launch& launch, const std::vector<Site>& sites) {
  static std::atomic<std::uint64_t> number = 0;
  const Stopwatch stopwatch;
  Work work{launch, sites, {}, 0, false, {}, nullptr, ~std::uint64_t{0}, {}};
  work.grid = {launch.kernel,
               launch.grid,
               launch.block,
               launch.cluster,
               launch.dynamic_shared,
               launch.parameters,
               ++number,
               &sites,
               statistics().count_instructions,
               launch.cooperative ? grid_workspace() : 0,
               launch.output,
               least_shared_access(sites),
               launch.checked && checking()};
  work.counts.resize(sites.size());
  const auto workers = std::min<std::uint64_t>(
      one_worker(launch) ? 1 : static_cast<std::uint64_t>(worker_count()), launch.grid.count());
  {
    std::vector<std::jthread> threads;
    for (std::uint64_t i = 1; i < workers; ++i) threads.emplace_back([&work] { Worker(work).run(); });
    Worker(work).run();
  }
  if (work.failure) std::rethrow_exception(work.failure);
  return std::move(work.counts);
}

}  // namespace weft::emulator

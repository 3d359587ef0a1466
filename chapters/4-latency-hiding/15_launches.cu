// Kernel after kernel adds one to all elements, each to what the one before has written: how long is it from
// one to the next, if they are launched one by one, as a graph, or early?
#include <memory>

#include "kernel/early_launch.hpp"  // sm_90
#include "problem.hpp"

namespace {
constexpr dim3 counting_block{256};

/// How the kernels come to the card.
enum class Way : std::uint8_t {
  one_by_one,
  graph,  ///< all of them by one call
  early   ///< each is launched while the one in front of it still runs, and waits for what that one writes
};

// [kernel]
template <Way way>
__global__ __launch_bounds__(counting_block.x) void add_one(const std::uint32_t* in, std::uint32_t* out,
                                                            std::int64_t count) {
  const std::int64_t index = std::int64_t{blockIdx.x} * counting_block.x + threadIdx.x;
  if constexpr (way == Way::early) {
    let_next_start();
    wait_for_one_in_front();
  }
  if (index < count) out[index] = in[index] + 1;
}
// [kernel]

/// Arrays that the kernels write by turns, such that the last one writes `out`.
struct Counters {
  const std::uint32_t* in;
  std::uint32_t* other;
  std::uint32_t* out;
  std::int64_t count, kernels;

  void launch(cudaStream_t stream, Way way) const {
    const auto blocks = static_cast<int>(blocks_over(count, counting_block.x));
    const std::uint32_t* from = in;
    for (std::int64_t kernel = 1; kernel <= kernels; ++kernel) {
      std::uint32_t* const to = (kernels - kernel) % 2 == 0 ? out : other;
      if (way == Way::early) {
        launch_early(stream, add_one<Way::early>, blocks, counting_block.x, 0, from, to, count);
      } else {
        add_one<Way::one_by_one>
            <<<static_cast<unsigned>(blocks), counting_block, 0, stream>>>(from, to, count);
      }
      from = to;
    }
  }
};

/// A graph of what is launched when it is launched first.
class Graph {
 public:
  Graph() = default;
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  ~Graph() {
    if (graph_ != nullptr) static_cast<void>(cudaGraphExecDestroy(graph_));
  }

  void launch(cudaStream_t stream, const Counters& counters) {
    if (graph_ == nullptr) {
      cudaStream_t capturing = nullptr;
      cudaGraph_t captured = nullptr;
      cuda_check(cudaStreamCreateWithFlags(&capturing, cudaStreamNonBlocking));
      cuda_check(cudaStreamBeginCapture(capturing, cudaStreamCaptureModeThreadLocal));
      counters.launch(capturing, Way::graph);
      cuda_check(cudaStreamEndCapture(capturing, &captured));
      cuda_check(cudaGraphInstantiate(&graph_, captured, 0));
      cuda_check(cudaGraphDestroy(captured));
      cuda_check(cudaStreamDestroy(capturing));
    }
    cuda_check(cudaGraphLaunch(graph_, stream));
  }

 private:
  cudaGraphExec_t graph_ = nullptr;
};

Owned<Problem> make(std::int64_t count, std::int64_t kernels, Way way) {
  auto problem = make_owned<ArrayProblem>();
  auto& in = problem->input<std::uint32_t>("in", {count}, word);
  const auto counted = [](std::int64_t added) {
    return [=](std::uint64_t seed, std::int64_t index) {
      return word(seed, index) + static_cast<std::uint32_t>(added);
    };
  };
  auto& other = problem->output<std::uint32_t>("other", {kernels > 1 ? count : 0}, counted(kernels - 1));
  auto& out = problem->output<std::uint32_t>("out", {count}, counted(kernels));
  const auto graph = std::make_shared<Graph>();
  problem->launches([=, &in, &other, &out](cudaStream_t stream) {
    if (count == 0) return;
    const Counters counters{in.data(), other.data(), out.data(), count, kernels};
    if (way == Way::graph) return graph->launch(stream, counters);
    counters.launch(stream, way);
  });
  return problem;
}
}  // namespace

/// The shape counts elements and kernels.
void weft::register_steps() {
  for (const Setting& setting : Axes().with("way", {0, 1, 2}).settings()) {
    const auto way = static_cast<Way>(setting.number());
    Variant made("launches", setting);
    made.checked = {{0, 2}, {1, 1}, {1, 2}, {1000, 5}};
    made.measured = {{256, 64}, {1 << 18, 64}, {1 << 22, 64}, {1 << 26, 8}};
    made.counted = {{1 << 18, 4}};
    made.l2 = L2::warm;
    made.rated_by = Rating::accesses;
    made.amounts = [](const Shape& shape) { return Amounts{.accesses = shape[1]}; };
    made.make = [=](const Shape& shape) { return make(shape[0], shape[1], way); };
    made.predict = [](const Shape& shape) {
      const std::int64_t requests = shape[0] * shape[1] / model::warp_size;
      return model::Prediction{}.global_load(requests, 4, own_lane).global_store(requests, 4, own_lane);
    };
    add(std::move(made));
  }
}

#include "emulator/runtime/work.hpp"

#include "emulator/runtime/graph.hpp"
#include "emulator/runtime/streams.hpp"

namespace weft::emulator {
namespace {

/// One for each kind of work.
struct Performer {
  cudaError_t operator()(const KernelCall& call) const { return perform(call); }
  cudaError_t operator()(const Copy& copy) const {
    perform(copy);
    return cudaSuccess;
  }
  cudaError_t operator()(const Fill& fill) const {
    perform(fill);
    return cudaSuccess;
  }
  cudaError_t operator()(const cudaHostNodeParams& call) const {
    call.fn(call.userData);
    return cudaSuccess;
  }
  cudaError_t operator()(const Record& record) const {
    record.event->when = std::chrono::steady_clock::now();
    record.event->recorded = true;
    record.event->captured = false;
    return cudaSuccess;
  }
  cudaError_t operator()(const Subgraph& subgraph) const {
    const auto order = subgraph.graph->order();
    return order ? perform(*order) : cudaErrorInvalidValue;
  }
  template <class Other>
  cudaError_t operator()(const Other& /*nothing_to_do*/) const {
    return cudaSuccess;
  }
};

}  // namespace

cudaError_t perform(const Work& work) { return std::visit(Performer(), work); }

}  // namespace weft::emulator

/// @file
/// Graphs made ready, updated and launched.

#include <cuda_runtime_api.h>

#include <utility>

#include "emulator/runtime/graph.hpp"
#include "emulator/runtime/state.hpp"
#include "emulator/runtime/streams.hpp"

namespace weft::emulator {
namespace {

cudaError_t instantiate(cudaGraphExec_t* exec, cudaGraph_t handle, unsigned long long flags) {
  const CUgraph_st* const graph = find_graph(handle);
  if (exec == nullptr || graph == nullptr) return cudaErrorInvalidValue;
  auto made = std::make_unique<CUgraphExec_st>();
  made->graph = graph->clone(made->same);
  auto order = made->graph->order();
  if (!order) return cudaErrorInvalidValue;
  made->order = std::move(*order);
  made->flags = flags;
  *exec = handles<CUgraphExec_st>().add(std::move(made));
  return cudaSuccess;
}

/// A graph can be launched into a stream that is captured: it becomes a part of the other.
cudaError_t launch(cudaGraphExec_t exec, cudaStream_t handle) {
  const CUstream_st* const stream = find_stream(handle);
  if (stream == nullptr) return cudaErrorInvalidResourceHandle;
  if (!handles<CUgraphExec_st>().holds(exec)) return cudaErrorInvalidValue;
  if (stream->capture == nullptr) return perform(exec->order);
  return submit(handle, subgraph_of(*exec->graph));
}

/// The nodes of both in the order in which they were added must be alike.
cudaError_t update(cudaGraphExec_t exec, cudaGraph_t handle, cudaGraphExecUpdateResultInfo* info) {
  const CUgraph_st* const graph = find_graph(handle);
  if (!handles<CUgraphExec_st>().holds(exec) || graph == nullptr) return cudaErrorInvalidValue;
  const auto refuse = [&](cudaGraphExecUpdateResult why, cudaGraphNode_t node) {
    if (info != nullptr) *info = {why, node, nullptr};
    return cudaErrorGraphExecUpdateFailure;
  };
  auto& own = exec->graph->nodes;
  if (graph->nodes.size() != own.size()) return refuse(cudaGraphExecUpdateErrorTopologyChanged, nullptr);
  std::map<const CUgraphNode_st*, cudaGraphNode_t> same;
  for (std::size_t i = 0; i < own.size(); ++i) same[graph->nodes[i].get()] = own[i].get();
  for (const auto& node : graph->nodes) {
    const CUgraphNode_st& mine = *same[node.get()];
    if (node->work.index() != mine.work.index())
      return refuse(cudaGraphExecUpdateErrorNodeTypeChanged, node.get());
    std::vector<cudaGraphNode_t> before;
    for (const cudaGraphNode_t other : node->before) before.push_back(same[other]);
    if (before != mine.before) return refuse(cudaGraphExecUpdateErrorTopologyChanged, node.get());
  }
  for (const auto& node : graph->nodes) same[node.get()]->work = node->work;
  exec->same = std::move(same);
  if (info != nullptr) *info = {cudaGraphExecUpdateSuccess, nullptr, nullptr};
  return cudaSuccess;
}

}  // namespace

cudaGraphNode_t own_node(cudaGraphExec_t exec, cudaGraphNode_t node) {
  if (!handles<CUgraphExec_st>().holds(exec)) return nullptr;
  const auto found = exec->same.find(node);
  return found != exec->same.end() ? found->second : nullptr;
}

cudaError_t perform(const std::vector<cudaGraphNode_t>& order) {
  for (const cudaGraphNode_t node : order) {
    if (!node->enabled) continue;
    const cudaError_t result = perform(node->work);
    if (result != cudaSuccess) return result;
  }
  return cudaSuccess;
}

}  // namespace weft::emulator

using weft::emulator::handles;
using weft::emulator::note;

extern "C" {

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph, unsigned long long flags) {
  return note(weft::emulator::instantiate(exec, graph, flags));
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* exec, cudaGraph_t graph,
                                          unsigned long long flags) {
  return note(weft::emulator::instantiate(exec, graph, flags));
}

cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t* exec, cudaGraph_t graph,
                                           cudaGraphInstantiateParams* parameters) {
  if (parameters == nullptr) return note(cudaErrorInvalidValue);
  const cudaError_t result = weft::emulator::instantiate(exec, graph, parameters->flags);
  parameters->errNode_out = nullptr;
  parameters->result_out = result == cudaSuccess ? cudaGraphInstantiateSuccess : cudaGraphInstantiateError;
  return note(result);
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
  return note(handles<CUgraphExec_st>().take(exec) != nullptr ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t exec, unsigned long long* flags) {
  if (!handles<CUgraphExec_st>().holds(exec) || flags == nullptr) return note(cudaErrorInvalidValue);
  *flags = exec->flags;
  return note(cudaSuccess);
}

cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t /*stream*/) {
  return note(handles<CUgraphExec_st>().holds(exec) ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
  return weft::emulator::guarded([&] { return weft::emulator::launch(exec, stream); });
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo* info) {
  return note(weft::emulator::update(exec, graph, info));
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned enabled) {
  const cudaGraphNode_t own = weft::emulator::own_node(exec, node);
  if (own == nullptr) return note(cudaErrorInvalidValue);
  own->enabled = enabled != 0;
  return note(cudaSuccess);
}

cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned* enabled) {
  const CUgraphNode_st* const own = weft::emulator::own_node(exec, node);
  if (own == nullptr || enabled == nullptr) return note(cudaErrorInvalidValue);
  *enabled = own->enabled ? 1 : 0;
  return note(cudaSuccess);
}

}  // extern "C"

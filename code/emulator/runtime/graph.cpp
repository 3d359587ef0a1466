/// @file
/// Graphs: nodes and edges.

#include "emulator/runtime/graph.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "emulator/runtime/state.hpp"

cudaGraphNode_t CUgraph_st::add(weft::emulator::Work work, std::vector<cudaGraphNode_t> before) {
  nodes.push_back(std::make_unique<CUgraphNode_st>());
  CUgraphNode_st& node = *nodes.back();
  node.graph = this;
  node.work = std::move(work);
  node.before = std::move(before);
  return &node;
}

std::unique_ptr<CUgraph_st> CUgraph_st::clone(std::map<const CUgraphNode_st*, cudaGraphNode_t>& same) const {
  auto copy = std::make_unique<CUgraph_st>();
  for (const auto& node : nodes) {
    same[node.get()] = copy->add(node->work, {});
    same[node.get()]->enabled = node->enabled;
  }
  for (const auto& node : nodes) {
    for (const cudaGraphNode_t before : node->before) same[node.get()]->before.push_back(same[before]);
  }
  return copy;
}

std::optional<std::vector<cudaGraphNode_t>> CUgraph_st::order() const {
  std::vector<cudaGraphNode_t> ordered;
  std::set<const CUgraphNode_st*> done;
  while (ordered.size() < nodes.size()) {
    const std::size_t before = ordered.size();
    for (const auto& node : nodes) {
      const auto is_done = [&](const CUgraphNode_st* other) { return done.contains(other); };
      if (done.contains(node.get()) || !std::ranges::all_of(node->before, is_done)) continue;
      ordered.push_back(node.get());
      done.insert(node.get());
    }
    if (ordered.size() == before) return std::nullopt;
  }
  return ordered;
}

namespace weft::emulator {
namespace {

/// Copies a list into a program's array, whose room is given; without an array, tells its length.
template <class T>
cudaError_t hand_out(const std::vector<T>& list, T* to, std::size_t* count) {
  if (count == nullptr) return cudaErrorInvalidValue;
  if (to == nullptr) {
    *count = list.size();
    return cudaSuccess;
  }
  std::fill(std::copy_n(list.begin(), std::min(*count, list.size()), to), to + *count, T{});
  *count = std::min(*count, list.size());
  return cudaSuccess;
}

using Edges = std::vector<std::pair<cudaGraphNode_t, cudaGraphNode_t>>;

Edges edges_of(const CUgraph_st& graph) {
  Edges edges;
  for (const auto& node : graph.nodes) {
    for (const cudaGraphNode_t before : node->before) edges.emplace_back(before, node.get());
  }
  return edges;
}

cudaError_t get_edges(cudaGraph_t handle, cudaGraphNode_t* from, cudaGraphNode_t* to, std::size_t* count) {
  const CUgraph_st* const graph = find_graph(handle);
  if (graph == nullptr || count == nullptr) return cudaErrorInvalidValue;
  std::vector<cudaGraphNode_t> begins, ends;
  for (const auto& [begin, end] : edges_of(*graph)) {
    begins.push_back(begin);
    ends.push_back(end);
  }
  std::size_t again = *count;
  const cudaError_t result = hand_out(begins, from, count);
  return result == cudaSuccess && from != nullptr ? hand_out(ends, to, &again) : result;
}

cudaError_t get_dependents(cudaGraphNode_t node, cudaGraphNode_t* nodes, std::size_t* count) {
  if (node == nullptr) return cudaErrorInvalidValue;
  std::vector<cudaGraphNode_t> after;
  for (const auto& [begin, end] : edges_of(*node->graph)) {
    if (begin == node) after.push_back(end);
  }
  return hand_out(after, nodes, count);
}

cudaError_t change_edges(cudaGraph_t handle, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                         std::size_t count, bool add) {
  const CUgraph_st* const graph = find_graph(handle);
  if (graph == nullptr || (count != 0 && (from == nullptr || to == nullptr))) return cudaErrorInvalidValue;
  for (std::size_t i = 0; i < count; ++i) {
    if (from[i] == to[i] || from[i]->graph != graph || to[i]->graph != graph) return cudaErrorInvalidValue;
    const bool there = std::ranges::find(to[i]->before, from[i]) != to[i]->before.end();
    if (there == add) return cudaErrorInvalidValue;
    if (add) to[i]->before.push_back(from[i]);
    if (!add) std::erase(to[i]->before, from[i]);
  }
  return cudaSuccess;
}

}  // namespace

CUgraph_st* find_graph(cudaGraph_t handle) { return handles<CUgraph_st>().holds(handle) ? handle : nullptr; }

Subgraph subgraph_of(const CUgraph_st& graph) {
  std::map<const CUgraphNode_st*, cudaGraphNode_t> same;
  const auto forget = [](const CUgraph_st* child) { handles<CUgraph_st>().take(child); };
  return {std::shared_ptr<CUgraph_st>(handles<CUgraph_st>().add(graph.clone(same)), forget)};
}

cudaError_t add_node(cudaGraphNode_t* node, cudaGraph_t handle, const cudaGraphNode_t* before,
                     std::size_t count, Work work) {
  CUgraph_st* const graph = find_graph(handle);
  if (node == nullptr || graph == nullptr || (count != 0 && before == nullptr)) return cudaErrorInvalidValue;
  for (std::size_t i = 0; i < count; ++i) {
    if (before[i] == nullptr || before[i]->graph != graph) return cudaErrorInvalidValue;
  }
  *node = graph->add(std::move(work), std::vector(before, before + count));
  return cudaSuccess;
}

}  // namespace weft::emulator

using weft::emulator::change_edges;
using weft::emulator::find_graph;
using weft::emulator::get_dependents;
using weft::emulator::get_edges;
using weft::emulator::hand_out;
using weft::emulator::handles;
using weft::emulator::note;

extern "C" {

cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned flags) {
  if (graph == nullptr || flags != 0) return note(cudaErrorInvalidValue);
  *graph = handles<CUgraph_st>().add(std::make_unique<CUgraph_st>());
  return note(cudaSuccess);
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  return note(handles<CUgraph_st>().take(graph) != nullptr ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaGraphClone(cudaGraph_t* clone, cudaGraph_t graph) {
  const CUgraph_st* const found = find_graph(graph);
  if (clone == nullptr || found == nullptr) return note(cudaErrorInvalidValue);
  std::map<const CUgraphNode_st*, cudaGraphNode_t> same;
  *clone = handles<CUgraph_st>().add(found->clone(same));
  return note(cudaSuccess);
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node) {
  if (node == nullptr) return note(cudaErrorInvalidValue);
  CUgraph_st& graph = *node->graph;
  for (const auto& other : graph.nodes) std::erase(other->before, node);
  std::erase_if(graph.nodes, [&](const auto& other) { return other.get() == node; });
  return note(cudaSuccess);
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type) {
  if (node == nullptr || type == nullptr) return note(cudaErrorInvalidValue);
  *type = weft::emulator::type_of(node->work);
  return note(cudaSuccess);
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count) {
  const CUgraph_st* const found = find_graph(graph);
  if (found == nullptr) return note(cudaErrorInvalidValue);
  std::vector<cudaGraphNode_t> all;
  all.reserve(found->nodes.size());
  for (const auto& node : found->nodes) all.push_back(node.get());
  return note(hand_out(all, nodes, count));
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count) {
  const CUgraph_st* const found = find_graph(graph);
  if (found == nullptr) return note(cudaErrorInvalidValue);
  std::vector<cudaGraphNode_t> roots;
  for (const auto& node : found->nodes) {
    if (node->before.empty()) roots.push_back(node.get());
  }
  return note(hand_out(roots, nodes, count));
}

// CUDA 13 adds data to the edges, which kernels that start early would use: here none does.

cudaError_t weft_graph_get_edges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to,
                                 cudaGraphEdgeData* data, std::size_t* count) {
  const cudaError_t result = get_edges(graph, from, to, count);
  if (result == cudaSuccess && data != nullptr) std::fill_n(data, *count, cudaGraphEdgeData{});
  return note(result);
}
cudaError_t weft_graph_get_edges_12(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to,
                                    std::size_t* count) {
  return note(get_edges(graph, from, to, count));
}

cudaError_t weft_graph_node_get_dependencies(cudaGraphNode_t node, cudaGraphNode_t* nodes,
                                             cudaGraphEdgeData* data, std::size_t* count) {
  if (node == nullptr) return note(cudaErrorInvalidValue);
  const cudaError_t result = hand_out(node->before, nodes, count);
  if (result == cudaSuccess && data != nullptr) std::fill_n(data, *count, cudaGraphEdgeData{});
  return note(result);
}
cudaError_t weft_graph_node_get_dependencies_12(cudaGraphNode_t node, cudaGraphNode_t* nodes,
                                                std::size_t* count) {
  return weft_graph_node_get_dependencies(node, nodes, nullptr, count);
}

cudaError_t weft_graph_node_get_dependent_nodes(cudaGraphNode_t node, cudaGraphNode_t* nodes,
                                                cudaGraphEdgeData* data, std::size_t* count) {
  const cudaError_t result = get_dependents(node, nodes, count);
  if (result == cudaSuccess && data != nullptr) std::fill_n(data, *count, cudaGraphEdgeData{});
  return note(result);
}
cudaError_t weft_graph_node_get_dependent_nodes_12(cudaGraphNode_t node, cudaGraphNode_t* nodes,
                                                   std::size_t* count) {
  return note(get_dependents(node, nodes, count));
}

cudaError_t weft_graph_add_dependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                        const cudaGraphNode_t* to, const cudaGraphEdgeData* /*data*/,
                                        std::size_t count) {
  return note(change_edges(graph, from, to, count, true));
}
cudaError_t weft_graph_add_dependencies_12(cudaGraph_t graph, const cudaGraphNode_t* from,
                                           const cudaGraphNode_t* to, std::size_t count) {
  return note(change_edges(graph, from, to, count, true));
}

cudaError_t weft_graph_remove_dependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                           const cudaGraphNode_t* to, const cudaGraphEdgeData* /*data*/,
                                           std::size_t count) {
  return note(change_edges(graph, from, to, count, false));
}
cudaError_t weft_graph_remove_dependencies_12(cudaGraph_t graph, const cudaGraphNode_t* from,
                                              const cudaGraphNode_t* to, std::size_t count) {
  return note(change_edges(graph, from, to, count, false));
}

}  // extern "C"

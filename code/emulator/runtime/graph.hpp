#pragma once

/// @file
/// Graphs of work.

#include <cuda_runtime_api.h>

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "emulator/runtime/handles.hpp"
#include "emulator/runtime/work.hpp"

// The structures that CUDA's headers leave open.

struct CUgraphNode_st {
  CUgraph_st* graph = nullptr;
  weft::emulator::Work work;
  std::vector<cudaGraphNode_t> before;  ///< what it depends on
  bool enabled = true;
  std::vector<void*> arguments;  ///< as cudaGraphKernelNodeGetParams() hands them out
};

struct CUgraph_st {
  std::vector<std::unique_ptr<CUgraphNode_st>> nodes;  ///< in the order in which they were added

  cudaGraphNode_t add(weft::emulator::Work work, std::vector<cudaGraphNode_t> before);

  /// A copy, and which of its nodes stands for which of the original's.
  [[nodiscard]] std::unique_ptr<CUgraph_st> clone(
      std::map<const CUgraphNode_st*, cudaGraphNode_t>& same) const;

  /// Every node after those that it depends on, otherwise as they were added.
  /// @return nothing if the graph has a cycle
  [[nodiscard]] std::optional<std::vector<cudaGraphNode_t>> order() const;
};

struct CUgraphExec_st {
  std::unique_ptr<CUgraph_st> graph;
  std::vector<cudaGraphNode_t> order;
  std::map<const CUgraphNode_st*, cudaGraphNode_t> same;  ///< its node for each of the graph it was made from
  unsigned long long flags = 0;
};

namespace weft::emulator {

/// Does the work of nodes, one after the other.
cudaError_t perform(const std::vector<cudaGraphNode_t>& order);

/// The executable graph's own node for one of the graph it was made from.
/// @return nullptr if there is none
cudaGraphNode_t own_node(cudaGraphExec_t exec, cudaGraphNode_t node);

cudaGraphNodeType type_of(const Work& work);

/// A copy of a graph as a step of another one. It can be looked at by its handle.
Subgraph subgraph_of(const CUgraph_st& graph);

/// The graph of a handle.
/// @return nullptr if there is none
CUgraph_st* find_graph(cudaGraph_t handle);

/// Adds a node as cudaGraphAdd…Node() do.
cudaError_t add_node(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before,
                     std::size_t count, Work work);

}  // namespace weft::emulator

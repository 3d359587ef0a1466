/// @file
/// The nodes of graphs, kind by kind.

#include <cuda_runtime_api.h>

#include <functional>
#include <string>
#include <type_traits>
#include <utility>

#include "emulator/memory/allocations.hpp"
#include "emulator/runtime/graph.hpp"
#include "emulator/runtime/modules.hpp"
#include "emulator/runtime/state.hpp"

namespace weft::emulator {
namespace {

/// @return nullptr if the node is of another kind
template <class Kind>
Kind* work_of(cudaGraphNode_t node) {
  return node != nullptr ? std::get_if<Kind>(&node->work) : nullptr;
}

/// Puts other work of the same kind into a node.
cudaError_t replace(cudaGraphNode_t node, Work work) {
  if (node == nullptr || node->work.index() != work.index()) return cudaErrorInvalidValue;
  node->work = std::move(work);
  return cudaSuccess;
}

/// Runs `use` with work that a program described.
template <class Parameters, class Kind>
cudaError_t with(const Parameters* parameters, Kind work, const std::function<cudaError_t(Kind)>& use) {
  if (parameters == nullptr) return cudaErrorInvalidValue;
  cudaError_t result = cudaSuccess;
  if constexpr (std::is_same_v<Kind, Fill>) {
    work = from_parameters(*parameters);
  } else {
    result = from_parameters(*parameters, work);
  }
  if (result == cudaSuccess) result = check(work);
  return result == cudaSuccess ? use(std::move(work)) : result;
}

template <class Kind, class Parameters>
cudaError_t add(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before, std::size_t count,
                const Parameters* parameters) {
  return guarded([&] {
    return with<Parameters, Kind>(
        parameters, {}, [&](Kind work) { return add_node(node, graph, before, count, std::move(work)); });
  });
}

template <class Kind, class Parameters>
cudaError_t set(cudaGraphNode_t node, const Parameters* parameters) {
  return guarded([&] {
    return with<Parameters, Kind>(parameters, {}, [&](Kind work) { return replace(node, std::move(work)); });
  });
}

cudaError_t add_subgraph(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before,
                         std::size_t count, cudaGraph_t child) {
  const CUgraph_st* const found = find_graph(child);
  if (found == nullptr) return cudaErrorInvalidValue;
  return add_node(node, graph, before, count, subgraph_of(*found));
}

cudaError_t add_any(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before,
                    std::size_t count, const cudaGraphNodeParams* parameters) {
  if (parameters == nullptr) return note(cudaErrorInvalidValue);
  switch (parameters->type) {
    case cudaGraphNodeTypeKernel: {
      const auto& p = parameters->kernel;
      const cudaKernelNodeParams plain{p.func,           p.gridDim,      p.blockDim,
                                       p.sharedMemBytes, p.kernelParams, p.extra};
      return add<KernelCall>(node, graph, before, count, &plain);
    }
    case cudaGraphNodeTypeMemcpy:
      return add<Copy>(node, graph, before, count, &parameters->memcpy.copyParams);
    case cudaGraphNodeTypeMemset: {
      const auto& p = parameters->memset;
      const cudaMemsetParams plain{p.dst, p.pitch, p.value, p.elementSize, p.width, p.height};
      return add<Fill>(node, graph, before, count, &plain);
    }
    case cudaGraphNodeTypeHost:
      return note(add_node(node, graph, before, count,
                           cudaHostNodeParams{parameters->host.fn, parameters->host.userData}));
    case cudaGraphNodeTypeGraph:
      return note(add_subgraph(node, graph, before, count, parameters->graph.graph));
    case cudaGraphNodeTypeEmpty:
      return note(add_node(node, graph, before, count, {}));
    case cudaGraphNodeTypeEventRecord:
      return note(add_node(node, graph, before, count, Record{parameters->eventRecord.event}));
    case cudaGraphNodeTypeWaitEvent:
      return note(add_node(node, graph, before, count, Wait{parameters->eventWait.event}));
    default:
      say_once("graph nodes of type " + std::to_string(parameters->type) + " are not provided");
      return note(cudaErrorNotSupported);
  }
}

}  // namespace

cudaGraphNodeType type_of(const Work& work) {
  static constexpr cudaGraphNodeType types[] = {cudaGraphNodeTypeEmpty,     cudaGraphNodeTypeKernel,
                                                cudaGraphNodeTypeMemcpy,    cudaGraphNodeTypeMemset,
                                                cudaGraphNodeTypeHost,      cudaGraphNodeTypeEventRecord,
                                                cudaGraphNodeTypeWaitEvent, cudaGraphNodeTypeGraph,
                                                cudaGraphNodeTypeMemAlloc,  cudaGraphNodeTypeMemFree};
  static_assert(std::size(types) == std::variant_size_v<Work>);
  return types[work.index()];
}

}  // namespace weft::emulator

using namespace weft::emulator;  // every kind of node has functions of its own: this file is about little
                                 // else

extern "C" {

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before,
                                  std::size_t count) {
  return note(add_node(node, graph, before, count, {}));
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before,
                                   std::size_t count, const cudaKernelNodeParams* parameters) {
  return add<KernelCall>(node, graph, before, count, parameters);
}

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, cudaKernelNodeParams* parameters) {
  auto* const call = work_of<KernelCall>(node);
  if (call == nullptr || parameters == nullptr) return note(cudaErrorInvalidValue);
  node->arguments.clear();
  for (const ParameterPlace& place : find_kernel(call->function).routine->parameter_places) {
    node->arguments.push_back(call->parameters.data() + place.offset);
  }
  const auto d = [](const Extents& e) { return dim3(e.x, e.y, e.z); };
  *parameters = {const_cast<void*>(call->function),
                 d(call->grid),
                 d(call->block),
                 call->shared,
                 node->arguments.data(),
                 nullptr};
  return note(cudaSuccess);
}

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const cudaKernelNodeParams* parameters) {
  return set<KernelCall>(node, parameters);
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaKernelNodeParams* parameters) {
  return set<KernelCall>(own_node(exec, node), parameters);
}

cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node, cudaLaunchAttributeID id,
                                            const cudaLaunchAttributeValue* value) {
  auto* const call = work_of<KernelCall>(node);
  if (call == nullptr || value == nullptr) return note(cudaErrorInvalidValue);
  if (id == cudaLaunchAttributeCooperative) call->cooperative = value->cooperative != 0;
  if (id == cudaLaunchAttributeClusterDimension) {
    call->cluster = {value->clusterDim.x, value->clusterDim.y, value->clusterDim.z};
  }
  return note(check(*call));
}

cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t node, cudaLaunchAttributeID id,
                                            cudaLaunchAttributeValue* value) {
  const auto* const call = work_of<KernelCall>(node);
  if (call == nullptr || value == nullptr) return note(cudaErrorInvalidValue);
  *value = {};
  if (id == cudaLaunchAttributeCooperative) value->cooperative = call->cooperative ? 1 : 0;
  if (id == cudaLaunchAttributeClusterDimension) {
    value->clusterDim.x = call->cluster.x;
    value->clusterDim.y = call->cluster.y;
    value->clusterDim.z = call->cluster.z;
  }
  return note(cudaSuccess);
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before,
                                   std::size_t count, const cudaMemcpy3DParms* parameters) {
  return add<Copy>(node, graph, before, count, parameters);
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before,
                                     std::size_t count, void* to, const void* from, std::size_t bytes,
                                     cudaMemcpyKind kind) {
  const Copy copy = linear_copy(to, from, bytes, kind);
  const cudaError_t refused = check(copy);
  return note(refused != cudaSuccess ? refused : add_node(node, graph, before, count, copy));
}

cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, cudaMemcpy3DParms* parameters) {
  const auto* const copy = work_of<Copy>(node);
  if (copy == nullptr || parameters == nullptr) return note(cudaErrorInvalidValue);
  *parameters = to_parameters(*copy);
  return note(cudaSuccess);
}

cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const cudaMemcpy3DParms* parameters) {
  return set<Copy>(node, parameters);
}

cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaMemcpy3DParms* parameters) {
  return set<Copy>(own_node(exec, node), parameters);
}

cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void* to, const void* from,
                                           std::size_t bytes, cudaMemcpyKind kind) {
  const cudaMemcpy3DParms parameters = to_parameters(linear_copy(to, from, bytes, kind));
  return set<Copy>(node, &parameters);
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node, void* to,
                                               const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  return cudaGraphMemcpyNodeSetParams1D(own_node(exec, node), to, from, bytes, kind);
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before,
                                   std::size_t count, const cudaMemsetParams* parameters) {
  return add<Fill>(node, graph, before, count, parameters);
}

cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, cudaMemsetParams* parameters) {
  const auto* const fill = work_of<Fill>(node);
  if (fill == nullptr || parameters == nullptr) return note(cudaErrorInvalidValue);
  *parameters = to_parameters(*fill);
  return note(cudaSuccess);
}

cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const cudaMemsetParams* parameters) {
  return set<Fill>(node, parameters);
}

cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaMemsetParams* parameters) {
  return set<Fill>(own_node(exec, node), parameters);
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before,
                                 std::size_t count, const cudaHostNodeParams* parameters) {
  if (parameters == nullptr || parameters->fn == nullptr) return note(cudaErrorInvalidValue);
  return note(add_node(node, graph, before, count, *parameters));
}

cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, cudaHostNodeParams* parameters) {
  const auto* const call = work_of<cudaHostNodeParams>(node);
  if (call == nullptr || parameters == nullptr) return note(cudaErrorInvalidValue);
  *parameters = *call;
  return note(cudaSuccess);
}

cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const cudaHostNodeParams* parameters) {
  return note(parameters != nullptr ? replace(node, *parameters) : cudaErrorInvalidValue);
}

cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                           const cudaHostNodeParams* parameters) {
  return cudaGraphHostNodeSetParams(own_node(exec, node), parameters);
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                       const cudaGraphNode_t* before, std::size_t count, cudaGraph_t child) {
  return note(add_subgraph(node, graph, before, count, child));
}

cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t* graph) {
  const auto* const child = work_of<Subgraph>(node);
  if (child == nullptr || graph == nullptr) return note(cudaErrorInvalidValue);
  *graph = child->graph.get();
  return note(cudaSuccess);
}

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                        const cudaGraphNode_t* before, std::size_t count, cudaEvent_t event) {
  return note(add_node(node, graph, before, count, Record{event}));
}

cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before,
                                      std::size_t count, cudaEvent_t event) {
  return note(add_node(node, graph, before, count, Wait{event}));
}

cudaError_t weft_graph_add_node(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before,
                                const cudaGraphEdgeData* /*data*/, std::size_t count,
                                cudaGraphNodeParams* parameters) {
  return add_any(node, graph, before, count, parameters);
}

cudaError_t weft_graph_add_node_12(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before,
                                   std::size_t count, cudaGraphNodeParams* parameters) {
  return add_any(node, graph, before, count, parameters);
}

}  // extern "C"

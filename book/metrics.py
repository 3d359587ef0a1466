"""Nsight Compute's metrics, which all three witnesses speak of, and the book's short names for them."""

from __future__ import annotations

import re
from collections.abc import Mapping

from book.documents import BookError
from book.keys import near

REASONS = (
    *("selected", "not-selected", "wait", "math-pipe-throttle", "dispatch-stall", "long-scoreboard"),
    *("lg-throttle", "tex-throttle", "drain", "membar", "short-scoreboard", "mio-throttle", "barrier"),
    *("branch-resolving", "no-instruction", "imc-miss", "gmma", "sleeping", "misc"),
)
"""What a warp does in a cycle, by Nsight Compute's names: it is issued, or is not and has one reason."""

_OF_WARPS = {
    "instructions": "smsp__inst_executed.sum",
    "thread-instructions": "smsp__thread_inst_executed.sum",
    "unguarded-thread-instructions": "smsp__thread_inst_executed_pred_on.sum",
    "elapsed-cycles": "smsp__cycles_elapsed.sum",
    "active-cycles": "smsp__cycles_active.sum",
    "issue-cycles": "smsp__issue_active.sum",
    "warp-cycles": "smsp__warps_active.sum",
    **{f"{reason}-cycles": f"smsp__warps_issue_stalled_{reason.replace('-', '_')}.sum" for reason in REASONS},
}
"""Cycles are added up: `elapsed`, `active` and `issue` over the schedulers, the others over the warps."""

METRICS: Mapping[str, str] = {
    "load-requests": "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "load-sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "store-requests": "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
    "store-sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "shared-load-requests": "smsp__inst_executed_op_shared_ld.sum",
    "shared-load-wavefronts": "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "shared-store-requests": "smsp__inst_executed_op_shared_st.sum",
    "shared-store-wavefronts": "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
    "reduction-requests": "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum",
    "reduction-sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum",
    "atomic-requests": "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum",
    "atomic-sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum",
    "shared-atomic-requests": "smsp__inst_executed_op_shared_atom.sum",
    "shared-atomic-wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum",
    "tag-wavefronts": "l1tex__t_output_wavefronts_pipe_lsu_mem_global_op_ld.sum",
    "data-wavefronts": "l1tex__data_pipe_lsu_wavefronts.sum",
    "load-wavefronts": "l1tex__t_output_wavefronts_pipe_lsu_mem_global_op_ld.sum",
    "store-wavefronts": "l1tex__t_output_wavefronts_pipe_lsu_mem_global_op_st.sum",
    "registers": "launch__registers_per_thread",
    "occupancy": "sm__maximum_warps_per_active_cycle_pct",
    "achieved-occupancy": "sm__warps_active.avg.pct_of_peak_sustained_active",
    "grid": "launch__grid_size",
    "threads": "launch__thread_count",
    "waves": "launch__waves_per_multiprocessor",
    "limit-blocks": "launch__occupancy_limit_blocks",
    "limit-registers": "launch__occupancy_limit_registers",
    "limit-shared-memory": "launch__occupancy_limit_shared_mem",
    "limit-warps": "launch__occupancy_limit_warps",
    "cycles": "gpc__cycles_elapsed.max",
    "load-hit-rate": "l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct",
    "store-hit-rate": "l1tex__t_sector_pipe_lsu_mem_global_op_st_hit_rate.pct",
    "memory-throughput": "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed",
    "compute-throughput": "sm__throughput.avg.pct_of_peak_sustained_elapsed",
    **_OF_WARPS,
}
"""Short names of Nsight Compute's metrics."""

TMA_LOAD_SECTORS = "l1tex__m_xbar2l1tex_read_sectors_mem_global_op_tma_ld.sum"
"""What the tensor memory accelerator loads, which only Nsight Compute counts."""

L1 = tuple(METRICS[name] for name in ("tag-wavefronts", "store-wavefronts", "data-wavefronts"))
"""Wavefronts of the L1, which the emulator counts as if each load found its lines there, and which depend on
where in memory they lie: Nsight Compute may count others."""


def _requests(name: str) -> str:
    return "load-requests" if name == "tag-wavefronts" else re.sub("sectors$|wavefronts$", "requests", name)


PER_REQUEST: Mapping[str, tuple[str, str]] = {
    f"{name}-per-request": (name, _requests(name))
    for name in METRICS
    if name.endswith(("sectors", "wavefronts")) and name != "data-wavefronts"
}
"""Averages over the requests of the same kind: numerator and denominator. All kinds have data wavefronts."""

USUAL = ("load-sectors", "store-sectors", "shared-load-wavefronts", "shared-store-wavefronts")
"""The counts that cards, tables and figures show, unless a chapter's page says `counts: …`."""

_BESIDE = ("gpc__", "gpu__", "l1tex__t_sector_", "launch", "sm__", *L1, *_OF_WARPS.values())

COUNTED = tuple(name for name in METRICS.values() if not name.startswith(_BESIDE))
"""What the model predicts and the emulator counts for every launch; what they do not list is 0."""


OF_WARPS = tuple(_OF_WARPS.values())
"""What Nsight Compute counts of schedulers and warps at the timed size; results of before lack it."""


def requests_of(count: str) -> str:
    """The metric that counts the requests of a kind of traffic, by the short name of its count."""
    return METRICS[PER_REQUEST[f"{count}-per-request"][1]]


def per_request(metrics: Mapping[str, float], count: str) -> float | None:
    """The average of a count over its requests; None where there are none."""
    if f"{count}-per-request" not in PER_REQUEST:
        return None
    requests = metrics.get(requests_of(count), 0)
    return metrics[METRICS[count]] / requests if requests and METRICS[count] in metrics else None


def known_counts(text: str) -> tuple[str, ...]:
    """The short names of counts that a page shows; BookError if one is none."""
    kinds = [*(kind.removesuffix("-per-request") for kind in PER_REQUEST), "data-wavefronts"]
    for name in text.split():
        if name not in kinds:
            raise BookError(f"no count {name}{near(name, kinds)}")
    return tuple(text.split())

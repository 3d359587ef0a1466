#pragma once

/// @file
/// The model's functions as a page's script calls them, after explorer.cpp has become a WebAssembly module.
///
/// A pattern is four numbers: lane l of the first `lanes` ones accesses element `offset + stride * l`, and an
/// element has `width` bytes. A width that Lanes refuses ends the module with a trap.

extern "C" {
int weft_sector_bytes();
int weft_line_bytes();
int weft_banks();
int weft_word_bytes();

/// The first byte that a lane accesses.
int weft_address(int width, int offset, int stride, int lanes, int lane);
int weft_sector_of(int address);
int weft_line_of(int address);
int weft_word_of(int address);
int weft_bank_of(int word);

/// Lanes that shared memory serves at a time, unless phases merge.
int weft_lanes_per_phase(int width);

int weft_requests(int width, int offset, int stride, int lanes);
int weft_sectors(int width, int offset, int stride, int lanes);
int weft_lines(int width, int offset, int stride, int lanes);
int weft_wanted_bytes(int width, int offset, int stride, int lanes);
/// In the L1, if all lines are there.
int weft_tag_wavefronts(int width, int offset, int stride, int lanes);
int weft_data_wavefronts(int width, int offset, int stride, int lanes);

int weft_shared_load_wavefronts(int width, int offset, int stride, int lanes);
int weft_shared_store_wavefronts(int width, int offset, int stride, int lanes);

/// Of a walk in order over an array, again and again; bytes and stride are powers of two, by their exponents.
int weft_walk_lines(int log_bytes, int log_stride);
/// One load of so many is the first that touches its sector, or what the L2 fetches with it.
int weft_walk_loads_of_sector(int log_bytes, int log_stride);
int weft_walk_loads_of_fetch(int log_bytes, int log_stride);

/// The textbook's DRAM. A burst takes a cycle on the bus, so the latency of a bank is R cycles.
int weft_dram_banks_that_fill(int latency);
int weft_dram_floats_in_all_banks(int burst_floats, int channels, int banks);

/// A walk with a stride of so many bursts. Places turn first through channels, or through banks if
/// `bank_first` is not 0. There are at most 16 channels of 64 banks.
int weft_dram_channels_met(int channels, int banks, int bank_first, int stride);
int weft_dram_banks_met(int channels, int banks, int bank_first, int stride);
/// Of 1000 cycles of all buses those that carry data, and what that gives in MB/s.
int weft_dram_busy(int latency, int channels, int banks, int bank_first, int stride);
int weft_dram_megabytes(int latency, int channels, int banks, int bank_first, int stride);

/// Schedules the first bursts of the walk, asked for as fast as all buses could carry them.
/// @return how many: `bursts`, or all that there is room for
int weft_dram_schedule(int latency, int channels, int banks, int bank_first, int stride, int bursts);
/// Of a burst that was scheduled: its place, the cycle in which its bank begins, that in which it moves.
int weft_dram_channel(int burst);
int weft_dram_bank(int burst);
int weft_dram_begin(int burst);
int weft_dram_moved(int burst);

/// A launch is four numbers: the compute capability, 90 for 9.0, the threads of a block, the registers of
/// each, and the bytes of shared memory that a block asks for. One that occupancy() refuses ends the module
/// with a trap. A resource is a number in the order of Resource.
int weft_occupancy_blocks(int capability, int threads, int registers, int shared);
int weft_occupancy_warps(int capability, int threads, int registers, int shared);
int weft_occupancy_limit(int capability, int threads, int registers, int shared, int resource);
int weft_occupancy_taken(int capability, int threads, int registers, int shared, int resource);
int weft_occupancy_available(int capability, int threads, int registers, int shared, int resource);
double weft_occupancy_waves(int capability, int threads, int registers, int shared, int grid,
                            int multiprocessors);

/// A product of matrices of size × size by blocks of side × side threads with factor × factor results each:
/// its blocks, how often it loads each element of A and B, and the bytes of shared memory of a block.
int weft_coarsened_blocks(int size, int side, int factor);
int weft_coarsened_loads(int size, int side, int factor);
int weft_coarsened_shared(int side, int factor);
/// The blocks of the multiprocessor that has most of them.
int weft_coarsened_most(int blocks, int multiprocessors);

/// Of the address of a line in a page of 2 MiB: its first bit, and the first bit above.
int weft_first_line_bit();
int weft_page_bits();
/// 1 if an odd number of the bits under a mask differ between two lines, else 0.
int weft_parity(int difference, int mask);
/// Of all differences of two lines of a page, those in which so many independent parities are as given.
int weft_differences_with(int parities, int odd);
}

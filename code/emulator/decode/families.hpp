#pragma once

/// @file
/// Decoders of the instructions whose operands or modifiers are not plain. Each looks at the current
/// instruction, and returns whether it was one of its own.

#include "emulator/ptx/instruction.hpp"
#include "emulator/sketch/builder.hpp"

namespace weft::emulator {

bool decode_move(Builder& builder);          ///< mov, cvta, and packing
bool decode_comparison(Builder& builder);    ///< setp, set, selp and logic on predicates
bool decode_conversion(Builder& builder);    ///< cvt
bool decode_carry(Builder& builder);         ///< add.cc, subc, madc and their like
bool decode_memory(Builder& builder);        ///< ld, st and hints
bool decode_atomic(Builder& builder);        ///< atom, red
bool decode_control(Builder& builder);       ///< branches, barriers
bool decode_call(Builder& builder);          ///< call
bool decode_collective(Builder& builder);    ///< shuffles, votes
bool decode_matrix(Builder& builder);        ///< mma, wmma, ldmatrix
bool decode_warpgroup(Builder& builder);     ///< wgmma
bool decode_cluster(Builder& builder);       ///< mapa, barrier.cluster
bool decode_asynchronous(Builder& builder);  ///< cp.async, bulk copies, mbarrier

/// An address in memory: the slot of its base, and what is added to it.
struct Address {
  ptx::Space space;
  std::uint32_t base;
  std::uint64_t offset;
  bool wide;  ///< 8 bytes, not 4
};

/// @param space as the instruction names it
Address decode_address(Builder& builder, const ptx::Operand& operand, ptx::Space space);

/// The address of a load, a store or an atomic. One in a cluster's shared memory becomes generic.
Address data_address(Builder& builder, const ptx::Operand& operand);

/// The slot of a register, or of a variable's address.
std::uint32_t variable_or_register(Builder& builder, const ptx::Operand& operand, ptx::Type type);

/// Tells a barrier in a cluster's shared memory that bytes have come.
void complete_transfer(Builder& builder, const ptx::Operand& barrier, int bytes);

/// What is counted of a load or a store.
Counting counting_of(ptx::Space space, bool store);

/// The type that an instruction ends with.
ptx::Type type_of(const Builder& builder);

}  // namespace weft::emulator

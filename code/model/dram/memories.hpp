#pragma once

/// @file
/// The memories of the book, each time with its source.
///
/// The standards give few of these times; most are the vendors' to say, and hardly any vendor says them in
/// public. So they come from the presets of other simulators: Ramulator 2.1, gem5, DRAMsim3, DRAMSys; and
/// where those quote a table of a standard, from there. Where they differ, `elsewhere` says so.

#include <array>
#include <cstdint>

#include "model/dram/timing.hpp"

namespace weft::model::dram {

inline constexpr std::string_view ramulator_hbm3 = "Ramulator 2.1, HBM3_6400Mbps";
inline constexpr std::string_view jesd238_table_93 = "JESD238B.01, Table 93, as gem5 quotes it";

/// HBM3 with a refresh of all banks of so many nanoseconds, and of one bank.
constexpr std::array<Given, 24> hbm3_times(std::int64_t all_banks_ns, std::int64_t one_bank_ns) {
  return {{
      {&Timing::burst, "BL", 0, 2, "JESD238: 8 bits on each pin, 4 in a clock", "gem5: 4 clocks on 64 pins"},
      {&Timing::cl, "CL", 12'500, 0, ramulator_hbm3, "gem5: 18 ns"},
      {&Timing::cwl, "CWL", 6'250, 0, ramulator_hbm3, "gem5: 8 ns"},
      {&Timing::rcd_read, "tRCDRD", 19'375, 0, ramulator_hbm3, "gem5: 14 ns"},
      {&Timing::rcd_write, "tRCDWR", 9'375, 0, ramulator_hbm3, "gem5: 8 ns"},
      {&Timing::ras, "tRAS", 28'125, 0, ramulator_hbm3, "gem5: 29 ns"},
      {&Timing::rp, "tRP", 16'250, 0, ramulator_hbm3, "gem5: 14 ns"},
      {&Timing::rc, "tRC", 45'000, 0, ramulator_hbm3, "gem5: tRAS + tRP, 43 ns"},
      {&Timing::rtp, "tRTP", 5'625, 0, ramulator_hbm3, "gem5: 7.5 ns"},
      {&Timing::wr, "tWR", 20'625, 0, ramulator_hbm3, "gem5: 14 ns"},
      {&Timing::ccd_s, "tCCDS", 0, 2, ramulator_hbm3, ""},
      {&Timing::ccd_l, "tCCDL", 2'500, 4, jesd238_table_93, ""},
      {&Timing::ccd_r, "tCCDR", 0, 3, ramulator_hbm3, ""},
      {&Timing::rrd_s, "tRRDS", 2'500, 0, ramulator_hbm3, "gem5: 3 ns; an earlier Ramulator 2.1: 5 ns"},
      {&Timing::rrd_l, "tRRDL", 3'125, 0, ramulator_hbm3, "gem5: 4 ns; an earlier Ramulator 2.1: 5 ns"},
      {&Timing::faw, "tFAW", 15'000, 0, ramulator_hbm3, "gem5: 12 ns"},
      {&Timing::wtr_s, "tWTRS", 4'375, 0, ramulator_hbm3, "gem5: 4 ns"},
      {&Timing::wtr_l, "tWTRL", 6'250, 0, ramulator_hbm3, "gem5: 9 ns"},
      {&Timing::rtw, "tRTW", 12'500, 0, ramulator_hbm3, "gem5: 18 ns"},
      {&Timing::ppd, "tPPD", 0, 2, ramulator_hbm3, ""},
      {&Timing::rfc, "tRFCab", 1'000 * all_banks_ns, 0,
       "JESD238B.01, Table 93, as others quote it: 260, 350, 450 ns for 4, 8, 16 Gb a channel, 310 and 410 "
       "between them",
       "Ramulator 2.1: 450 ns for 12 Gb"},
      {&Timing::rfc_bank, "tRFCpb", 1'000 * one_bank_ns, 0,
       "JESD238B.01, Table 93, as others quote it: 200 and 240 ns for dies of 16 and 24 Gb",
       "Ramulator 2.1: 200 ns"},
      {&Timing::rrefd, "tRREFD", 8'000, 3, jesd238_table_93, "Ramulator 2.1's preset: 8 clocks"},
      {&Timing::refi, "tREFI", 3'900'000, 0, jesd238_table_93, ""},
  }};
}

/// Two pseudo-channels of 32 pins; an activation is on the row wires for a clock and a half.
inline constexpr CommandBus hbm3_bus{2, 1, 1, 2, false, 2};

/// The times with another one in place of that of its kind.
constexpr std::array<Given, 24> with(std::array<Given, 24> times, const Given& other) {
  for (Given& given : times) {
    if (given.time == other.time) given = other;
  }
  return times;
}

inline constexpr std::array<Given, 24> h200_times = hbm3_times(410, 240);
inline constexpr std::array<Given, 24> h100_times = hbm3_times(350, 200);

/// Six stacks of eight dies of 24 Gb: 96 channels, of which the bus of 6016 bits that the card reports
/// (`model/cards.hpp`) leaves 94, and with them 141 of 144 GiB.
inline constexpr Memory h200 =
    timed({"HBM3e of an H200", 6'400, 4, 2, {94, 2, 2, 4, 4, 24'576, 32, 32}, hbm3_bus, h200_times, {}});

inline constexpr std::array<Given, 24> h200_unfitted_times =
    with(with(h200_times, {&Timing::rc, "tRC", 48'750, 0, "chapter 3, `camping`: 48.6 and 49.6 ns", ""}),
         {&Timing::refi, "tREFI", 1'950'000, 0, "chapter 3, `refresh`: 1926 and 1957 ns", ""});

/// What two H200s showed of single banks in chapter 3: half as many of them, or what acts as so many, each
/// refreshed twice as often and opened a little more slowly. Nothing is fitted to random runs.
inline constexpr Memory h200_unfitted = timed({"HBM3e of an H200, unfitted",
                                               6'400,
                                               4,
                                               2,
                                               {94, 2, 1, 4, 4, 49'152, 32, 32},
                                               hbm3_bus,
                                               h200_unfitted_times,
                                               {}});

inline constexpr std::array<Given, 24> h200_adjusted_times =
    with(h200_unfitted_times,
         {&Timing::faw, "tFAW", 18'125, 0, "fitted to one H200's random runs of 32 bytes", ""});

/// The same, with a tFAW that is fitted to random runs.
inline constexpr Memory h200_adjusted =
    retimed(h200_unfitted, "HBM3e of an H200, adjusted", h200_adjusted_times);

/// Five stacks of eight dies of 16 Gb.
inline constexpr Memory h100 =
    timed({"HBM3 of an H100", 5'238, 4, 2, {80, 2, 2, 4, 4, 16'384, 32, 32}, hbm3_bus, h100_times, {}});

inline constexpr std::array<Given, 24> h100_unfitted_times =
    with(with(h100_times, {&Timing::rc, "tRC", 49'600, 0, "chapter 3, `camping`: 49.6 ns", ""}),
         {&Timing::refi, "tREFI", 1'950'000, 0, "chapter 3, `refresh`: 1926 ns", ""});

/// What an H100 showed of single banks.
inline constexpr Memory h100_unfitted = timed({"HBM3 of an H100, unfitted",
                                               5'238,
                                               4,
                                               2,
                                               {80, 2, 1, 4, 4, 32'768, 32, 32},
                                               hbm3_bus,
                                               h100_unfitted_times,
                                               {}});

inline constexpr std::array<Given, 24> h100_adjusted_times =
    with(h100_unfitted_times, {&Timing::faw, "tFAW", 18'125, 0, "the H200's, fitted there", ""});

/// Adjusted in the same way. Nothing is fitted to an H100's random runs: tFAW is taken over from the H200.
inline constexpr Memory h100_adjusted =
    retimed(h100_unfitted, "HBM3 of an H100, adjusted", h100_adjusted_times);

inline constexpr std::string_view ramulator_hbm2 = "Ramulator 2.1, HBM2_2000Mbps";
inline constexpr std::string_view dramsys_hbm2 = "DRAMSys, HBM2.json, and gem5, HBM_2000_4H_1x64";

inline constexpr std::array<Given, 22> hbm2_times{{
    {&Timing::burst, "BL", 0, 2, "JESD235: 4 bits on each pin, 2 in a clock",
     "Ramulator 2.0: 4 clocks, half of the bandwidth (its issue 104)"},
    {&Timing::cl, "CL", 14'000, 0, ramulator_hbm2, "DRAMsim3: 14 ns; DRAMSys: 17; gem5: 18"},
    {&Timing::cwl, "CWL", 5'000, 0, ramulator_hbm2, "DRAMsim3: 4 ns; DRAMSys, gem5: 7"},
    {&Timing::rcd_read, "tRCDRD", 14'000, 0, ramulator_hbm2, "DRAMsim3: 14 ns; DRAMSys, gem5: 12"},
    {&Timing::rcd_write, "tRCDWR", 12'000, 0, ramulator_hbm2, "DRAMsim3: 14 ns; DRAMSys, gem5: 6"},
    {&Timing::ras, "tRAS", 34'000, 0, ramulator_hbm2, "DRAMsim3: 34 ns; DRAMSys, gem5: 28"},
    {&Timing::rp, "tRP", 14'000, 0, ramulator_hbm2, "DRAMsim3, DRAMSys, gem5: 14 ns"},
    {&Timing::rc, "tRC", 48'000, 0, ramulator_hbm2, "DRAMSys: 42 ns"},
    {&Timing::rtp, "tRTP", 5'000, 0, ramulator_hbm2, "DRAMsim3: 6 ns; DRAMSys, gem5: 5"},
    {&Timing::wr, "tWR", 16'000, 0, ramulator_hbm2, "DRAMsim3: 16 ns; DRAMSys, gem5: 14"},
    {&Timing::ccd_s, "tCCDS", 0, 2, ramulator_hbm2, "DRAMsim3: 1 clock on 128 pins; DRAMSys: 2"},
    {&Timing::ccd_l, "tCCDL", 0, 4, ramulator_hbm2, "DRAMsim3: 2 clocks; DRAMSys, gem5: 3"},
    {&Timing::rrd_s, "tRRDS", 4'000, 0, ramulator_hbm2, "DRAMsim3, DRAMSys, gem5: 4 ns"},
    {&Timing::rrd_l, "tRRDL", 6'000, 0, dramsys_hbm2, "DRAMsim3: 6 ns; Ramulator 2.1: 4"},
    {&Timing::faw, "tFAW", 16'000, 0, dramsys_hbm2, "Ramulator 2.1: 15 ns; DRAMsim3: 30"},
    {&Timing::wtr_s, "tWTRS", 6'000, 0, ramulator_hbm2, "DRAMsim3: 6 ns; DRAMSys, gem5: 4"},
    {&Timing::wtr_l, "tWTRL", 8'000, 0, ramulator_hbm2, "DRAMsim3: 8 ns; DRAMSys, gem5: 9"},
    {&Timing::rtw, "tRTW", 0, 13, "CL + BL + 2 clocks − CWL, as in Ramulator 2.1", "DRAMSys, gem5: 18"},
    {&Timing::rfc, "tRFCab", 260'000, 0, "Ramulator 2.1: 4 Gb a channel",
     "DRAMsim3: 260 ns; DRAMSys, gem5: 220"},
    {&Timing::rfc_bank, "tRFCsb", 160'000, 0, "Ramulator 2.1: 4 Gb a channel", "DRAMSys: 96 ns"},
    {&Timing::rrefd, "tRREFD", 8'000, 0, ramulator_hbm2, "DRAMSys: 8 ns"},
    {&Timing::refi, "tREFI", 3'900'000, 0, ramulator_hbm2, "DRAMsim3, DRAMSys, gem5: 3.9 µs"},
}};

/// One stack of four dies of 8 Gb.
inline constexpr Memory hbm2 =
    timed({"HBM2", 2'000, 2, 1, {8, 2, 1, 4, 4, 16'384, 32, 32}, {1, 1, 1, 1, false, 1}, hbm2_times, {}});

inline constexpr std::string_view samsung_gddr6 =
    "Samsung K4Z80325BC, Rev. 1.3, as Ramulator 2.1 quotes it (GDDR6_14000_1350mV_double)";

inline constexpr std::array<Given, 22> gddr6_times{{
    {&Timing::burst, "BL", 0, 2, "JESD250: 16 bits on each pin, 8 in a clock",
     "Ramulator 2.0: 8 or 4 clocks"},
    {&Timing::cl, "CL", 0, 24, samsung_gddr6, ""},
    {&Timing::cwl, "CWL", 0, 6, samsung_gddr6, ""},
    {&Timing::rcd_read, "tRCDRD", 0, 27, samsung_gddr6, "Ramulator 2.0: 26 clocks"},
    {&Timing::rcd_write, "tRCDWR", 0, 16, samsung_gddr6, ""},
    {&Timing::ras, "tRAS", 0, 53, samsung_gddr6, ""},
    {&Timing::rp, "tRP", 0, 27, samsung_gddr6, "Ramulator 2.0: 26 clocks"},
    {&Timing::rc, "tRC", 0, 79, samsung_gddr6, ""},
    {&Timing::rtp, "tRTP", 0, 4, samsung_gddr6, ""},
    {&Timing::wr, "tWR", 0, 27, samsung_gddr6, "Ramulator 2.0: 26 clocks"},
    {&Timing::ccd_s, "tCCDS", 0, 2, samsung_gddr6, "Ramulator 2.0: 4 clocks"},
    {&Timing::ccd_l, "tCCDL", 0, 4, samsung_gddr6, "Ramulator 2.0: 6 clocks"},
    {&Timing::rrd_s, "tRRDS", 0, 8, samsung_gddr6, "Ramulator 2.0: 5 clocks"},
    {&Timing::rrd_l, "tRRDL", 0, 8, samsung_gddr6, "Ramulator 2.0: 6 clocks"},
    {&Timing::faw, "tFAW", 0, 29, samsung_gddr6, "Ramulator 2.0: 28 clocks"},
    {&Timing::wtr_s, "tWTRS", 0, 10, samsung_gddr6, "Ramulator 2.0: 9 clocks"},
    {&Timing::wtr_l, "tWTRL", 0, 12, samsung_gddr6, "Ramulator 2.0: 11 clocks"},
    {&Timing::rtw, "tRTW", 0, 25, "CL + 1 clock, as in Ramulator 2.1", "CL + BL + 2 clocks − CWL: 22 clocks"},
    {&Timing::rfc, "tRFCab", 120'000, 0, "Ramulator 2.1: 211 clocks", "Ramulator 2.0: 360 ns, DDR4's"},
    {&Timing::rfc_bank, "tRFCpb", 60'000, 0, "Ramulator 2.1", ""},
    {&Timing::rrefd, "tRREFD", 0, 15, samsung_gddr6, "Ramulator 2.0: 14 clocks"},
    {&Timing::refi, "tREFI", 1'900'000, 0, "Ramulator 2.1", "Micron MT61K256M32: 32 ms / 16 k, 1.95 µs"},
}};

/// Eight chips of two channels of 16 pins. Rows and columns share the command wires.
inline constexpr Memory gddr6 =
    timed({"GDDR6", 14'000, 8, 1, {16, 1, 1, 4, 4, 16'384, 64, 32}, {0, 1, 1, 1, true, 1}, gddr6_times, {}});

/// The memory of source 003: a bus of 64 bits at 1 GHz that moves 8 bytes on each edge, and banks that take
/// `ratio` times as long to find them. Nothing else takes time.
constexpr Memory textbook(int ratio, int banks = 32) {
  const Tick r = ratio;
  Memory memory{"the textbook's",       2'000, 2, 2, {1, 1, 1, 1, banks, std::int64_t{1} << 20, 1, 8},
                {0, 0, 0, 0, false, 1}, {},    {}};
  memory.timing.burst = memory.timing.ccd_s = memory.timing.rtw = memory.timing.rtp = 1;
  memory.timing.rcd_read = memory.timing.rcd_write = r;
  memory.timing.rc = r + 1;
  return memory;
}

}  // namespace weft::model::dram

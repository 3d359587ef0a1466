#pragma once

/// @file
/// Holds a trace of commands against the times of its memory. It shares the times, the organisation and the
/// lines of the trace with the model, and no rule: each stands here once more, pair by pair.

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "model/dram/controller.hpp"

class TraceChecker {
 public:
  using Issued = weft::model::dram::Issued;
  using Memory = weft::model::dram::Memory;
  using Request = weft::model::dram::Request;
  using Tick = weft::model::dram::Tick;

  TraceChecker(const Memory& memory, const std::vector<Request>& requests, bool in_order)
      : memory_(memory),
        t_(memory.timing),
        requests_(requests),
        served_(requests.size()),
        in_order_(in_order) {}

  void operator()(const Issued& line) {
    if (!error_.empty()) return;
    ++lines_;
    const auto& parts = memory_.organization;
    bank_ = &banks_.at(line.bank);
    group_ = &groups_.at(line.bank / parts.banks);
    stack_of_pseudo_channel_ = line.bank / (parts.banks * parts.groups) % parts.stacks;
    half_ = &halves_.at(line.bank / (parts.banks * parts.groups * parts.stacks));
    now_ = line.tick;
    expect(now_ >= last_, "time goes on");
    last_ = now_;
    switch (line.command) {
      case weft::model::dram::Command::activate:
        activate(line);
        break;
      case weft::model::dram::Command::precharge:
        precharge();
        break;
      case weft::model::dram::Command::read:
        read(line);
        break;
      case weft::model::dram::Command::write:
        write(line);
        break;
      case weft::model::dram::Command::refresh_bank:
        refresh_bank();
        break;
      case weft::model::dram::Command::refresh_all:
        refresh_all();
        break;
    }
    if (!error_.empty()) error_ += " at line " + std::to_string(lines_);
  }

  /// What is wrong with the trace, after its last line; nothing is the empty string.
  [[nodiscard]] std::string finish(bool all_banks, bool one_bank) {
    for (std::size_t i = 0; error_.empty() && i < served_.size(); ++i) {
      expect(served_[i] == requests_[i].bursts, "every burst comes once");
    }
    const int used = memory_.organization.pseudo_channels;
    for (int half = 0; (all_banks || one_bank) && half < used; ++half) {
      const int each =
          all_banks ? 1
                    : memory_.organization.stacks * memory_.organization.groups * memory_.organization.banks;
      expect(halves_[half].refreshes >= (last_ / t_.refi - 1) * each, "refreshes are not left out");
    }
    return error_;
  }

 private:
  static constexpr Tick long_ago = -1'000'000'000;
  struct Bank {
    std::int64_t row = -1;
    Tick opened = long_ago, closed = long_ago, read = long_ago, write = long_ago, refreshed = long_ago;
  };
  struct Group {
    Tick opened = long_ago, read = long_ago, write = long_ago;
  };
  struct Half {
    Tick opened = long_ago, closed = long_ago, write = long_ago, refreshed = long_ago,
         bank_refreshed = long_ago;
    std::array<Tick, 8> read{long_ago, long_ago, long_ago, long_ago, long_ago, long_ago, long_ago, long_ago};
    std::array<Tick, 4> four{long_ago, long_ago, long_ago, long_ago};
    int turn = 0, open = 0;
    Tick data_until = long_ago, any_read = long_ago;
    std::int64_t refreshes = 0;
  };

  void expect(bool holds, const char* rule) {
    if (!holds && error_.empty()) error_ = rule;
  }
  void after(Tick earlier, Tick distance, const char* rule) { expect(now_ - earlier >= distance, rule); }

  void on_row_wires(Tick from, Tick until) {
    Tick& free = memory_.bus.shared ? wires_free_ : row_wires_free_;
    expect(from >= free, "one command on the row wires");
    free = std::max(free, until);
  }
  void on_column_wires() {
    Tick& free = memory_.bus.shared ? wires_free_ : column_wires_free_;
    expect(now_ >= free, "one command on the column wires");
    free = now_ + memory_.bus.column;
  }
  void data(Tick from) {
    expect(from >= half_->data_until, "one burst on the data bus");
    half_->data_until = from + t_.burst;
  }

  void activate(const Issued& line) {
    expect(bank_->row == -1, "only a closed bank is opened");
    expect(line.row >= 0, "an activation names its row");
    expect(now_ % memory_.bus.edge == 0, "an activation begins on an edge");
    on_row_wires(now_ - memory_.bus.activate_before, now_ + memory_.bus.activate_after);
    after(bank_->opened, t_.rc, "tRC");
    after(bank_->closed, t_.rp, "tRP");
    after(bank_->refreshed, t_.rfc_bank, "tRFCpb");
    after(group_->opened, t_.rrd_l, "tRRDL");
    after(half_->opened, t_.rrd_s, "tRRDS");
    after(half_->four[half_->turn], t_.faw, "tFAW");
    after(half_->bank_refreshed, t_.rrefd, "tRREFD");
    after(half_->refreshed, t_.rfc, "tRFCab");
    half_->four[half_->turn] = now_;
    half_->turn = (half_->turn + 1) % 4;
    ++half_->open;
    bank_->opened = group_->opened = half_->opened = now_;
    bank_->row = line.row;
  }

  void precharge() {
    expect(bank_->row != -1, "only an open bank is closed");
    on_row_wires(now_, now_ + memory_.bus.row);
    after(bank_->opened, t_.ras, "tRAS");
    after(bank_->read, t_.rtp, "tRTP");
    after(bank_->write, t_.cwl + t_.burst + t_.wr, "tWR");
    after(half_->closed, t_.ppd, "tPPD");
    bank_->closed = half_->closed = now_;
    bank_->row = -1;
    --half_->open;
  }

  void column(const Issued& line, bool writes) {
    expect(bank_->row == line.row, "only an open row is accessed");
    expect(now_ % memory_.bus.edge == 0, "a column command begins on an edge");
    on_column_wires();
    const Request& request = requests_.at(line.request);
    expect(request.write == writes && request.bank == line.bank && request.row == line.row &&
               line.column == request.column + served_[line.request],
           "a request gets what it asked for");
    ++served_[line.request];
    expect(!in_order_ || line.request >= newest_, "first come, first served");
    newest_ = line.request;
  }

  void read(const Issued& line) {
    column(line, false);
    after(bank_->opened, t_.rcd_read, "tRCDRD");
    after(group_->read, t_.ccd_l, "tCCDL");
    after(half_->any_read, t_.ccd_s, "tCCDS");
    for (int stack = 0; stack < memory_.organization.stacks; ++stack) {
      if (stack != stack_of_pseudo_channel_) after(half_->read[stack], t_.ccd_r, "tCCDR");
    }
    after(group_->write + t_.cwl + t_.burst, t_.wtr_l, "tWTRL");
    after(half_->write + t_.cwl + t_.burst, t_.wtr_s, "tWTRS");
    data(now_ + t_.cl);
    bank_->read = group_->read = half_->any_read = half_->read[stack_of_pseudo_channel_] = now_;
  }

  void write(const Issued& line) {
    column(line, true);
    after(bank_->opened, t_.rcd_write, "tRCDWR");
    after(group_->write, t_.ccd_l, "tCCDL");
    after(half_->write, t_.ccd_s, "tCCDS");
    after(half_->any_read, t_.rtw, "tRTW");
    data(now_ + t_.cwl);
    bank_->write = group_->write = half_->write = now_;
  }

  void refresh_bank() {
    expect(bank_->row == -1, "only a closed bank is refreshed");
    on_row_wires(now_, now_ + memory_.bus.row);
    after(bank_->opened, t_.rc, "tRC");
    after(bank_->closed, t_.rp, "tRP");
    after(bank_->refreshed, t_.rfc_bank, "tRFCpb");
    after(half_->opened, t_.rrd_s, "tRRDS");
    after(half_->bank_refreshed, t_.rrefd, "tRREFD");
    after(half_->refreshed, t_.rfc, "tRFCab");
    bank_->refreshed = half_->bank_refreshed = now_;
    ++half_->refreshes;
  }

  void refresh_all() {
    expect(half_->open == 0, "only closed banks are refreshed");
    on_row_wires(now_, now_ + memory_.bus.row);
    after(half_->opened, t_.rc, "tRC");
    after(half_->closed, t_.rp, "tRP");
    after(half_->bank_refreshed, t_.rfc_bank, "tRFCpb");
    after(half_->refreshed, t_.rfc, "tRFCab");
    half_->refreshed = now_;
    ++half_->refreshes;
  }

  const Memory& memory_;
  const weft::model::dram::Timing& t_;
  const std::vector<Request>& requests_;
  std::vector<int> served_;
  bool in_order_;

  std::array<Bank, 64> banks_{};
  std::array<Group, 64> groups_{};
  std::array<Half, 64> halves_{};
  Tick row_wires_free_ = long_ago, column_wires_free_ = long_ago, wires_free_ = long_ago;
  Tick now_ = 0, last_ = 0;
  std::int64_t newest_ = 0, lines_ = 0;
  Bank* bank_ = nullptr;
  Group* group_ = nullptr;
  Half* half_ = nullptr;
  int stack_of_pseudo_channel_ = 0;
  std::string error_;
};

#include "benchmark/card/nsight_compute.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include <filesystem>
#include <fstream>

#include "benchmark/system/process.hpp"
#include "environment.hpp"

namespace {

// Written by hand in the format of `ncu --csv --page raw`; the numbers are invented.
constexpr const char* two_kernels = R"csv(==PROF== Connected to process 4711 (/tmp/13_padded)
==PROF== Profiling "transpose" - 0: 0%....50%....100% - 9 passes
==PROF== Disconnected from process 4711
"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC","gpu__time_duration.sum","launch__registers_per_thread","l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum","sm__warps_active.avg.pct_of_peak_sustained_active","lts__t_sector_hit_rate.pct","device__attribute_clock_rate"
"","","","","","","","","","","","ns","register/thread","","%","","Khz"
"0","4711","13_padded","127.0.0.1","first(const float *, ""a"")","1","7","(32, 8, 1)","(32, 32, 1)","0","9.0","2,000","24","32,768","61.25","n/a","1,980,000"
"1","4711","13_padded","127.0.0.1","second()","1","7","(256, 1, 1)","(9, 1, 1)","0","9.0","5,000","16","1,000","80.5","n/a","1,980,000"
)csv";

const std::vector<std::string> asked{"gpu__time_duration.sum", "launch__registers_per_thread",
                                     "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
                                     "sm__warps_active.avg.pct_of_peak_sustained_active",
                                     "lts__t_sector_hit_rate.pct"};

/// An ncu of our own, first on PATH, for as long as it lives.
class FakeNcu {
 public:
  explicit FakeNcu(const std::string& script)
      : path_("PATH", folder_.path().string() + ":/usr/bin:/bin"), fake_("FAKE", folder_.path().string()) {
    const auto ncu = folder_.path() / "ncu";
    std::ofstream(ncu) << "#!/bin/sh\n" << script << '\n';
    std::filesystem::permissions(ncu, std::filesystem::perms::owner_all);
  }

  [[nodiscard]] std::string arguments() const { return weft::read_text(folder_.path() / "arguments"); }

 private:
  weft::TemporaryFolder folder_;
  Environment path_;
  Environment fake_;
};

}  // namespace

TEST_CASE("every kernel of ncu's table is read") {
  const auto kernels = weft::parse_ncu_csv(two_kernels, asked);
  REQUIRE(kernels.size() == 2);
  CHECK(kernels[0].kernel == "first(const float *, \"a\")");
  CHECK(kernels[0].metrics.at("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum") == 32768);
  CHECK(kernels[0].metrics.at("sm__warps_active.avg.pct_of_peak_sustained_active") == 61.25);
  CHECK_FALSE(kernels[0].metrics.contains("lts__t_sector_hit_rate.pct"));
  CHECK_FALSE(kernels[0].metrics.contains("device__attribute_clock_rate"));  // nobody asked
}

TEST_CASE("counts are added over kernels, the rest is the longest kernel's") {
  const weft::Json metrics = weft::combine(weft::parse_ncu_csv(two_kernels, asked));
  CHECK(metrics["l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"] == 33768);
  CHECK(metrics["gpu__time_duration.sum"] == 7000);
  CHECK(metrics["launch__registers_per_thread"] == 16);
  CHECK(metrics["sm__warps_active.avg.pct_of_peak_sustained_active"] == 80.5);
  CHECK(metrics["launch__registers_per_thread"].is_number_integer());
}

TEST_CASE("output without a table has no kernels, a table that is cut off is an error") {
  CHECK(weft::parse_ncu_csv("==WARNING== No kernels were profiled.\n", asked).empty());
  const std::string text = two_kernels;
  CHECK_THROWS(weft::parse_ncu_csv(text.substr(0, text.find("second")), asked));
  CHECK_THROWS(weft::parse_ncu_csv(text.substr(0, text.find(",\"1\",\"7\",\"(256")) + "\n", asked));
}

TEST_CASE("the metrics that the model predicts are counted, each once, and with no hit rate beside them") {
  const auto& groups = weft::all_metrics();
  std::vector<std::string> names;
  for (const auto& group : groups) names.insert(names.end(), group.begin(), group.end());
  std::ranges::sort(names);
  CHECK(std::ranges::adjacent_find(names) == names.end());
  const auto& exact = groups.back();
  CHECK(std::ranges::count(exact, "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum") == 1);
  CHECK(std::ranges::count(exact, "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum") == 1);
  const auto is_hit_rate = [](const std::string& name) { return name.find("hit_rate") != name.npos; };
  CHECK(std::ranges::none_of(exact, is_hit_rate));
  CHECK(std::ranges::any_of(names, is_hit_rate));
}

TEST_CASE("what must be exact is counted apart from the hit rates, and both come back") {
  const FakeNcu fake(R"sh(echo "$*" >>"$FAKE/arguments"
case $* in
*hit_rate*) metric=l1tex__t_sector_pipe_lsu_mem_global_op_st_hit_rate.pct value=42.5 ;;
*) metric=l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum value=163,840 ;;
esac
printf '"ID","Kernel Name","%s"\n"","",""\n"0","shifted()","%s"\n' "$metric" "$value")sh");
  weft::NsightCompute ncu;
  const weft::Json metrics = ncu.count({"./02_shifted"}, weft::all_metrics());
  CHECK(metrics["l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"] == 163840);
  CHECK(metrics["l1tex__t_sector_pipe_lsu_mem_global_op_st_hit_rate.pct"] == 42.5);
  const std::string arguments = fake.arguments();
  CHECK(std::ranges::count(arguments, '\n') == 2);
}

TEST_CASE("at the timed size the caches and the DRAM are asked about, and nothing that must be exact") {
  REQUIRE(weft::metrics_of_timed_size().size() == 1);
  const auto& timed = weft::metrics_of_timed_size().front();
  const auto& exact = weft::all_metrics().back();
  for (const char* name :
       {"dram__bytes_read.sum", "lts__t_sectors_op_write.sum", "lts__t_sector_hit_rate.pct"}) {
    CHECK(std::ranges::count(timed, name) == 1);
  }
  for (const std::string& name : timed) CHECK(std::ranges::count(exact, name) == 0);
}

TEST_CASE("what warps wait for is counted at the timed size alone") {
  const auto& timed = weft::metrics_of_timed_size().front();
  const auto is_reason = [](const std::string& name) {
    return name.starts_with("smsp__warps_issue_stalled_");
  };
  CHECK(std::ranges::count(timed, "smsp__warps_active.sum") == 1);
  CHECK(std::ranges::count_if(timed, is_reason) == 19);
  for (const auto& group : weft::all_metrics()) CHECK(std::ranges::none_of(group, is_reason));
}

TEST_CASE("ncu runs the command and its metrics come back") {
  const FakeNcu fake(R"(echo "$@" >"$FAKE/arguments"
cat <<'END'
)" + std::string(two_kernels) +
                     "END");
  weft::NsightCompute ncu;
  CHECK(ncu.count({"./13_padded", "--once", "1024x1024"}, weft::all_metrics())["gpu__time_duration.sum"] ==
        7000);
  CHECK(fake.arguments().ends_with(" ./13_padded --once 1024x1024\n"));
  CHECK(ncu.unknown().empty());
}

TEST_CASE("a metric that this ncu does not know is left out from then on") {
  const FakeNcu fake(R"(echo run >>"$FAKE/arguments"
case $* in *inst_executed_op_tma_ld*)
  echo '==ERROR== Failed to find metric smsp__sass_inst_executed_op_tma_ld.sum'; exit 1;; esac
cat <<'END'
)" + std::string(two_kernels) +
                     "END");
  weft::NsightCompute ncu;
  CHECK(ncu.count({"./13_padded"}, weft::all_metrics())["gpu__time_duration.sum"] == 7000);
  CHECK(ncu.unknown() == std::vector<std::string>{"smsp__sass_inst_executed_op_tma_ld.sum"});
  CHECK(ncu.count({"./13_padded"}, weft::all_metrics())["gpu__time_duration.sum"] == 7000);
  CHECK(fake.arguments() == "run\nrun\nrun\nrun\nrun\n");  // two groups twice, and one that failed
}

TEST_CASE("counting that is forbidden is told from counting that failed") {
  weft::NsightCompute ncu;
  {
    const FakeNcu fake("echo '==ERROR== ERR_NVGPUCTRPERM - The user does not have permission'; exit 1");
    CHECK_THROWS_AS(ncu.count({"./13_padded"}, weft::all_metrics()), weft::CannotCount);
  }
  {
    const FakeNcu fake("echo '==ERROR== The application returned an error code (2).'; exit 2");
    CHECK_THROWS_WITH(ncu.count({"./13_padded"}, weft::all_metrics()),
                      "The application returned an error code (2).");
  }
  {
    const FakeNcu fake("echo '==WARNING== No kernels were profiled.'");
    CHECK(ncu.count({"./04_memcpy"}, weft::all_metrics()).empty());
  }
}

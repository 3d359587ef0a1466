#include "binary/mangled_name.hpp"

#include <doctest/doctest.h>

#include <map>

namespace weft::test {
namespace {

TEST_CASE("a name is the same whether its program is compiled alone or together with others") {
  for (const auto& [together, alone] : std::map<std::string, std::string>{
           {"_ZN22weft_program_13_padded19_GLOBAL__N__c2d0_176kernelEPKfS3_", "_ZN_GLOBAL__N_6kernelEPKfS2_"},
           {"_ZN17_INTERNAL_c2d0_1722weft_program_13_padded19_GLOBAL__N__c2d0_176kernelES_S2_",
            "_ZN_INTERNAL__GLOBAL__N_6kernelES_S1_"},
           {"_ZN22weft_program_13_padded19_GLOBAL__N__c2d0_176kernelILi22ELb1EEEvNS0_1TESA_S10_",
            "_ZN_GLOBAL__N_6kernelILi22ELb1EEEvNS_1TES9_SZ_"},
           {"_ZN4weft4readIN22weft_program_13_padded1TEEEvv", "_ZN4weft4readIN1TEEEvv"},
           {"_ZZN22weft_program_13_padded19_GLOBAL__N__c2d0_176kernelEPKfS2_E5words",
            "_ZZN_GLOBAL__N_6kernelEPKfS1_E5words"}}) {
    CHECK(without_module(together) == alone);
    CHECK(without_module(together + "_param_0, [x]") == alone + "_param_0, [x]");
  }
}

TEST_CASE("kernels have readable names") {
  CHECK(readable_name("_ZN45_GLOBAL__N__c2d0436b_7_13_s_cu_2a931258_197594kernEPfi") == "kern");
  CHECK(readable_name("_ZN45_GLOBAL__N__c2d0436b_7_13_s_cu_2a931258_197592ktILi3EEEvPf") == "kt<3>");
  CHECK(readable_name("_ZN4weft4test1kIN2ns1TEEEvv") == "k<ns::T>");
  CHECK(readable_name("_ZN4weft4test1kIN22weft_program_13_padded1TEEEvv") == "k<T>");
  CHECK(readable_name("_ZN4weft4walkILNS_7ThroughE1EEEvi") == "walk<(weft::Through)1>");
  CHECK(readable_name("extern_c_kernel") == "extern_c_kernel");
}

}  // namespace
}  // namespace weft::test

// Kernels and arguments may have names that are not valid in C; the headers are valid C and C++
// nevertheless.
//
// RUN: rm -rf %t && mkdir -p %t
// RUN: kiln compile %s --from=tt --kernel='über alles?' --emit=header -o %t/name.h
// RUN: %cc -std=c99 -fsyntax-only %warnings -I%S/Inputs -include %t/name.h -x c /dev/null
// RUN: %cxx -std=c++17 -fsyntax-only %warnings -I%S/Inputs -include %t/name.h -x c++ /dev/null
// RUN: FileCheck %s --input-file=%t/name.h
// RUN: kiln compile %s --from=tt --kernel=register --emit=header --launcher=kiln -o %t/keyword.h
// RUN: %cc -std=c11 -fsyntax-only %warnings %runtime_headers -include %t/keyword.h -x c /dev/null
// RUN: %cxx -std=c++17 -fsyntax-only %warnings %runtime_headers -include %t/keyword.h -x c++ /dev/null
// RUN: FileCheck %s --input-file=%t/keyword.h --check-prefix=KEYWORD
// RUN: kiln compile %s --from=tt --kernel=none --emit=header -o %t/none.h
// RUN: %cc -std=c99 -fsyntax-only %warnings -I%S/Inputs -include %t/none.h -x c /dev/null
// RUN: kiln compile %s --from=tt --kernel=none --emit=header --launcher=kiln -o %t/none.h
// RUN: %cxx -std=c++17 -fsyntax-only %warnings %runtime_headers -include %t/none.h -x c++ /dev/null

module {
  // CHECK: hipModuleGetFunction(&kiln_kernel_->function, kiln_kernel_->module, "\303\274ber alles\077")
  // CHECK: static inline hipError_t ___ber_alles__launch(
  // CHECK-SAME: uint16_t *class_, uint8_t *a_b, bool a_b_2, double _2, void *deep)
  tt.func public @"über alles?"(%a: !tt.ptr<f16> loc("class"), %b: !tt.ptr<f8E4M3FNUZ> loc("a b"), %c: i1 loc("a_b"), %d: f64 loc("2"),
                                      %e: !tt.ptr<!tt.ptr<f32>> loc("deep")) {
    %x = tt.load %a : !tt.ptr<f16>
    %p = tt.load %e : !tt.ptr<!tt.ptr<f32>>
    %y = arith.extf %x : f16 to f32
    tt.store %p, %y : !tt.ptr<f32>
    tt.return
  }

  // KEYWORD: // to: bf16
  // KEYWORD: if (to && (to ? kiln_buffer_address(to) : 0) < 0x80000000)
  // KEYWORD-NEXT: return "to is at an address below 2 GiB";
  // KEYWORD-NEXT: if (to && kiln_buffer_size(to) > 2145386496)
  // KEYWORD: kiln_status_t register__launch(const register__kernel_t *kiln_kernel_, kiln_stream_t *kiln_stream_, uint32_t kiln_x_, uint32_t kiln_y_, uint32_t kiln_z_, const kiln_buffer_t *to, uint16_t value)
  tt.func public @register(%to: !tt.ptr<bf16> {tt.pointer_range = 32 : i32, tt.divisibility = 8 : i32} loc("to"), %value: bf16 loc("value")) {
    tt.store %to, %value : !tt.ptr<bf16>
    tt.return
  }

  tt.func public @none() {
    tt.return
  }
}

// Kernels and arguments may have names of types, macros and functions that a launcher uses or
// includes, or of its own variables; the headers are valid C and C++ nevertheless.
//
// RUN: rm -rf %t && mkdir -p %t
// RUN: kiln compile %s --from=tt --kernel=kiln_module --grid '(NULL + int64_t) % 7,1,1' --emit=header -o %t/hip.h
// RUN: %cc -std=c99 -fsyntax-only %warnings -I%S/Inputs -include errno.h -include stdio.h -include %t/hip.h -x c /dev/null
// RUN: %cxx -std=gnu++17 -fsyntax-only %warnings -I%S/Inputs -include %t/hip.h -x c++ /dev/null
// RUN: FileCheck %s --input-file=%t/hip.h
// RUN: kiln compile %s --from=tt --kernel=kiln_module --emit=header --launcher=kiln -o %t/kiln.h
// RUN: %cc -std=gnu11 -fsyntax-only %warnings %runtime_headers -include kiln/load.h -include %t/kiln.h -x c /dev/null
// RUN: %cxx -std=gnu++17 -fsyntax-only %warnings %runtime_headers -include kiln/load.h -include %t/kiln.h -x c++ /dev/null
// RUN: kiln compile %s --from=tt --kernel=kiln_jit --emit=header --launcher=kiln -o %t/jit.h
// RUN: %cc -std=c11 -fsyntax-only %warnings %runtime_headers -include kiln/load.h -include %t/jit.h -x c /dev/null

module {
  // CHECK: const char *kiln_module__refuses(uint32_t kiln_grid_[3], const float *arg_uint32_t, int32_t arg_NULL, int32_t arg_int64_t,
  // CHECK-SAME: int32_t arg_linux, int32_t arg_kiln_x__, int32_t arg_kiln_grid__, float *arg_hipModule_t,
  // CHECK-SAME: int32_t arg__Reserved, float *arg_kiln_buffer_t_, int32_t arg_errno, int32_t M, int32_t arg_NULL_2, int32_t x,
  // CHECK-SAME: int32_t arg_INT32_MAX)
  // CHECK: kiln_extents_[0] = {{.*}}(int64_t)arg_NULL, (int64_t)arg_int64_t
  tt.func public @kiln_module(%a: !tt.ptr<f32> loc("uint32_t"), %b: i32 loc("NULL"), %c: i32 loc("int64_t"), %d: i32 loc("linux"),
                              %e: i32 loc("kiln_x_"), %f: i32 loc("kiln_grid_"), %g: !tt.ptr<f32> loc("hipModule_t"),
                              %h: i32 loc("_Reserved"), %i: !tt.ptr<f32> loc("kiln_buffer_t"), %j: i32 loc("errno"), %k: i32 loc("M"),
                              %l: i32 loc("arg_NULL"), %m: i32 loc("x"), %n: i32 loc("INT32_MAX")) {
    %x = tt.load %a : !tt.ptr<f32>
    tt.store %g, %x : !tt.ptr<f32>
    tt.store %i, %x : !tt.ptr<f32>
    tt.return
  }

  tt.func public @kiln_jit(%a: !tt.ptr<f32> loc("kiln_launch_t"), %b: i32 loc("kiln_address_0_"), %c: i32 loc("size_t")) {
    %x = arith.sitofp %b : i32 to f32
    tt.store %a, %x : !tt.ptr<f32>
    tt.return
  }
}

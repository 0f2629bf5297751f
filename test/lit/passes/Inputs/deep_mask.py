# Prints a load whose mask is a comparison of columns and a chain of COUNT row masks: each uses the
# one before it twice, so the paths through them are 2^COUNT.
import sys

count = int(sys.argv[1])
print('''tt.func public @k(%x: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %n: i32, %z: !tt.ptr<i1>, %w: !tt.ptr<i1>) {
  %c256 = arith.constant 256 : i32
  %zero = arith.constant dense<0> : tensor<2x256xi32>
  %pid = tt.get_program_id x : i32
  %s = arith.muli %pid, %c256 : i32
  %r = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
  %ss = tt.splat %s : i32 -> tensor<256xi32>
  %at = arith.addi %ss, %r : tensor<256xi32>
  %ns = tt.splat %n : i32 -> tensor<256xi32>
  %less = arith.cmpi slt, %at, %ns : tensor<256xi32>
  %less1 = tt.expand_dims %less {axis = 0 : i32} : tensor<256xi1> -> tensor<1x256xi1>
  %columns = tt.broadcast %less1 : tensor<1x256xi1> -> tensor<2x256xi1>
  %rows = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32>
  %zs = tt.splat %z : !tt.ptr<i1> -> tensor<2x!tt.ptr<i1>>
  %ws = tt.splat %w : !tt.ptr<i1> -> tensor<2x!tt.ptr<i1>>
  %pz = tt.addptr %zs, %rows : tensor<2x!tt.ptr<i1>>, tensor<2xi32>
  %pw = tt.addptr %ws, %rows : tensor<2x!tt.ptr<i1>>, tensor<2xi32>
  %a = tt.load %pz : tensor<2x!tt.ptr<i1>>
  %b = tt.load %pw : tensor<2x!tt.ptr<i1>>
  %m0 = tt.load %pz : tensor<2x!tt.ptr<i1>>''')
for i in range(count):
    print(f'''  %a{i} = arith.andi %m{i}, %a : tensor<2xi1>
  %b{i} = arith.andi %m{i}, %b : tensor<2xi1>
  %m{i + 1} = arith.andi %a{i}, %b{i} : tensor<2xi1>''')
print(f'''  %row1 = tt.expand_dims %m{count} {{axis = 1 : i32}} : tensor<2xi1> -> tensor<2x1xi1>
  %row = tt.broadcast %row1 : tensor<2x1xi1> -> tensor<2x256xi1>
  %m = arith.andi %row, %columns : tensor<2x256xi1>
  %at1 = tt.expand_dims %at {{axis = 0 : i32}} : tensor<256xi32> -> tensor<1x256xi32>
  %at2 = tt.broadcast %at1 : tensor<1x256xi32> -> tensor<2x256xi32>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<2x256x!tt.ptr<i32>>
  %p = tt.addptr %xs, %at2 : tensor<2x256x!tt.ptr<i32>>, tensor<2x256xi32>
  tt.store %p, %zero, %m : tensor<2x256x!tt.ptr<i32>>
  tt.return
}}''')

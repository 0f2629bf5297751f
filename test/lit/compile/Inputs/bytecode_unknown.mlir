module {
  "tt.func"() ({
    // What no version of tt has.
    //
    //
    "tt.unknown"() : () -> ()
    "tt.return"() : () -> ()
  }) {function_type = () -> (), sym_name = "f", sym_visibility = "public"} : () -> ()
}

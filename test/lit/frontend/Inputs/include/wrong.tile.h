#define ADD_TO(x) ((x) + missing)
#define TWICE_ADD(x) (2 * ADD_TO(x))
static f32 wrong(f32 x)
{
    return x * undeclared;
}
static f32 wrong_by_macro(f32 x) { return ADD_TO(x); }

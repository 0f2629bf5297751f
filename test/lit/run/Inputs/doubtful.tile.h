auto helper(auto x)
{
    x + 1;
    return x * 2;
}

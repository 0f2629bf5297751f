#pragma once
static auto square(auto x)
{
    return x * x;
}

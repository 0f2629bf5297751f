// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Draws a roofline as SVG with logarithmic axes. Nothing in the picture is measured: the dots are
// predicted, and the roofs are the model's assumptions about the machine (docs/timing-model.md).
#include "roofline.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "prediction.h"

enum { WIDTH = 800, HEIGHT = 520, LEFT = 70, RIGHT = 30, TOP = 60, BOTTOM = 110 };

typedef struct axes {
    double x0, x1, y0, y1; // powers of ten
} axes_t;

typedef struct roof {
    const char *name, *colour, *dash; // distinguishable in greyscale by the dashes
    double peak, bytes;               // per second; of the launch
} roof_t;

static double at_x(const axes_t *a, double intensity)
{
    return LEFT + (log10(intensity) - a->x0) / (a->x1 - a->x0) * (WIDTH - LEFT - RIGHT);
}

static double at_y(const axes_t *a, double flops)
{
    return HEIGHT - BOTTOM - (log10(flops) - a->y0) / (a->y1 - a->y0) * (HEIGHT - TOP - BOTTOM);
}

static void write_text(FILE *file, const char *text)
{
    for (; *text; text++) {
        if (*text == '<' || *text == '&' || *text == '>')
            fprintf(file, "&#%d;", *text);
        else
            fputc(*text, file);
    }
}

static void write_grid(FILE *file, const axes_t *a)
{
    for (double power = a->x0; power <= a->x1; power++) {
        const double x = at_x(a, pow(10, power));
        fprintf(file,
                "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" stroke=\"#ddd\"/><text "
                "x=\"%.1f\" y=\"%d\" "
                "text-anchor=\"middle\">%g</text>\n",
                x, TOP, x, HEIGHT - BOTTOM, x, HEIGHT - BOTTOM + 16, pow(10, power));
    }
    for (double power = a->y0; power <= a->y1; power++) {
        const double y = at_y(a, pow(10, power));
        fprintf(file,
                "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"#ddd\"/><text x=\"%d\" "
                "y=\"%.1f\" "
                "text-anchor=\"end\">%g</text>\n",
                LEFT, y, WIDTH - RIGHT, y, LEFT - 6, y + 4, pow(10, power - 12));
    }
    fprintf(file, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">operations per byte</text>\n",
            (WIDTH + LEFT - RIGHT) / 2, HEIGHT - BOTTOM + 34);
    fprintf(file,
            "<text x=\"16\" y=\"%d\" transform=\"rotate(-90 16 %d)\" "
            "text-anchor=\"middle\">TFLOP/s</text>\n",
            (HEIGHT + TOP - BOTTOM) / 2, (HEIGHT + TOP - BOTTOM) / 2);
}

// From the left edge up to the ridge.
static void write_roof(FILE *file, const axes_t *a, const roof_t *roof, double peak)
{
    const double ridge = peak / roof->peak, min = fmax(pow(10, a->x0), pow(10, a->y0) / roof->peak);
    if (ridge > min)
        fprintf(file,
                "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" "
                "stroke-width=\"2\" "
                "stroke-dasharray=\"%s\"/>\n",
                at_x(a, min), at_y(a, min * roof->peak), at_x(a, ridge), at_y(a, peak),
                roof->colour, roof->dash);
}

static void write_dot(FILE *file, const axes_t *a, const roof_t *roof, double flops, double done,
                      int row)
{
    const int y = HEIGHT - BOTTOM + 54 + 16 * row;
    fprintf(file,
            "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" stroke=\"%s\" stroke-width=\"2\" "
            "stroke-dasharray=\"%s\"/>\n",
            LEFT, y - 4, LEFT + 40, y - 4, roof->colour, roof->dash);
    fprintf(file, "<text x=\"%d\" y=\"%d\">%s: %.2f TB/s; ", LEFT + 48, y, roof->name,
            roof->peak / 1e12);
    if (roof->bytes <= 0) {
        fprintf(file, "not used</text>\n");
        return;
    }
    fprintf(file, "%.3g operations per byte</text>\n", flops / roof->bytes);
    fprintf(file,
            "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"5\" fill=\"%s\"><title>%s</title></circle>\n",
            at_x(a, flops / roof->bytes), at_y(a, done), roof->colour, roof->name);
}

static void widen(double *low, double *high, double value)
{
    *low = fmin(*low, floor(log10(value)));
    *high = fmax(*high, ceil(log10(value)));
}

// The roof at the clock that the device holds, if that is lower.
static void write_held(FILE *file, const axes_t *a, const kiln_sim_prediction_t *p, double full,
                       double l2)
{
    const double peak = p->peak_flops * p->clock_mhz / full;
    if (!(full > 0) || p->clock_mhz > 0.999 * full)
        return;
    fprintf(file,
            "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"black\" "
            "stroke-dasharray=\"6 4\"/>\n<text x=\"%d\" y=\"%.1f\" "
            "text-anchor=\"end\">%.1f at %.0f MHz</text>\n",
            at_x(a, fmax(peak / l2, pow(10, a->x0))), at_y(a, peak), WIDTH - RIGHT, at_y(a, peak),
            WIDTH - RIGHT, at_y(a, peak) + 14, peak / 1e12, p->clock_mhz);
}

kiln_status_t kiln_roofline_write(const kiln_sim_prediction_t *p, const char *kernel,
                                  const kiln_device_t *device, const char *path)
{
    if (p->flops <= 0)
        return kiln_status_make(
            KILN_STATUS_UNSUPPORTED,
            "cannot draw a roofline: kernel '%s' has no floating-point operations", kernel);
    const roof_t roofs[] = {
        {"L2", "#4477aa", "none", p->peak_l2, p->l2_bytes},
        {"Infinity Cache", "#aa7700", "8 3", p->peak_infinity_cache, p->infinity_cache_bytes},
        {"HBM", "#cc3311", "3 3", p->peak_hbm, p->hbm_bytes}};
    enum { ROOFS = sizeof roofs / sizeof *roofs };
    const double done = p->flops / (p->microseconds * 1e-6);
    axes_t a = {-1, 3, 12, 15};
    widen(&a.y0, &a.y1, done);
    widen(&a.y0, &a.y1, p->peak_flops);
    for (int i = 0; i < ROOFS; i++)
        if (roofs[i].bytes > 0)
            widen(&a.x0, &a.x1, p->flops / roofs[i].bytes);
    FILE *file = fopen(path, "w");
    if (!file)
        return kiln_status_make(KILN_STATUS_IO, "cannot write '%s': %s", path, strerror(errno));
    fprintf(file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
            "font-family=\"sans-serif\" "
            "font-size=\"12\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n<text "
            "x=\"%d\" y=\"22\" "
            "font-size=\"15\">",
            WIDTH, HEIGHT, LEFT);
    write_text(file, kernel);
    fprintf(file, ": %.2f TFLOP/s, predicted</text>\n<text x=\"%d\" y=\"40\">", done / 1e12, LEFT);
    write_text(file, kiln_device_key(device));
    fprintf(file, "; %.1f us at %.0f MHz</text>\n", p->microseconds, p->clock_mhz);
    fprintf(file,
            "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.1f TFLOP/s: the units that it uses "
            "most, at full "
            "clock</text>\n",
            WIDTH - RIGHT, at_y(&a, p->peak_flops) - 6, p->peak_flops / 1e12);
    write_grid(file, &a);
    double ridge = p->peak_flops / roofs[0].peak;
    fprintf(file,
            "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"black\" "
            "stroke-width=\"2\"/>\n",
            at_x(&a, fmax(ridge, pow(10, a.x0))), at_y(&a, p->peak_flops), WIDTH - RIGHT,
            at_y(&a, p->peak_flops));
    write_held(file, &a, p, kiln_prediction_full_mhz(device), roofs[0].peak);
    for (int i = 0; i < ROOFS; i++)
        write_roof(file, &a, &roofs[i], p->peak_flops);
    for (int i = 0; i < ROOFS; i++)
        write_dot(file, &a, &roofs[i], p->flops, done, i);
    fprintf(file, "</svg>\n");
    const bool failed = ferror(file) != 0;
    return fclose(file) == 0 && !failed
               ? KILN_OK
               : kiln_status_make(KILN_STATUS_IO, "cannot write '%s': %s", path, strerror(errno));
}

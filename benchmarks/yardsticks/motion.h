/* Motions of dy/dt = RATES(kind)(y, q), N numbers each; OF(name) are the names of the functions. */

#define REAL double
#define STEP OF(step_scalar)
#define RHS RATES(scalar)
#define LARGER(a, b) fmax(fabs(a), fabs(b))
#include "step.h"
#undef REAL
#undef STEP
#undef RHS
#undef LARGER

#define REAL lanes
#define STEP OF(step_lanes)
#define RHS RATES(lanes)
#define LARGER(a, b) larger(size_of(a), size_of(b))
#include "step.h"
#undef REAL
#undef STEP
#undef RHS
#undef LARGER

static double OF(mean_square)(const double *v, const double *y, double rtol, double atol)
{
    double sum = 0;
    for (int i = 0; i < N; i++) {
        const double part = v[i] / (atol + rtol * fabs(y[i]));
        sum += part * part;
    }
    return sqrt(sum / N);
}

static double OF(first_step)(const double *y, const double *f, double span, const double *q, double rtol, double atol)
{
    double moved[N], other[N];
    const double size = OF(mean_square)(y, y, rtol, atol), slope = OF(mean_square)(f, y, rtol, atol);
    const double h0 = fmin(fmin(size, slope) < 1e-5 ? 1e-6 : 0.01 * size / slope, span);
    for (int i = 0; i < N; i++)
        moved[i] = y[i] + h0 * f[i];
    RATES(scalar)(moved, q, other);
    for (int i = 0; i < N; i++)
        other[i] -= f[i];
    const double steepest = fmax(slope, OF(mean_square)(other, y, rtol, atol) / h0);
    return fmin(100 * h0, steepest > 1e-15 ? pow(0.01 / steepest, 0.125) : fmax(1e-6, h0 * 1e-3));
}

/* y (N) to t_end; returns the number of steps tried, -1 where it cannot go on. The controller is that of the library. */
long OF(single)(double *y, const double *p, double t_end, double rtol, double atol)
{
    double q[6], f[N], y_new[N], t = 0, e5, e3, largest = 10;
    OF(constants)(p, q);
    RATES(scalar)(y, q, f);
    double h = OF(first_step)(y, f, t_end, q, rtol, atol);
    for (long tried = 1;; tried++) {
        const int last = t_end - t <= 1.01 * h;
        if (last)
            h = t_end - t;
        OF(step_scalar)(y, f, h, q, rtol, atol, y_new, &e5, &e3);
        const double error = e5 ? h * e5 / sqrt(N * (e5 + 0.01 * e3)) : 0;
        const double growth = error ? fmax(0.2, 0.9 * pow(error, -0.125)) : 10;
        if (error <= 1) {
            memcpy(y, y_new, sizeof y_new);
            if (last)
                return tried;
            t += h;
            RATES(scalar)(y, q, f);
            h *= fmin(largest, growth);
            largest = 10;
        } else {
            h *= error > 1 ? fmin(1, growth) : 0.25;
            largest = 1;
            if (!(h > 1e-15 * fabs(t)))
                return -1;
        }
    }
}

/* Many motions: every lane has its own time and step, and takes a new start when it is done.
   Y has N numbers a row, which become those at t_end; returns the number of lane steps, idle ones included. */
long OF(ensemble)(long count, double *Y, const double *p, double t_end, double rtol, double atol)
{
    double q[6];
    lanes y[N], f[N], y_new[N], t, h, largest, e5, e3;
    masks alive;
    long row[LANES], next = 0, running = 0, tried = 0;
    OF(constants)(p, q);
    for (int l = 0; l < LANES; l++) {
        row[l] = -1;
        t[l] = h[l] = 0;
        largest[l] = 10;
        alive[l] = 0;
        for (int i = 0; i < N; i++)
            y[i][l] = Y[i];
    }
    masks finished = alive == 0;
    for (;;) {
        int refill = 0;
        for (int l = 0; l < LANES; l++)
            refill |= finished[l] != 0;
        if (refill) {
            for (int l = 0; l < LANES; l++)
                if (finished[l]) {
                    if (row[l] >= 0) {
                        for (int i = 0; i < N; i++)
                            Y[N * row[l] + i] = y[i][l];
                        running--;
                    }
                    row[l] = -1;
                    t[l] = h[l] = 0;
                    alive[l] = 0;
                    if (next < count) {
                        double slope[N];
                        RATES(scalar)(Y + N * next, q, slope);
                        h[l] = OF(first_step)(Y + N * next, slope, t_end, q, rtol, atol);
                        for (int i = 0; i < N; i++)
                            y[i][l] = Y[N * next + i];
                        alive[l] = -1;
                        largest[l] = 10;
                        row[l] = next++;
                        running++;
                    }
                }
            if (!running)
                return tried;
            RATES(lanes)(y, q, f);
        }
        const masks last = t_end - t <= 1.01 * h;
        h = choose(last & alive, t_end - t, h);
        OF(step_lanes)(y, f, h, q, rtol, atol, y_new, &e5, &e3);
        const lanes error = h * e5 / square_root((double)N * (e5 + 0.01 * e3) + 1e-300);
        const lanes root = square_root(square_root(square_root(larger(error, error - error + 1e-12))));
        const masks good = (error <= 1) & alive;
        const lanes growth = 0.9 / root;
        /* growth within 0.2 and 10; 0.25 where the error is not a number */
        const lanes limit = choose(good, largest, error - error + 1);
        lanes factor = larger(growth, h - h + 0.2);
        factor = choose(factor < limit, factor, limit);
        factor = choose(error == error, factor, h - h + 0.25);
        for (int i = 0; i < N; i++)
            y[i] = choose(good, y_new[i], y[i]);
        t = choose(good, t + h, t);
        largest = choose(good, h - h + 10, h - h + 1);
        finished = good & last;
        h = choose(alive, h * factor, h - h);
        RATES(lanes)(y, q, f);
        tried += LANES;
    }
}

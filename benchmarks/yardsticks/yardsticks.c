/* Yardsticks: the rolling disc in C, as well as we can write it. Built by benchmarks/yardsticks/__init__.py. */

#include <math.h>
#include <string.h>

#include "generated.h" /* the tableau of DOP853, ROW_1 .. ROW_12, E5, E3, and the polynomials of sine and cosine */

#define INLINE static inline __attribute__((always_inline))

/* --- one state ---------------------------------------------------------------------------------------------------- */

#define REAL double
#define NAME(f) f##_scalar
#define SINCOS(x, s, c) ((s) = sin(x), (c) = cos(x))
#include "disc.h"
#undef REAL
#undef NAME
#undef SINCOS

/* --- LANES states at once ----------------------------------------------------------------------------------------- */

#ifndef LANES
#define LANES 8
#endif
typedef double lanes __attribute__((vector_size(8 * LANES)));
typedef long long masks __attribute__((vector_size(8 * LANES)));

INLINE lanes choose(masks where, lanes a, lanes b) { return (lanes)((where & (masks)a) | (~where & (masks)b)); }
INLINE lanes size_of(lanes a) { return (lanes)((masks)a & 0x7fffffffffffffffLL); }
INLINE lanes larger(lanes a, lanes b) { return choose(a > b, a, b); }
INLINE lanes square_root(lanes a)
{
    lanes root;
    for (int l = 0; l < LANES; l++)
        root[l] = sqrt(a[l]);
    return root;
}

/* Cody-Waite reduction by pi/2 in three parts and a polynomial on each eighth of the circle: good for |x| < 1e6. */
INLINE void sine_cosine(lanes x, lanes *s, lanes *c)
{
    const double magic = 6755399441055744.0; /* 1.5 2^52: adding it rounds to an integer, found in the low bits */
    const lanes shifted = x * 0.63661977236758134308 + magic, n = shifted - magic;
    const masks quadrant = (masks)shifted;
    lanes z = x - n * HALF_PI_1;
    z = z - n * HALF_PI_2;
    z = z - n * HALF_PI_3;
    const lanes zz = z * z, sine = z + z * zz * SINE(zz), cosine = 1.0 - 0.5 * zz + zz * zz * COSINE(zz);
    const masks odd = (quadrant & 1) != 0;
    *s = (lanes)((masks)choose(odd, cosine, sine) ^ ((quadrant & 2) << 62));
    *c = (lanes)((masks)choose(odd, sine, cosine) ^ (((quadrant + 1) & 2) << 62));
}

#define REAL lanes
#define NAME(f) f##_lanes
#define SINCOS(x, s, c) sine_cosine(x, &(s), &(c))
#include "disc.h"

/* --- right-hand sides over many states: Y and OUT have 10 numbers a row ------------------------------------------- */

#define BATCHES(which)                                                                             \
    void which##_rows(long count, const double *Y, const double *p, double *out)                   \
    {                                                                                              \
        for (long i = 0; i < count; i++)                                                           \
            which##_scalar(Y + 10 * i, p, out + 10 * i);                                           \
    }                                                                                              \
    void which##_simd(long count, const double *Y, const double *p, double *out)                   \
    {                                                                                              \
        for (long first = 0; first + LANES <= count; first += LANES) {                             \
            lanes y[10], d[10];                                                                    \
            for (int l = 0; l < LANES; l++)                                                        \
                for (int i = 0; i < 10; i++)                                                       \
                    y[i][l] = Y[10 * (first + l) + i];                                             \
            which##_lanes(y, p, d);                                                                \
            for (int l = 0; l < LANES; l++)                                                        \
                for (int i = 0; i < 10; i++)                                                       \
                    out[10 * (first + l) + i] = d[i][l];                                           \
        }                                                                                          \
        for (long i = count - count % LANES; i < count; i++)                                       \
            which##_scalar(Y + 10 * i, p, out + 10 * i);                                           \
    }                                                                                              \
    /* the layout that suits SIMD: component i of state j at Y[i * count + j]; count divides by LANES */ \
    void which##_columns(long count, const double *Y, const double *p, double *out)                \
    {                                                                                              \
        for (long first = 0; first + LANES <= count; first += LANES) {                             \
            lanes y[10], d[10];                                                                    \
            for (int i = 0; i < 10; i++)                                                           \
                memcpy(&y[i], Y + i * count + first, sizeof(lanes));                               \
            which##_lanes(y, p, d);                                                                \
            for (int i = 0; i < 10; i++)                                                           \
                memcpy(out + i * count + first, &d[i], sizeof(lanes));                             \
        }                                                                                          \
    }
BATCHES(unreduced)
BATCHES(thought)

/* --- motions ------------------------------------------------------------------------------------------------------ */

static void constants_reduced(const double *p, double *q)
{
    const double m = p[0], r = p[1], A = p[2], C = p[3], g = p[4], mr2 = m * r * r;
    q[0] = r;
    q[1] = A / (A + mr2);
    q[2] = (C + mr2) / (A + mr2);
    q[3] = m * g * r / (A + mr2);
    q[4] = C / A;
    q[5] = mr2 / (C + mr2);
}

static void constants_unreduced(const double *p, double *q) { memcpy(q, p, 5 * sizeof(double)); }

#define N 8
#define OF(f) f##_reduced
#define RATES(kind) reduced_##kind
#include "motion.h"
#undef N
#undef OF
#undef RATES

#define N 10
#define OF(f) f##_unreduced
#define RATES(kind) unreduced_##kind
#include "motion.h"

/* One step of DOP853 for N numbers of type REAL with dy/dt = RHS(y, q): from y with f(y) = k0 to the new state and the
   sums of squares of its two scaled errors. */
INLINE void STEP(const REAL *y, const REAL *k0, REAL h, const double *q, double rtol, double atol, REAL *y_new,
                        REAL *e5, REAL *e3)
{
    REAL k[12][N], point[N];
    for (int i = 0; i < N; i++)
        k[0][i] = k0[i];
#define K(j) k[j][i]
#define STAGE(s)                          \
    for (int i = 0; i < N; i++)           \
        point[i] = y[i] + h * ROW_##s(K); \
    RHS(point, q, k[s]);
    STAGE(1)
    STAGE(2)
    STAGE(3)
    STAGE(4)
    STAGE(5)
    STAGE(6)
    STAGE(7)
    STAGE(8)
    STAGE(9)
    STAGE(10)
    STAGE(11)
    *e5 = *e3 = h - h;
    for (int i = 0; i < N; i++) {
        y_new[i] = y[i] + h * ROW_12(K);
        const REAL size = LARGER(y[i], y_new[i]);
        const REAL weight = 1.0 / (atol + rtol * size), d5 = E5(K) * weight, d3 = E3(K) * weight;
        *e5 += d5 * d5;
        *e3 += d3 * d3;
    }
#undef STAGE
#undef K
}

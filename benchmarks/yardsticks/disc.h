/* The rolling disc, written for one number type REAL; included once for doubles and once for SIMD lanes.

   L = m/2 (vx^2 + vy^2 + r^2 cos(theta)^2 vtheta^2) + A/2 (vtheta^2 + sin(theta)^2 vphi^2)
       + C/2 (vpsi + cos(theta) vphi)^2 - m g r sin(theta)
   vx cos(phi) + vy sin(phi) - r sin(theta) vtheta = 0
   vy cos(phi) - vx sin(phi) + r (cos(theta) vphi + vpsi) = 0

   p = m, r, A, C, g. The user of this header defines REAL, NAME(f) and SINCOS(x, s, c). */

/* As the user wrote it: y = x, y, theta, phi, psi and their velocities.
   M a = f + N^T lam, N a = d, by elimination of a, then of lam; the zeros of M and N are left out by hand. */
INLINE void NAME(unreduced)(const REAL *y, const double *p, REAL *out)
{
    const double m = p[0], r = p[1], A = p[2], C = p[3], g = p[4];
    const double mr2 = m * r * r;
    const REAL vx = y[5], vy = y[6], vth = y[7], vph = y[8], vps = y[9];
    REAL s, c, sp, cp;
    SINCOS(y[2], s, c);
    SINCOS(y[3], sp, cp);
    const REAL w = vps + c * vph;
    /* M = diag(m, m, Mt, [[a, b], [b, C]]) */
    const REAL Mt = A + mr2 * c * c, a = A * s * s + C * c * c, b = C * c;
    const REAL fth = (mr2 * vth * vth + A * vph * vph) * s * c - C * w * s * vph - m * g * r * c;
    const REAL fph = (C * w - 2.0 * A * c * vph + C * c * vph) * s * vth;
    const REAL fps = C * s * vth * vph;
    /* N = [cp, sp, -r s, 0, 0], [-sp, cp, 0, r c, r] */
    const REAL d1 = (vx * sp - vy * cp) * vph + r * c * vth * vth;
    const REAL d2 = (vx * cp + vy * sp) * vph + r * s * vth * vph;
    /* M^-1 f and M^-1 N^T */
    const REAL iMt = 1.0 / Mt, ia = 1.0 / a, l = b * ia, ids = 1.0 / (C - b * l);
    const double im = 1.0 / m;
    const REAL ath = fth * iMt, n1th = -r * s * iMt;
    const REAL aps = (fps - l * fph) * ids, aph = (fph - b * aps) * ia;
    const REAL n2ps = (r - l * r * c) * ids, n2ph = (r * c - b * n2ps) * ia;
    /* S = N M^-1 N^T and d - N M^-1 f */
    const REAL S11 = (cp * cp + sp * sp) * im - r * s * n1th;
    const REAL S12 = (cp * sp - sp * cp) * im;
    const REAL S22 = (cp * cp + sp * sp) * im + r * c * n2ph + r * n2ps;
    const REAL e1 = d1 + r * s * ath, e2 = d2 - r * c * aph - r * aps;
    const REAL iS = 1.0 / S11, q = S12 * iS;
    const REAL lam2 = (e2 - q * e1) / (S22 - q * S12), lam1 = (e1 - S12 * lam2) * iS;
    out[0] = vx;
    out[1] = vy;
    out[2] = vth;
    out[3] = vph;
    out[4] = vps;
    out[5] = (cp * lam1 - sp * lam2) * im;
    out[6] = (sp * lam1 + cp * lam2) * im;
    out[7] = ath + n1th * lam1;
    out[8] = aph + n2ph * lam2;
    out[9] = aps + n2ps * lam2;
}

/* The same saddle system, thought through: cos^2 + sin^2 = 1, the rows are orthogonal, psi is eliminated first. */
INLINE void NAME(thought)(const REAL *y, const double *p, REAL *out)
{
    const double m = p[0], r = p[1], A = p[2], C = p[3], g = p[4];
    const double mr2 = m * r * r, im = 1.0 / m, iC = 1.0 / C, iA = 1.0 / A, iA1 = 1.0 / (A + mr2), iC1 = 1.0 / (C + mr2);
    const REAL vx = y[5], vy = y[6], vth = y[7], vph = y[8], vps = y[9];
    REAL s, c, sp, cp;
    SINCOS(y[2], s, c);
    SINCOS(y[3], sp, cp);
    const REAL w = vps + c * vph, Mt = A + mr2 * c * c, iMt = 1.0 / Mt;
    const REAL fth = (mr2 * vth * vth + A * vph * vph) * s * c - C * w * s * vph - m * g * r * c;
    const REAL d1 = (vx * sp - vy * cp) * vph + r * c * vth * vth;
    const REAL d2 = (vx * cp + vy * sp) * vph + r * s * vth * vph;
    /* M^-1 f:  A sin^2 aph = fph - cos fps,  C aps = fps - C cos aph;  M^-1 N2^T = 0, r/C in phi, psi */
    const REAL aph = (C * w - 2.0 * A * c * vph) * vth * iA / s, aps = s * vth * vph - c * aph;
    const REAL ath = fth * iMt;
    /* S11 = 1/m + r^2 s^2/Mt = (A + m r^2)/(m Mt),  S22 = 1/m + r^2/C = (C + m r^2)/(m C) */
    const REAL lam1 = (d1 + r * s * ath) * (m * iA1) * Mt;
    const REAL lam2 = (d2 - r * (c * aph + aps)) * (m * C * iC1);
    out[0] = vx;
    out[1] = vy;
    out[2] = vth;
    out[3] = vph;
    out[4] = vps;
    out[5] = (cp * lam1 - sp * lam2) * im;
    out[6] = (sp * lam1 + cp * lam2) * im;
    out[7] = ath - r * s * iMt * lam1;
    out[8] = aph;
    out[9] = aps + r * iC * lam2;
}

/* Reduced by hand: y = x, y, theta, phi, psi, vtheta, vphi, w = vpsi + cos(theta) vphi; q = `constants` of p. */
INLINE void NAME(reduced)(const REAL *y, const double *q, REAL *out)
{
    const REAL vth = y[5], vph = y[6], w = y[7];
    REAL s, c, sp, cp;
    SINCOS(y[2], s, c);
    SINCOS(y[3], sp, cp);
    const REAL along = q[0] * s * vth, across = q[0] * w;
    out[0] = cp * along + sp * across;
    out[1] = sp * along - cp * across;
    out[2] = vth;
    out[3] = vph;
    out[4] = w - vph * c;
    out[5] = (q[1] * vph * c - q[2] * w) * vph * s - q[3] * c;
    out[6] = (q[4] * w - 2.0 * c * vph) * vth / s;
    out[7] = q[5] * vth * vph * s;
}

// The special functions of `special.bin`, each as a function of numbers: those of xsf, by SciPy's names.
// `build_special.py` compiles this file.
#include <new>
#include <xsf/airy.h>
#include <xsf/bessel.h>
#include <xsf/beta.h>
#include <xsf/convex_analysis.h>
#include <xsf/digamma.h>
#include <xsf/ellip.h>
#include <xsf/erf.h>
#include <xsf/expint.h>
#include <xsf/fresnel.h>
#include <xsf/gamma.h>
#include <xsf/hyp2f1.h>
#include <xsf/lambertw.h>
#include <xsf/log.h>
#include <xsf/sici.h>
#include <xsf/specfun.h>
#include <xsf/sph_bessel.h>
#include <xsf/stats.h>
#include <xsf/zeta.h>
#include <xsf/cephes/erfinv.h>

#define F(name) extern "C" double special_##name
F(digamma)(double x) { return xsf::digamma(x); }
F(zeta)(double x, double q) { return xsf::zeta(x, q); }
F(gammainc)(double a, double x) { return xsf::gammainc(a, x); }
F(gammaincc)(double a, double x) { return xsf::gammaincc(a, x); }
F(gammaincinv)(double a, double x) { return xsf::gammaincinv(a, x); }
F(gammainccinv)(double a, double x) { return xsf::gammainccinv(a, x); }
F(betainc)(double a, double b, double x) {
    if (x >= 0 && x <= 1 && (a == 0) != (b == 0) && a >= 0 && b >= 0) return a == 0 ? x > 0 : x == 1;
    return xsf::cephes::incbet(a, b, x);
}
F(betaincinv)(double a, double b, double y) {
    return a > 0 && b > 0 && y >= 0 && y <= 1 ? xsf::cephes::incbi(a, b, y) : NAN;
}
F(betaln)(double a, double b) { return xsf::betaln(a, b); }
F(beta)(double a, double b) { return xsf::beta(a, b); }
F(erfinv)(double x) { return xsf::cephes::erfinv(x); }
F(erfcinv)(double x) { return xsf::cephes::erfcinv(x); }
F(erfcx)(double x) { return xsf::erfcx(x); }
F(ndtri)(double x) { return xsf::ndtri(x); }
F(log_ndtr)(double x) { return xsf::log_ndtr(x); }
F(dawsn)(double x) { return xsf::dawsn(x); }
F(j0)(double x) { return xsf::cyl_bessel_j0(x); }
F(j1)(double x) { return xsf::cyl_bessel_j1(x); }
F(y0)(double x) { return xsf::cyl_bessel_y0(x); }
F(y1)(double x) { return xsf::cyl_bessel_y1(x); }
F(i0)(double x) { return xsf::cyl_bessel_i0(x); }
F(i1)(double x) { return xsf::cyl_bessel_i1(x); }
F(i0e)(double x) { return xsf::cyl_bessel_i0e(x); }
F(i1e)(double x) { return xsf::cyl_bessel_i1e(x); }
F(k0)(double x) { return xsf::cyl_bessel_k0(x); }
F(k1)(double x) { return xsf::cyl_bessel_k1(x); }
F(k0e)(double x) { return xsf::cyl_bessel_k0e(x); }
F(k1e)(double x) { return xsf::cyl_bessel_k1e(x); }
F(jv)(double v, double x) { return xsf::cyl_bessel_j(v, x); }
F(yv)(double v, double x) { return xsf::cyl_bessel_y(v, x); }
F(iv)(double v, double x) { return xsf::cyl_bessel_i(v, x); }
F(ive)(double v, double x) { return xsf::cyl_bessel_ie(v, x); }
F(kv)(double v, double x) { return xsf::cyl_bessel_k(v, x); }
F(kve)(double v, double x) { return xsf::cyl_bessel_ke(v, x); }
F(sph_jn)(double n, double x) { return n >= 0 && n < 1e5 ? xsf::sph_bessel_j((long)n, x) : NAN; }
F(ellipk)(double m) { return xsf::ellipk(m); }
F(ellipe)(double m) { return xsf::ellipe(m); }
F(sn)(double u, double m) { double s = NAN, c = NAN, d = NAN, p = NAN; xsf::ellipj(u, m, s, c, d, p); return s; }
F(cn)(double u, double m) { double s = NAN, c = NAN, d = NAN, p = NAN; xsf::ellipj(u, m, s, c, d, p); return c; }
F(dn)(double u, double m) { double s = NAN, c = NAN, d = NAN, p = NAN; xsf::ellipj(u, m, s, c, d, p); return d; }
F(am)(double u, double m) { double s = NAN, c = NAN, d = NAN, p = NAN; xsf::ellipj(u, m, s, c, d, p); return p; }
F(expi)(double x) { return xsf::expi(x); }
F(exp1)(double x) { return xsf::exp1(x); }

F(si)(double x) { double s = NAN, c = NAN; xsf::sici(x, s, c); return s; }
F(ci)(double x) { double s = NAN, c = NAN; xsf::sici(x, s, c); return c; }
F(fresnel_s)(double x) { double s = NAN, c = NAN; xsf::fresnel(x, s, c); return s; }
F(fresnel_c)(double x) { double s = NAN, c = NAN; xsf::fresnel(x, s, c); return c; }
F(lambertw)(double x, double k) {
    std::complex<double> w = xsf::lambertw(std::complex<double>(x, 0.0), (long)k, 1e-16);
    return std::imag(w) == 0 ? std::real(w) : NAN;
}
F(hyp2f1)(double a, double b, double c, double x) { return xsf::hyp2f1(a, b, c, x); }
F(hyp1f1)(double a, double b, double x) { return xsf::hyp1f1(a, b, x); }
F(ai)(double x) { double a = NAN, b = NAN, c = NAN, d = NAN; xsf::airy(x, a, b, c, d); return a; }
F(aip)(double x) { double a = NAN, b = NAN, c = NAN, d = NAN; xsf::airy(x, a, b, c, d); return b; }
F(bi)(double x) { double a = NAN, b = NAN, c = NAN, d = NAN; xsf::airy(x, a, b, c, d); return c; }
F(bip)(double x) { double a = NAN, b = NAN, c = NAN, d = NAN; xsf::airy(x, a, b, c, d); return d; }
F(xlogy)(double x, double y) { return xsf::xlogy(x, y); }
F(xlog1py)(double x, double y) { return xsf::xlog1py(x, y); }
F(entr)(double x) { return xsf::entr(x); }
F(rel_entr)(double x, double y) { return xsf::rel_entr(x, y); }
F(kl_div)(double x, double y) { return xsf::kl_div(x, y); }
F(riemann_zeta)(double x) { return xsf::cephes::riemann_zeta(x); }
F(jn)(double n, double x) { return std::fabs(n) < 1e4 ? jn((int)n, x) : NAN; }  // musl's

// The densities whose integrals are gammainc and betainc, also where a shape is not above 0: derivatives have those.

static double at_zero(double a, double factor) {
    return a > 1 ? 0 : a == 1 ? factor : a <= 0 && a == std::floor(a) ? 0 : factor * INFINITY;
}

F(gamma_density)(double a, double x) {
    if (std::isnan(a) || std::isnan(x) || x < 0) return NAN;
    if (x == 0) return at_zero(a, xsf::cephes::rgamma(a));
    if (std::isinf(x) || std::isinf(a)) return 0;
    if (a > 0) return xsf::cephes::detail::igam_fac(a, x) / x;
    return std::pow(x, a - 1) * std::exp(-x) * xsf::cephes::rgamma(a);
}

static double stirling(double z) {  // log(Gamma(z)) without the terms of Stirling's formula, from 10 on: DLMF 5.11.1
    double w = 1 / (z * z);
    return (((((-691.0 / 360360 * w + 1.0 / 1188) * w - 1.0 / 1680) * w + 1.0 / 1260) * w - 1.0 / 360) * w + 1.0 / 12) / z;
}

F(beta_density)(double a, double b, double x) {
    if (std::isnan(a) || std::isnan(b) || std::isnan(x) || x < 0 || x > 1) return NAN;
    if (a <= 0 || b <= 0 || x == 0 || x == 1) {
        double factor = xsf::cephes::rgamma(a) * xsf::cephes::rgamma(b) / xsf::cephes::rgamma(a + b);
        if (x == 0) return at_zero(a, factor);
        if (x == 1) return at_zero(b, factor);
        return factor == 0 ? 0 : factor * std::pow(x, a - 1) * std::pow(1 - x, b - 1);
    }
    if (a < 10 || b < 10) {
        return std::exp(xsf::xlogy(a - 1, x) + xsf::xlog1py(b - 1, -x) - xsf::cephes::lbeta(a, b));
    }
    double n = a + b, p = a / n, q = b / n;
    double power = a * xsf::cephes::log1pmx((x - p) / p) + b * xsf::cephes::log1pmx((p - x) / q);
    double corrections = stirling(n) - stirling(a) - stirling(b);
    return std::sqrt(a / n * b / (2 * M_PI)) * std::exp(power + corrections) / (x * (1 - x));
}

// AMOS asks for one array, of one number. That it is no allocation is hidden from the compiler, which relies on it.
static double heap[16];

void *operator new[](size_t, const std::nothrow_t &) noexcept {
    void *p = heap;
    asm("" : "+r"(p));
    return p;
}

void operator delete[](void *p) noexcept { asm volatile("" : : "r"(p)); }

const std::nothrow_t std::nothrow;

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

// Moments of the logarithms, for derivatives in shapes: the integrals up to x of the densities, times powers of log(t)
// less its mean; or, of an x beyond the middle, minus the integral above x, which differs by what the rules of derivatives
// take from both alike, so that the tails are exact. Each order of a derivative in a shape is one power more.
// With t = x * exp(-u), or x * exp(u) above, the integrand falls by exp(-40) up to u = `end`; Gauss's rule of 40 nodes on
// up to three pieces, as short as what changes there, has an error of 1e-13.

static const double node[20] = {
    0.038772417506050821933, 0.11608407067525520848, 0.19269758070137109972, 0.26815218500725368114,
    0.34199409082575847301, 0.41377920437160500152, 0.48307580168617871291, 0.54946712509512820208,
    0.61255388966798023795, 0.67195668461417954838, 0.72731825518992710328, 0.77830565142651938769,
    0.8246122308333116632, 0.86595950321225950382, 0.90209880696887429673, 0.93281280827867653336,
    0.9579168192137916558, 0.97725994998377426266, 0.99072623869945700645, 0.99823770971055920035
};

static const double weight[20] = {
    0.077505947978424811264, 0.077039818164247965588, 0.076110361900626242372, 0.0747231690579682642,
    0.072886582395804059061, 0.070611647391286779695, 0.067912045815233903826, 0.064804013456601038075,
    0.061306242492928939167, 0.057439769099391551367, 0.053227846983936824355, 0.048695807635072232061,
    0.043870908185673271992, 0.03878216797447201764, 0.033460195282547847393, 0.027937006980023401098,
    0.022245849194166957262, 0.016421058381907888713, 0.010498284531152813615, 0.0045212770985331912585
};

template <typename F>
static double gauss(F f, double low, double high) {
    double half = 0.5 * (high - low), middle = low + half, sum = 0;
    for (int i = 0; i < 20; i++) sum += weight[i] * (f(middle - half * node[i]) + f(middle + half * node[i]));
    return half * sum;
}

template <typename F>
static double pieces(F f, double end, double first, double second) {
    double a = std::fmin(first, end), b = std::fmin(second, end), sum = gauss(f, 0, a);
    if (b > a) sum += gauss(f, a, b);
    return end > b ? sum + gauss(f, b, end) : sum;
}

// Where a convex function that grows from 0 is 40, by Newton's method, from where it is above that.
template <typename E, typename S>
static double end_of(E e, S slope, double u) {
    for (int i = 0; i < 60; i++) {
        double step = (e(u) - 40) / slope(u);
        u -= step;
        if (!(std::fabs(step) > 1e-3 * u)) break;
    }
    return u;
}

static double power(double x, int k) {
    double p = 1;
    for (; k > 0; k--) p *= x;
    return p;
}

static double gamma_below(int k, double a, double x, double mean) {  // x is at most a
    auto e = [=](double u) { return a * u + x * std::expm1(-u); };
    double end = end_of(e, [=](double u) { return a - x * std::exp(-u); }, (40 + x) / a), l = std::log(x) - mean;
    double sum = pieces([=](double u) { return std::exp(-e(u)) * power(l - u, k); }, end, 8, 40);
    return xsf::cephes::detail::igam_fac(a, x) * sum;
}

static double gamma_above(int k, double a, double x, double mean) {  // x is at least a
    auto e = [=](double u) { return x * std::expm1(u) - a * u; };
    double from = std::fmin(std::sqrt(80 / x), std::log1p(80 / x)) + (x < 2 * a + 80 ? std::log1p(80 / x) + 1 : 0);
    double end = end_of(e, [=](double u) { return x * std::exp(u) - a; }, from), l = std::log(x) - mean;
    double sum = pieces([=](double u) { return std::exp(-e(u)) * power(l + u, k); }, end,
                        std::fmax(end - 16, 0), std::fmax(end - 6, 0));
    return xsf::cephes::detail::igam_fac(a, x) * sum;
}

F(gamma_moment)(double order, double a, double x) {
    int k = (int)order;
    if (!(a > 0) || !(x >= 0) || std::isinf(a) || !(order < 99)) return NAN;
    if (k == 0) return x <= a ? xsf::gammainc(a, x) : -xsf::gammaincc(a, x);
    if (x == 0) return 0;
    double mean = xsf::digamma(a);
    return x <= a ? gamma_below(k, a, x, mean) : std::isinf(x) ? 0 : -gamma_above(k, a, x, mean);
}

static double beta_below(int j, int k, double a, double b, double x, double m, double n) {  // x is at most a / (a + b)
    double rest = std::log1p(-x), l = std::log(x) - m;
    auto e = [=](double u) { return a * u - b * (std::log1p(-x * std::exp(-u)) - rest); };
    auto slope = [=](double u) { double t = x * std::exp(-u); return a - b * t / (1 - t); };
    double end = end_of(e, slope, (40 - b * rest) / a);
    auto f = [=](double u) {
        double t = x * std::exp(-u);
        return std::exp(-e(u)) / (1 - t) * power(l - u, j) * power(std::log1p(-t) - n, k);
    };
    return special_beta_density(a, b, x) * x * (1 - x) * pieces(f, end, 8, 40);
}

F(beta_moment)(double first, double second, double a, double b, double x) {
    int j = (int)first, k = (int)second;
    if (!(a > 0) || !(b > 0) || !(x >= 0 && x <= 1) || std::isinf(a) || std::isinf(b)) return NAN;
    if (!(first < 99) || !(second < 99)) return NAN;
    if (x == 0 || x == 1) return 0;
    double mean = xsf::digamma(a + b), m = xsf::digamma(a) - mean, n = xsf::digamma(b) - mean, p = a / (a + b);
    if (j + k == 0) return x <= p ? xsf::cephes::incbet(a, b, x) : -xsf::cephes::incbet(b, a, 1 - x);
    return x <= p ? beta_below(j, k, a, b, x, m, n) : -beta_below(k, j, b, a, 1 - x, n, m);
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

// The path of a robot between obstacles, short, smooth and clear of them.
// In: the waypoints, then the centres and the radii of the obstacles.
#include "program.h"
#include <math.h>

enum { POINTS = WAYPOINTS + 2 };

static double path[POINTS][2], velocity[POINTS - 1][2], d_path[POINTS][2], d_velocity[POINTS - 1][2];

void adjoint(const double *restrict in, double *restrict out) {
    const double *centres = in + 2 * WAYPOINTS, *radii = centres + 2 * OBSTACLES;
    double short_ = 0, smooth = 0, danger = 0;
    for (int c = 0; c < 2; c++) {
        path[0][c] = start[c];
        path[POINTS - 1][c] = goal[c];
        for (int i = 0; i < WAYPOINTS; i++) path[i + 1][c] = in[2 * i + c];
    }
    for (int i = 0; i < POINTS; i++) d_path[i][0] = d_path[i][1] = 0;
    for (int i = 0; i < POINTS - 1; i++) {
        for (int c = 0; c < 2; c++) {
            velocity[i][c] = path[i + 1][c] - path[i][c];
            short_ += velocity[i][c] * velocity[i][c];
            d_velocity[i][c] = 40 * velocity[i][c];
        }
    }
    for (int i = 0; i < POINTS - 2; i++) {
        for (int c = 0; c < 2; c++) {
            double a = velocity[i + 1][c] - velocity[i][c];
            smooth += a * a;
            d_velocity[i + 1][c] += 800 * a;
            d_velocity[i][c] -= 800 * a;
        }
    }
    for (int i = 0; i < POINTS - 1; i++) {
        for (int c = 0; c < 2; c++) {
            d_path[i + 1][c] += d_velocity[i][c];
            d_path[i][c] -= d_velocity[i][c];
        }
    }
    for (int i = 1; i < POINTS - 1; i++) {
        const double x = path[i][0], y = path[i][1];
        double clearance = 0, distance = 0;
        int nearest = 0;
        for (int k = 0; k < OBSTACLES; k++) {
            double dx = x - centres[2 * k], dy = y - centres[2 * k + 1], l = sqrt(dx * dx + dy * dy);
            if (k == 0 || l - radii[k] < clearance) {
                nearest = k;
                distance = l;
                clearance = l - radii[k];
            }
        }
        double cost = 0, slope = 0;
        if (clearance < 0) {
            cost = margin[0] / 2 - clearance;
            slope = -1;
        } else if (clearance < margin[0]) {
            cost = (clearance - margin[0]) * (clearance - margin[0]) / (2 * margin[0]);
            slope = (clearance - margin[0]) / margin[0];
        }
        double vx = path[i + 1][0] - path[i - 1][0], vy = path[i + 1][1] - path[i - 1][1];
        double speed = sqrt(vx * vx + vy * vy), d_speed = 5 * cost / speed, d = 5 * slope * speed / distance;
        danger += cost * speed;
        d_path[i][0] += d * (x - centres[2 * nearest]);
        d_path[i][1] += d * (y - centres[2 * nearest + 1]);
        d_path[i + 1][0] += d_speed * vx;
        d_path[i + 1][1] += d_speed * vy;
        d_path[i - 1][0] -= d_speed * vx;
        d_path[i - 1][1] -= d_speed * vy;
    }
    for (int i = 0; i < WAYPOINTS; i++)
        for (int c = 0; c < 2; c++) out[1 + 2 * i + c] = d_path[i + 1][c];
    out[0] = 20 * short_ + 400 * smooth + 5 * danger;
}

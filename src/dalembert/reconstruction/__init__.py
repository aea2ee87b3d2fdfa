"""From a reduced motion back to the full one, and what a loop of the shape leaves behind.

A reduction (`geometry.reduction`) drops the coordinates of a group and says how: the shape that is left, the velocities
u = Z v, and, where the frame was carried along, the group's velocity zeta on a slice. This room goes the other way. It
needs numbers, so it stands above both the geometry and the trajectory.

    full_state      a full start with every name and number checked
    reconstruct     `reduced_start`, the reduced state: the shape, the place on the slice, and v with u = Z v; and
                    `reconstruct`, the full motion: the group's coordinates follow, one of three ways

        quadratures      the group leaves the frame alone: coordinates by quadrature, in the order of their dependence
        slice            a slice has coordinates of its own: the group turns the velocities, the same everywhere
        carried frame    the frame was carried along: the group's motion is integrated beside, with its adjoint Ad

    holonomy        two reconstructions over a closed loop, of the motion and of its horizontal part: the total
                    displacement, the geometric phase, and what is left, the dynamic phase; it tells when a
                    reduced motion is back, whole turns apart
    gauge_momenta   momenta transported along one shape coordinate: constants that come from no symmetry;
                    `poles_between` looks for a pole of the transport on the way
    phases          how fast, and how far, a motion goes along the directions of the group
    acting_group    the group as what finds and follows motions up to it asks for it

`slice` leads to a slice of the group; it evaluates expressions along a motion and integrates small systems to rounding.
An example, from the full start to the full motion:

    reduction = da.reduce(system)
    small = da.nonholonomic(reduction.system)
    path = da.simulate(small, da.reduced_start(reduction, start), until=10)
    da.reconstruct(reduction, path, start)

Reconstruction and the nonholonomic connection are those of [bloch1996]; the gauge momenta those of [cushman1995] and
[fasso2008].
"""

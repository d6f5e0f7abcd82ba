"""The bound for one layer of low-rank heads, derived in short: docs/rank-bound.md has all steps."""

STEPS = (
    "x₁, x₂ are orthonormal, y is uniform on the sphere. With u = (x₁ − x₂)/√2 and v = (x₁ + "
    "x₂)/√2 the target, the nearer of the two to y, is (v + sgn⟨u,y⟩ u)/√2. A head of rank r "
    "gives V (v + g u)/√2 with g any function of Kᵀx₁, Kᵀx₂ and y, K of d × r.",
    "1. Keep the part of the error along u: error ≥ ½ E(sgn⟨u,y⟩ − Σ uᵀVv − Σ g uᵀVu)².",
    "2. Take the mean over v given u and y, which cannot make it larger: uᵀVv has the mean 0, "
    "and g becomes a function G of Kᵀu and y alone.",
    "3. Expand in spherical harmonics of u, degree by degree. The part of degree l of a "
    "function of Kᵀu lies in the harmonics that rotations about the range of K leave alone: "
    "M(r, l) = C(r + l − 1, l) dimensions of N(l). For any V it is M(r, l − 2) + M(r, l) + M(r,"
    " l + 2); values that see an encoding add M(r, l − 1), for any V another M(r, l).",
    "4. Two ranges meet in at least 2r − d dimensions, so H heads together reach at most D(l) ="
    " H M(r, l) − (H − 1) M(2r − d, l) dimensions, whatever y is.",
    "5. The part of degree l of sgn⟨u,y⟩ has the energy e(l) = N(l) s(l)², s(l) = B(l/2, d/2)/π"
    " for odd l and 0 for even l, and in the mean over y lies evenly on all N(l) harmonics "
    "(addition theorem).",
    "6. So at least the share 1 − D(l)/N(l) of it is missed: error ≥ ½ Σ over odd l of e(l) "
    "max(0, 1 − D(l)/N(l)).",
    "It is of two points, orthogonal or independent and uniform, of one layer whose output is the "
    "sum of its heads with no MLP behind, and of heads that see the points through Kᵀx alone.",
)

"""Operations of PyTorch that stay as they are: they have no machine code of their own."""

# Functions of elements that PyTorch compiles with NVRTC when they are used.
COMPILED = {
    "digamma", "polygamma", "gcd", "lcm", "special_airy_ai", "special_chebyshev_polynomial_t",
    "special_chebyshev_polynomial_u", "special_chebyshev_polynomial_v", "special_chebyshev_polynomial_w",
    "special_entr", "special_hermite_polynomial_h", "special_hermite_polynomial_he", "special_i0e", "special_i1e",
    "special_laguerre_polynomial_l", "special_legendre_polynomial_p", "special_log_ndtr",
    "special_modified_bessel_k0", "special_modified_bessel_k1", "special_scaled_modified_bessel_k0",
    "special_scaled_modified_bessel_k1", "special_shifted_chebyshev_polynomial_t",
    "special_shifted_chebyshev_polynomial_u", "special_shifted_chebyshev_polynomial_v",
    "special_shifted_chebyshev_polynomial_w", "special_spherical_bessel_j0", "special_zeta",
}
# Functions that cuSOLVER, cuBLAS and cuFFT carry out, for which these have PTX or stand-ins of ours.
OF_LIBRARIES = {
    "_cholesky_solve_helper", "_fft_c2c", "_fft_c2r", "_linalg_det", "_linalg_eigh",
    "_linalg_slogdet", "_linalg_solve_ex", "_linalg_svd", "cholesky_inverse", "geqrf", "linalg_cholesky_ex",
    "linalg_householder_product", "linalg_inv_ex", "linalg_ldl_factor_ex", "linalg_ldl_solve",
    "linalg_lstsq", "linalg_lu", "linalg_lu_factor_ex", "linalg_lu_solve", "linalg_qr", "linalg_solve_triangular",
    "ormqr", "triangular_solve",
}
# Operations that are made of others.
COMPOSED = {"_to_sparse_bsc", "_to_sparse_bsr", "_to_sparse_csc", "_to_sparse_csr"}
NAMES = COMPILED | OF_LIBRARIES | COMPOSED
# Operations of which functions of ours leave a part to PyTorch's own.
IN_PART = ("aten::_fft_r2c", )

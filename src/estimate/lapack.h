// LAPACK by LAPACKE, loaded when it is needed: it brings BLAS and Fortran along, six libraries that every program would
// load otherwise. Matrices are stored by columns. Functions return 0, or what is wrong as LAPACK says it.
#ifndef LIMB_ESTIMATE_LAPACK_H
#define LIMB_ESTIMATE_LAPACK_H

enum { BY_COLUMNS = 102 }; // LAPACK_COL_MAJOR

// Names of LAPACKE without LAPACKE_; int is its integer (LP64).
#define LAPACK_FUNCTIONS(X)                                                                                           \
  X(dtpqrt_work, (int order, int m, int n, int l, int nb, double* A, int lda, double* B, int ldb, double* T, int ldt, \
                  double* work))                                                                                      \
  X(dgeqp3, (int order, int m, int n, double* A, int lda, int* pivot, double* tau))                                   \
  X(dormqr, (int order, char side, char trans, int m, int n, int k, const double* A, int lda, const double* tau,      \
             double* C, int ldc))                                                                                     \
  X(dtrtrs,                                                                                                           \
    (int order, char uplo, char trans, char diag, int n, int columns, const double* A, int lda, double* B, int ldb))  \
  X(dtrtri, (int order, char uplo, char diag, int n, double* A, int lda))                                             \
  X(dgesvd, (int order, char jobu, char jobv, int m, int n, double* A, int lda, double* sigma, double* U, int ldu,    \
             double* V, int ldv, double* superdiagonal))                                                              \
  X(dposv, (int order, char uplo, int n, int columns, double* A, int lda, double* B, int ldb))

typedef struct limb_lapack {
#define LAPACK_MEMBER(name, parameters) int(*name) parameters;
  LAPACK_FUNCTIONS(LAPACK_MEMBER)
#undef LAPACK_MEMBER
} limb_lapack;

// The functions; NULL if LAPACKE cannot be loaded. Any thread.
const limb_lapack* limb_lapack_load(void);

#endif

// The public calls of limb/batch.h over one type of numbers: text that batch/batch_calls.c includes once for each type.
//
//   real         the type
//   TYPE         its limb_batch_type
//   KERNELS      member of limb_batch that holds its kernels
//   OVER(name)   name of a call or struct over the type

// Outputs are handed on in a struct, which clang-tidy does not follow.
// NOLINTBEGIN(readability-non-const-parameter)

limb_status OVER(limb_batch_inverse_dynamics)(limb_batch* b, size_t n, const real* q, const real* v, const real* a,
                                              const limb_batch_environment* env, real* tau, limb_status* status)
{
  const limb_batch_call c = {b, TYPE, n, q, v, a, env, {tau}, status};
  return inverse_dynamics(&c);
}

limb_status OVER(limb_batch_bias_forces)(limb_batch* b, size_t n, const real* q, const real* v,
                                         const limb_batch_environment* env, real* tau, limb_status* status)
{
  const limb_batch_call c = {b, TYPE, n, q, v, NULL, env, {tau}, status};
  return bias_forces(&c);
}

limb_status OVER(limb_batch_gravity_forces)(limb_batch* b, size_t n, const real* q, const limb_batch_environment* env,
                                            real* tau, limb_status* status)
{
  const limb_batch_call c = {b, TYPE, n, q, NULL, NULL, env, {tau}, status};
  return gravity_forces(&c);
}

limb_status OVER(limb_batch_forward_dynamics)(limb_batch* b, size_t n, const real* q, const real* v, const real* tau,
                                              const limb_batch_environment* env, real* a, limb_status* status)
{
  const limb_batch_call c = {b, TYPE, n, q, v, tau, env, {a}, status};
  return forward_dynamics(&c);
}

limb_status OVER(limb_batch_step)(limb_batch* b, size_t n, real* q, real* v, const real* tau,
                                  const limb_batch_environment* env, const limb_batch_steps* steps, limb_status* status)
{
  const limb_batch_call c = {b, TYPE, n, q, v, tau, env, {q, v}, status};
  return take_steps(&c, steps);
}

limb_status OVER(limb_batch_mass_matrix)(limb_batch* b, size_t n, const real* q, real* M, limb_status* status)
{
  const limb_batch_call c = {b, TYPE, n, q, NULL, NULL, NULL, {M}, status};
  return mass_matrix(&c);
}

limb_status OVER(limb_batch_packed_mass_matrix)(limb_batch* b, size_t n, const real* q, real* M, limb_status* status)
{
  const limb_batch_call c = {b, TYPE, n, q, NULL, NULL, NULL, {M}, status};
  return packed_mass_matrix(&c);
}

limb_status OVER(limb_batch_mass_matrix_inverse)(limb_batch* b, size_t n, const real* q, real* Minv,
                                                 limb_status* status)
{
  const limb_batch_call c = {b, TYPE, n, q, NULL, NULL, NULL, {Minv}, status};
  return mass_matrix_inverse(&c);
}

limb_status OVER(limb_batch_coriolis_matrix)(limb_batch* b, size_t n, const real* q, const real* v, real* C,
                                             limb_status* status)
{
  const limb_batch_call c = {b, TYPE, n, q, v, NULL, NULL, {C}, status};
  return coriolis_matrix(&c);
}

limb_status OVER(limb_batch_inverse_dynamics_derivatives)(limb_batch* b, size_t n, const real* q, const real* v,
                                                          const real* a, const limb_batch_environment* env,
                                                          const OVER(limb_id_derivatives) * out, limb_status* status)
{
  if (!out) return LIMB_E_ARG;
  const limb_batch_call c = {b, TYPE, n, q, v, a, env, {out->tau, out->dtau_dq, out->dtau_dv, out->M}, status};
  return inverse_dynamics_derivatives(&c);
}

limb_status OVER(limb_batch_forward_dynamics_derivatives)(limb_batch* b, size_t n, const real* q, const real* v,
                                                          const real* tau, const limb_batch_environment* env,
                                                          const OVER(limb_fd_derivatives) * out, limb_status* status)
{
  if (!out) return LIMB_E_ARG;
  void* const to[] = {out->acc, out->dacc_dq, out->dacc_dv, out->dacc_dtau};
  const limb_batch_call c = {b, TYPE, n, q, v, tau, env, {to[0], to[1], to[2], to[3]}, status};
  return forward_dynamics_derivatives(&c);
}

limb_status OVER(limb_batch_regressor)(limb_batch* b, size_t n, const real* q, const real* v, const real* a,
                                       const limb_batch_environment* env, real* Y, limb_status* status)
{
  const limb_batch_call c = {b, TYPE, n, q, v, a, env, {Y}, status};
  return regressor(&c, b ? b->np : 0);
}

limb_status OVER(limb_batch_inertial_regressor)(limb_batch* b, size_t n, const real* q, const real* v, const real* a,
                                                const limb_batch_environment* env, real* Y, limb_status* status)
{
  const limb_batch_call c = {b, TYPE, n, q, v, a, env, {Y}, status};
  return regressor(&c, b ? limb_inertial_parameter_count(b->m) : 0);
}

limb_status OVER(limb_batch_frame_poses)(limb_batch* b, size_t n, const real* q, int nframe, const int* frame, real* X,
                                         limb_status* status)
{
  const limb_batch_call c = {b, TYPE, n, q, NULL, NULL, NULL, {X}, status};
  return frame_poses(&c, nframe, frame);
}

limb_status OVER(limb_batch_frame_jacobian)(limb_batch* b, size_t n, const real* q, int frame, limb_ref ref, real* J,
                                            limb_status* status)
{
  const limb_batch_call c = {b, TYPE, n, q, NULL, NULL, NULL, {J}, status};
  return frame_jacobian(&c, frame, ref);
}

int OVER(limb_batch_lanes)(const limb_batch* b) { return b ? b->KERNELS->lanes : 0; }

size_t OVER(limb_batch_array_length)(const limb_batch* b, size_t n, size_t width)
{
  return b ? padded_size((size_t)b->KERNELS->lanes, n, width) : 0;
}

limb_status OVER(limb_batch_to_lanes)(const limb_batch* b, size_t n, size_t width, const real* rows, real* lanes)
{
  return b ? transpose(b->KERNELS->to_lanes, n, width, rows, lanes) : LIMB_E_ARG;
}

limb_status OVER(limb_batch_to_states)(const limb_batch* b, size_t n, size_t width, const real* lanes, real* rows)
{
  return b ? transpose(b->KERNELS->to_rows, n, width, lanes, rows) : LIMB_E_ARG;
}

// NOLINTEND(readability-non-const-parameter)

#undef real
#undef TYPE
#undef KERNELS
#undef OVER

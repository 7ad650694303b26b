// Words of the tables of quantities: what states must have, robots, axes.
#ifndef LIMB_QUANTITY_TABLE_H
#define LIMB_QUANTITY_TABLE_H

#include "quantities/evaluator_impl.h"

enum {
  Q = LIMB_NEEDS_Q,
  QV = Q | LIMB_NEEDS_V,
  QVA = QV | LIMB_NEEDS_A,
  QVT = QV | LIMB_NEEDS_TAU,
  QVM = QV | LIMB_NEEDS_A_OR_TAU,
  QVG = QV | LIMB_NEEDS_GIVEN,
  QVB = QV | LIMB_NEEDS_BASE,
  FRAME = LIMB_NEEDS_FRAME,
  AT = LIMB_NEEDS_FRAME | LIMB_NEEDS_REFERENCE,
  TASK = AT | LIMB_NEEDS_DIRECTIONS,
  CLOSED = LIMB_NEEDS_CLOSED,
};

#define ALL      LIMB_ROBOTS_ALL
#define TREES    LIMB_ROBOTS_TREES
#define LOOPS    LIMB_ROBOTS_LOOPS
#define BASE     LIMB_ROBOTS_MOVING_BASE
#define ELASTIC  LIMB_ROBOTS_ELASTIC
#define V        LIMB_AXIS_V
#define MOTION   LIMB_AXIS_MOTION
#define FORCE    LIMB_AXIS_FORCE
#define VECTOR   LIMB_AXIS_VECTOR
#define FIELD    LIMB_AXIS_FIELD
#define ROWS     LIMB_AXIS_CONSTRAINT
#define STATE    LIMB_AXIS_STATE
#define DIR      LIMB_AXIS_TASK
#define IS(name) .compute = limb_eval_##name

#endif

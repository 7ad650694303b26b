// The rules: every kind of finding, in one list.
//
// X(NAME, "name", severity, "why it matters", "what to do"): one row each. Names are never changed or reused, because
// people use them in scripts. Errors of readers come first, then their notes, then the doctor, then writers.
#ifndef LIMB_IO_RULES_H
#define LIMB_IO_RULES_H

// clang-format off
#define LIMB_RULE_LIST(X)                                                                                             \
  /* any reader: the file */                                                                                          \
  X(EMPTY, "empty-file", ERROR, "there is nothing to read",                                                           \
    "check that it is the right file; where a model is expected, a built-in robot will do (limb models)")             \
  X(UNREADABLE, "unreadable", ERROR, "nothing can be found out about a file that cannot be read",                     \
    "check path and permissions; where a model is expected, a built-in robot will do (limb models)")                  \
  X(TOO_LARGE, "too-large", ERROR, "larger files are refused to protect memory",                                      \
    "raise the limit (--max-bytes) if this is the right file")                                                        \
  X(TOO_MANY, "too-many", ERROR, "the parts of a file are kept in memory",                                            \
    "check that this is the right file; this limit cannot be raised")                                                 \
  X(NOT_TEXT, "not-text", ERROR, "model files are UTF-8 text",                                                        \
    "save the file as UTF-8; it may also be a binary file")                                                           \
  X(UNKNOWN_FORMAT, "unknown-format", ERROR, "the language of the file cannot be recognised",                         \
    "name the file *.urdf, *.limb.yaml, *.par or *.xml, or use --from")                                               \
  X(WRONG_FORMAT, "wrong-format", ERROR, "the content of the file does not match its name",                           \
    "use the right file; if only its name is wrong, rename it or use --from")                                         \
  X(BAD_MESH, "bad-mesh", ERROR, "the inertia of a body follows from this mesh",                                      \
    "provide the mesh, as STL, OBJ, MSH, DAE or glTF, or state the inertia")                                           \
  /* any reader: syntax */                                                                                            \
  X(SYNTAX, "syntax", ERROR, "the text violates the grammar of its language",                                         \
    "correct the line; if it is the last one, the file may be cut off")                                               \
  X(ENTITY, "entity-declaration", ERROR, "entities can make a small file expand without bound",                       \
    "remove the DOCTYPE and write the text itself")                                                                   \
  X(TOO_DEEP, "too-deep", ERROR, "no robot is nested this deep", "close the elements that were left open")            \
  X(UNKNOWN_KEY, "unknown-key", ERROR, "an unknown key would be ignored silently",                                    \
    "correct or remove the key; docs/model-files.md lists all, for runs docs/simulation.md")                          \
  X(MISSING_KEY, "missing-key", ERROR, "the robot is not complete without it", "add it")                              \
  X(DUPLICATE_KEY, "duplicate-key", ERROR, "only one of the values can be used", "remove one")                        \
  X(BAD_NUMBER, "bad-number", ERROR, "a finite number is expected",                                                   \
    "write numbers like 0.5 or 5e-1, with a point; where units are accepted, one of the expected kind")               \
  X(WRONG_COUNT, "wrong-count", ERROR, "with too few or too many numbers, their order is not clear",                  \
    "write as many numbers as required; decimals have a point, not a comma")                                          \
  X(BAD_VALUE, "bad-value", ERROR, "the value is outside its range, or of another kind",                               \
    "write what the message asks for")                                                                                \
  /* any reader: the robot */                                                                                         \
  X(NO_BODY, "no-body", ERROR, "a robot has at least one body", "add one")                                            \
  X(NO_NAME, "no-name", ERROR, "things are addressed by name", "add a name")                                          \
  X(DUPLICATE_NAME, "duplicate-name", ERROR, "results could not be distinguished", "rename one of them")              \
  X(UNDEFINED_BODY, "undefined-body", ERROR, "the joint, frame or loop is not attached to anything",                  \
    "define the body or correct the name")                                                                            \
  X(TWO_PARENTS, "two-parents", ERROR, "a body with two parents closes a kinematic loop, but joints form a tree",     \
    "remove one of the joints, and close the loop there: docs/model-files.md, loops")                                 \
  X(SEVERAL_ROOTS, "several-roots", ERROR, "it is not clear which body is attached to the ground",                    \
    "connect the roots by joints, or remove the stray bodies")                                                        \
  X(CYCLE, "cycle", ERROR, "no body of a kinematic cycle is connected to the ground",                                 \
    "cut the cycle at one of its joints")                                                                             \
  X(BAD_JOINT, "bad-joint", ERROR, "the definition of the joint contradicts itself", "correct the joint")             \
  X(BAD_AXIS, "bad-axis", ERROR, "a joint that moves needs a direction",                                              \
    "write a direction, such as 0 0 1; that of a screw has unit length")                                              \
  X(MIMIC_TARGET, "mimic-target", ERROR, "the joint that should be followed does not exist or cannot be followed",    \
    "name a joint with one degree of freedom, or free the joint (--no-mimic)")                                        \
  X(MIMIC_CYCLE, "mimic-cycle", ERROR, "joints that follow each other in a cycle cannot move", "free one of them")    \
  X(SHAFT_TARGET, "shaft-target", ERROR, "a shaft connects two joints with one degree of freedom each",               \
    "name a joint and the joint of its motor, neither of them a mimic")                                               \
  X(TENDON_TARGET, "tendon-target", ERROR, "a tendon pulls joints with one degree of freedom, or points of bodies",   \
    "name each joint once, with a coefficient that is not zero, or two points or more in each branch")                \
  X(BAD_LOOP, "bad-loop", ERROR, "the definition of the loop contradicts itself",                                     \
    "correct the loop: docs/model-files.md lists all types and their keys")                                           \
  X(BASE_NAME, "base-name", ERROR, "the joint that --base adds is called base",                                       \
    "rename the joint 'base' of the file")                                                                            \
  X(UNSUPPORTED, "unsupported", ERROR, "the file uses something that limb does not support",                          \
    "use a form that limb supports (docs/model-files.md)")                                                            \
  X(XACRO, "xacro", ERROR, "the file is a template that could not be expanded: parts would be missing",               \
    "correct the line, or give the argument, file or package that it needs")                                          \
  /* any reader: notes */                                                                                             \
  X(XACRO_REPORT, "xacro-message", WARNING, "the file itself reports it (xacro.warning, xacro.message)",               \
    "follow the advice of its author")                                                                                \
  X(IGNORED, "ignored", NOTE, "it does not affect dynamics", "nothing to do")                                         \
  X(UNKNOWN_TAG, "unknown-tag", WARNING, "a mistyped name would change the robot silently",                           \
    "correct the name, or remove what does not belong to this language")                                              \
  X(ASSUMED, "assumed", NOTE, "the file does not state it, and a default was used", "state it in the file")           \
  X(NORMALISED, "normalised", NOTE, "directions have unit length",                                                    \
    "write a unit vector, unless the length has a meaning that was lost")                                             \
  X(NO_INERTIAL, "no-inertial", NOTE, "the body has no mass",                                                         \
    "add an inertial element if the body is more than a frame")                                                       \
  X(MIMIC_FREED, "mimic-freed", NOTE, "the joint moves independently because of --no-mimic", "nothing to do")         \
  X(WORLD_ROOT, "world-root", NOTE, "the root of the file is the world itself", "nothing to do")                      \
  X(TRANSMISSION, "transmission", NOTE,                                                                               \
    "the reduction of a transmission is the gear ratio of its joint, and acts on a rotor inertia",                    \
    "add the rotor inertia, if it matters")                                                                           \
  X(BAD_SHAPE, "bad-shape", WARNING, "the shape is not displayed or written; dynamics does not need it",              \
    "correct the shape")                                                                                              \
  X(MISSING_MESH, "missing-mesh", NOTE, "what is not found cannot be displayed; dynamics does not need it",           \
    "provide the file; of packages, name the folder: --package-path")                                                 \
  X(OPEN_MESH, "open-mesh", WARNING, "a surface with holes encloses no definite volume",                       \
    "close the mesh, or state the inertia")                                                                           \
  X(DERIVED_INERTIA, "derived-inertia", NOTE, "inertia was computed from shapes",                                     \
    "state the inertia if the body is not solid and uniform")                                                         \
  X(DROPPED, "dropped", WARNING, "the file states it, but results do not include it",                                 \
    "remove it, or write it in a form that limb supports (docs/model-files.md)")                                      \
  /* the doctor: inertia */                                                                                           \
  X(NOT_CREDIBLE, "not-credible", ERROR, "no robot has such a value; results would overflow or lose all digits",      \
    "check the exponent and the units of the value")                                                                  \
  X(NEGATIVE_MASS, "negative-mass", ERROR, "no body has a negative mass", "correct the mass")                         \
  X(INERTIA_WITHOUT_MASS, "inertia-without-mass", ERROR, "a body without mass has no inertia",                        \
    "add the mass, or remove the inertia")                                                                            \
  X(INERTIA_NEGATIVE, "inertia-negative", ERROR,                                                                      \
    "the mass matrix may not be positive definite, and simulations may diverge",                                      \
    "take the inertia about the centre of mass from CAD, or repair it: limb check --repair")                          \
  X(INERTIA_TRIANGLE, "inertia-triangle", ERROR,                                                                      \
    "no mass distribution has such moments: torques are wrong, simulators refuse it",                                 \
    "take the inertia about the centre of mass from CAD, or repair it: limb check --repair")                          \
  X(INERTIA_MISSING, "inertia-missing", WARNING,                                                                      \
    "a mass without rotational inertia is a point, which turns too easily",                                           \
    "add the inertia of the body about its centre of mass")                                                           \
  X(INERTIA_PLACEHOLDER, "inertia-placeholder", WARNING,                                                              \
    "round numbers left by a generator give torques of the wrong size",                                               \
    "replace them by the numbers of this body")                                                                       \
  X(INERTIA_TOO_LARGE, "inertia-too-large", WARNING, "the radius of gyration is larger than the robot around it",     \
    "check units: g mm^2 are 1e-9 kg m^2, kg mm^2 are 1e-6 kg m^2")                                                   \
  X(INERTIA_TOO_SMALL, "inertia-too-small", WARNING, "the body would be far smaller than the parts of the robot",     \
    "check units, and whether the inertia is about the centre of mass")                                               \
  X(COM_FAR, "com-far", WARNING, "the centre of mass lies far outside the body",                                      \
    "check units (mm?) and the frame in which it is given")                                                           \
  X(MASS_HUGE, "mass-huge", WARNING, "one body is implausibly heavy compared with the others",                        \
    "check units: g are 1e-3 kg")                                                                                     \
  X(MASS_TINY, "mass-tiny", WARNING, "such a small mass makes the mass matrix ill-conditioned",                       \
    "check units, or merge the body with its neighbour")                                                              \
  X(LENGTHS_LARGE, "lengths-large", WARNING, "the robot would be as large as a building",                             \
    "lengths are in metres: scale the file by 0.001 if it is in millimetres")                                         \
  /* the doctor: joints */                                                                                            \
  X(MASSLESS_SUBTREE, "massless-subtree", ERROR,                                                                      \
    "the joint moves no inertia: the mass matrix is singular, and forward dynamics fails",                            \
    "add mass to the bodies behind it, fix the joint, or add a rotor inertia")                                        \
  X(JOINT_WITHOUT_INERTIA, "joint-without-inertia", ERROR,                                                            \
    "all mass behind the joint lies on its axis: the mass matrix is singular",                                        \
    "add rotational inertia to the bodies, or a rotor inertia to the joint")                                          \
  X(NOTHING_MOVES, "nothing-moves", WARNING, "a robot without moving joints has no dynamics",                         \
    "let the base float (--base floating), or check the types of the joints")                                         \
  X(LIMIT_MISSING, "limit-missing", WARNING, "the format requires limits for this joint",                             \
    "add <limit lower= upper= effort= velocity=>")                                                                    \
  X(LIMIT_ZERO, "limit-zero", WARNING, "with a limit of zero the joint cannot move, or has no force",                 \
    "write the real limit, or none")                                                                                  \
  X(LIMIT_SWAPPED, "limit-swapped", ERROR,                                                                            \
    "the lower limit is above the upper limit: nothing limits the position of the joint", "exchange them")            \
  X(LIMIT_DEGREES, "limit-degrees", WARNING, "limits of many turns are probably in degrees",                          \
    "angles are in radians: multiply by 0.0174533")                                                                   \
  X(ANGLE_DEGREES, "angle-degrees", WARNING, "an angle of more than one turn is probably in degrees",                 \
    "angles are in radians: multiply by 0.0174533")                                                                   \
  X(LIMIT_MILLIMETRES, "limit-millimetres", WARNING,                                                                  \
    "the stroke is far longer than the robot: it is probably in millimetres",                                         \
    "lengths are in metres: multiply by 0.001")                                                                       \
  X(MIMIC_LIMITS, "mimic-limits", NOTE, "the mimic joint reaches its limit before its leader does",                   \
    "make both limits agree")                                                                                         \
  X(FRICTION_LARGE, "friction-large", WARNING, "friction consumes all the effort of the joint",                       \
    "check damping [N m s/rad] and friction [N m]")                                                                   \
  X(SHAFT_SLACK, "shaft-slack", WARNING, "nothing holds the joint against its motor", "add a stiffness to the shaft") \
  X(ELASTIC_FREQUENCY, "elastic-frequency", WARNING,                                                                  \
    "no robot oscillates that slowly or that fast: the stiffness is probably wrong",                                  \
    "check units: N m/rad at the joint (not N m/deg, not N mm/rad), kg m^2 of the rotor")                             \
  /* the doctor: loops */                                                                                             \
  X(LOOP_RIGID, "loop-rigid", WARNING,                                                                                \
    "no joint moves the ends of the loop relative to each other: it is always closed, or never",                      \
    "correct the bodies of the loop or the joints between them, or remove the loop")                                  \
  X(LOOP_DRIVE, "loop-drive", WARNING,                                                                                \
    "a loop removes degrees of freedom: motors at all its joints work against each other",                            \
    "state which of its joints have no motor (drive: passive), or that all have one (drive: active)")                 \
  X(LOOP_OPEN, "loop-open", ERROR, "no configuration was found that closes the loop",                                 \
    "check lengths and frames of the loop; a start near a closed configuration helps")                                \
  X(LOOP_ROUNDED, "loop-rounded", WARNING,                                                                            \
    "poses that contradict each other, mostly by their few digits: least squares share what stays open",              \
    "give poses with more digits; --loop-tolerance, or loop_tolerance in limb YAML, states what may stay open")       \
  X(LOOP_LOCKED, "loop-locked", ERROR,                                                                                \
    "the loops can be closed, but leave nothing to move: the robot is a rigid structure",                             \
    "lock fewer directions, or remove a loop; limb assemble lists all constraints")                                   \
  X(LOOP_REPEATED, "loop-repeated", WARNING,                                                                          \
    "the constraints of the loop follow from others: how they share a load is not determined",                        \
    "remove it, unless the real robot has it")                                                                        \
  /* the doctor: names and structure */                                                                               \
  X(NO_MODEL, "no-model", ERROR, "the robot cannot be compiled: no command can compute anything of it",               \
    "correct what is named, or remove it")                                                                            \
  X(UNUSED, "unused", NOTE, "it is defined, but nothing refers to it", "remove it")                                   \
  X(DANGLING, "dangling-reference", WARNING, "it refers to something that is not in the file",                        \
    "correct the name, or remove the reference")                                                                      \
  X(NAME_CLASH, "name-differs-by-case", NOTE, "names that differ by case only are easily confused",                   \
    "rename one of them")                                                                                             \
  X(ROOT_MASS, "root-mass", NOTE, "the mass of the root has an effect only when the base moves", "nothing to do")     \
  X(REPAIRED, "repaired", NOTE, "a number was changed on request", "nothing to do")                                   \
  X(NOT_REPAIRED, "not-repaired", WARNING, "the fault is not in the inertia and cannot be repaired",                  \
    "correct it by hand")                                                                                             \
  /* writers */                                                                                                       \
  X(EXTENSION, "extension", NOTE, "the language has no standard form for it: other readers will ignore it",           \
    "write limb YAML to keep everything")                                                                             \
  X(REPHRASED, "rephrased", NOTE,                                                                                     \
    "the language has no standard form for it: it is written in another form, and reads back as that",                \
    "write limb YAML to keep everything")                                                                             \
  X(NOT_WRITTEN, "not-written", WARNING, "the language cannot express it", "write limb YAML to keep everything")
// clang-format on

typedef enum limb_rule {
#define LIMB_X(id, name, severity, why, fix) RULE_##id,
  LIMB_RULE_LIST(LIMB_X)
#undef LIMB_X
    RULE_COUNT
} limb_rule;

#endif

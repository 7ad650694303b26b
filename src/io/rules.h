// The rules: every kind of finding, in one list.
//
// X(NAME, "name", severity, "why it matters", "how to mend it"): one row each; names are never changed or
// reused, they stand in people's scripts. Errors of readers come first, then what readers note, then the
// doctor, then writers.
#ifndef LIMB_RULES_H
#define LIMB_RULES_H

// clang-format off
#define LIMB_RULE_LIST(X)                                                                          \
  /* any reader: the file */                                                                       \
  X(EMPTY, "empty-file", ERROR, "there is nothing to read",                                        \
    "give a model file, or the name of a built-in robot (limb models)")                            \
  X(UNREADABLE, "unreadable", ERROR, "without its text there is nothing to tell about a file",     \
    "check path and permissions, or name a built-in robot (limb models)")                          \
  X(TOO_LARGE, "too-large", ERROR, "files beyond the limit are refused to protect memory",         \
    "raise the limit (--max-bytes) if the file is what it should be")                              \
  X(NOT_TEXT, "not-text", ERROR, "model files are UTF-8 text",                                     \
    "save the file as UTF-8; a binary file was perhaps taken by mistake")                          \
  X(UNKNOWN_FORMAT, "unknown-format", ERROR, "the language of the file cannot be told",            \
    "name the file *.urdf, *.limb.yaml, *.par or *.xml, or give --from")                           \
  X(WRONG_FORMAT, "wrong-format", ERROR, "the file is not what its name says",                     \
    "take the right file; if only its name is wrong, rename it or give --from")                    \
  /* any reader: syntax */                                                                         \
  X(SYNTAX, "syntax", ERROR, "the text breaks the rules of its language",                          \
    "correct the line; if it is the last one, the file may be cut off")                            \
  X(ENTITY, "entity-declaration", ERROR, "entities can make a small file expand without bound",    \
    "remove the DOCTYPE and write the text itself")                                                \
  X(TOO_DEEP, "too-deep", ERROR, "nesting this deep is never a robot",                             \
    "close the elements that were left open")                                                      \
  X(UNKNOWN_KEY, "unknown-key", ERROR, "a key that is not understood would be ignored silently",   \
    "correct or remove the key; docs/model-files.md, of runs docs/simulation.md, lists all")       \
  X(MISSING_KEY, "missing-key", ERROR, "the robot is not complete without it", "add it")           \
  X(DUPLICATE_KEY, "duplicate-key", ERROR, "only one of the values can be meant", "remove one")    \
  X(BAD_NUMBER, "bad-number", ERROR, "what should be a number is not, or is not finite",           \
    "write numbers as 0.5 or 5e-1, with a point, without units")                                   \
  X(WRONG_COUNT, "wrong-count", ERROR, "with a number too few or too many, it is not clear which is which",\
    "give as many numbers as are asked for; decimals have a point, not a comma")                   \
  X(BAD_VALUE, "bad-value", ERROR, "the value is outside what it can be", "correct the value")     \
  /* any reader: the robot */                                                                      \
  X(NO_BODY, "no-body", ERROR, "a robot has at least one body", "add one")                         \
  X(NO_NAME, "no-name", ERROR, "things are addressed by name", "give it a name")                   \
  X(DUPLICATE_NAME, "duplicate-name", ERROR, "results could not be told apart",                    \
    "rename one of them")                                                                          \
  X(UNDEFINED_BODY, "undefined-body", ERROR, "the joint, frame or loop hangs in the air",          \
    "define the body or correct the name")                                                         \
  X(TWO_PARENTS, "two-parents", ERROR,                                                             \
    "a body with two parents closes a kinematic loop, and joints form a tree",                     \
    "remove one of the joints, and close the loop there: docs/model-files.md, loops")              \
  X(SEVERAL_ROOTS, "several-roots", ERROR, "it is not clear what stands on the ground",            \
    "join the roots by joints, or remove the stray bodies")                                        \
  X(CYCLE, "cycle", ERROR, "no body of a kinematic cycle is connected to the ground",              \
    "cut the cycle at one of its joints")                                                          \
  X(BAD_JOINT, "bad-joint", ERROR, "the joint cannot be what it is said to be",                    \
    "correct the joint")                                                                           \
  X(BAD_AXIS, "bad-axis", ERROR, "a joint that moves needs a direction",                           \
    "give an axis that is not zero, such as 0 0 1")                                                \
  X(MIMIC_TARGET, "mimic-target", ERROR, "a joint cannot follow what is not there or cannot lead", \
    "name a joint with one degree of freedom, or free the joint (--no-mimic)")                     \
  X(MIMIC_CYCLE, "mimic-cycle", ERROR, "joints that follow each other have no motion of their own",\
    "let one of them be free")                                                                     \
  X(SHAFT_TARGET, "shaft-target", ERROR, "a shaft joins two joints with one degree of freedom each",\
    "name a joint and the joint of its motor, neither of them a follower")                         \
  X(BAD_LOOP, "bad-loop", ERROR, "the loop cannot be closed as it is said to be",                  \
    "correct the loop: docs/model-files.md lists its kinds and what each of them has")             \
  X(BASE_NAME, "base-name", ERROR, "the joint that --base adds is called base",                    \
    "rename the joint 'base' of the file")                                                         \
  X(UNSUPPORTED, "unsupported", ERROR, "the file asks for something that limb cannot do",          \
    "say it in a way that limb reads (docs/model-files.md)")                                       \
  X(XACRO, "xacro", ERROR, "the file is a template, or what is left of one: parts may be missing", \
    "expand it first: xacro robot.urdf.xacro > robot.urdf")                                        \
  /* any reader: said for completeness */                                                          \
  X(IGNORED, "ignored", NOTE, "it is not dynamics, and has no effect on results", "nothing to do") \
  X(UNKNOWN_TAG, "unknown-tag", WARNING, "a mistyped name would change the robot silently",        \
    "correct the name, or remove what is not of this language")                                    \
  X(ASSUMED, "assumed", NOTE, "the file does not say, and a default was taken",                    \
    "state it in the file")                                                                        \
  X(NORMALISED, "normalised", NOTE, "directions have unit length",                                 \
    "write a unit vector, if the length was not meant to say something")                           \
  X(NO_INERTIAL, "no-inertial", NOTE, "the body has no mass",                                      \
    "add an inertial element if the body is more than a frame")                                    \
  X(MIMIC_FREED, "mimic-freed", NOTE, "the joint moves on its own because --no-mimic was given",   \
    "nothing to do")                                                                               \
  X(WORLD_ROOT, "world-root", NOTE, "the root of the file is the world itself", "nothing to do")   \
  X(TRANSMISSION, "transmission", NOTE,                                                            \
    "the reduction of a transmission is the gear ratio of its joint, and acts on a rotor inertia", \
    "give the rotor inertia, if it matters")                                                       \
  X(DERIVED_INERTIA, "derived-inertia", NOTE, "inertia was computed from shapes",                  \
    "state the inertia if the body is not solid and uniform")                                      \
  X(DROPPED, "dropped", WARNING, "the file states it, and results do not contain it",              \
    "leave it out, or say it in a way that limb knows (docs/model-files.md)")                      \
  /* the doctor: inertia */                                                                        \
  X(NOT_CREDIBLE, "not-credible", ERROR,                                                           \
    "no robot has such a figure, and results overflow or lose all their digits by it",             \
    "check the exponent and the units of the figure")                                              \
  X(NEGATIVE_MASS, "negative-mass", ERROR, "no body has a negative mass",                          \
    "correct the mass")                                                                            \
  X(INERTIA_WITHOUT_MASS, "inertia-without-mass", ERROR, "what has no mass has no inertia",        \
    "give the mass, or remove the inertia")                                                        \
  X(INERTIA_NEGATIVE, "inertia-negative", ERROR,                                                   \
    "the mass matrix can lose its positive definiteness, and a simulation explode",                \
    "take the inertia from CAD about the centre of mass, or repair it: limb check --repair")       \
  X(INERTIA_TRIANGLE, "inertia-triangle", ERROR,                                                   \
    "no mass distribution has such moments: torques come out wrong, simulators refuse it",         \
    "take the inertia from CAD about the centre of mass, or repair it: limb check --repair")       \
  X(INERTIA_MISSING, "inertia-missing", WARNING,                                                   \
    "a mass without rotational inertia is a point: it turns too easily",                           \
    "give the inertia of the body about its centre of mass")                                       \
  X(INERTIA_PLACEHOLDER, "inertia-placeholder", WARNING,                                           \
    "round figures left by a generator give torques of the wrong size",                            \
    "replace them by the body's own figures")                                                      \
  X(INERTIA_TOO_LARGE, "inertia-too-large", WARNING,                                               \
    "the radius of gyration is larger than the robot around it",                                   \
    "check units: g mm^2 are 1e-9 kg m^2, kg mm^2 are 1e-6 kg m^2")                                \
  X(INERTIA_TOO_SMALL, "inertia-too-small", WARNING,                                               \
    "the mass would be packed into a body far smaller than the robot's parts",                     \
    "check units, and whether the inertia is about the centre of mass")                            \
  X(COM_FAR, "com-far", WARNING, "the centre of mass lies far outside the body",                   \
    "check units (mm?) and the frame in which it is given")                                        \
  X(MASS_HUGE, "mass-huge", WARNING, "one body outweighs the rest beyond belief",                  \
    "check units: g are 1e-3 kg")                                                                  \
  X(MASS_TINY, "mass-tiny", WARNING, "a mass this small next to the others makes M ill-conditioned",\
    "check units, or merge the body with its neighbour")                                           \
  X(LENGTHS_LARGE, "lengths-large", WARNING, "the robot would be as large as a building",          \
    "lengths are in metres: scale the file by 0.001 if it is in millimetres")                      \
  /* the doctor: joints */                                                                         \
  X(MASSLESS_SUBTREE, "massless-subtree", ERROR,                                                   \
    "the joint moves nothing that has inertia: the mass matrix is singular, direct dynamics fails",\
    "give the bodies behind it mass, fix the joint, or give it a rotor inertia")                   \
  X(JOINT_WITHOUT_INERTIA, "joint-without-inertia", ERROR,                                         \
    "all mass behind the joint lies on its axis: the mass matrix is singular",                     \
    "give the bodies rotational inertia, or the joint a rotor inertia")                            \
  X(NOTHING_MOVES, "nothing-moves", WARNING, "a robot without moving joints has no dynamics",      \
    "let the base float (--base floating), or check the types of the joints")                      \
  X(LIMIT_MISSING, "limit-missing", WARNING, "the format demands limits for this joint",           \
    "add <limit lower= upper= effort= velocity=>")                                                 \
  X(LIMIT_ZERO, "limit-zero", WARNING, "a limit of zero forbids the joint to move or to push",     \
    "give the real limit, or none")                                                                \
  X(LIMIT_SWAPPED, "limit-swapped", ERROR, "the lower limit is above the upper",                   \
    "exchange them")                                                                               \
  X(LIMIT_DEGREES, "limit-degrees", WARNING, "limits far beyond a turn look like degrees",         \
    "angles are in radians: multiply by 0.0174533")                                                \
  X(ANGLE_DEGREES, "angle-degrees", WARNING, "an angle of more than a turn looks like degrees",    \
    "angles are in radians: multiply by 0.0174533")                                                \
  X(LIMIT_MILLIMETRES, "limit-millimetres", WARNING,                                               \
    "the stroke is far longer than the robot: it looks like millimetres",                          \
    "lengths are in metres: multiply by 0.001")                                                    \
  X(MIMIC_LIMITS, "mimic-limits", NOTE, "the follower reaches its limit before its leader does",   \
    "make the limits of both agree")                                                               \
  X(FRICTION_LARGE, "friction-large", WARNING, "friction eats all the effort the joint has",       \
    "check damping [N m s/rad] and friction [N m]")                                                \
  X(SHAFT_SLACK, "shaft-slack", WARNING, "nothing holds the joint against its motor",              \
    "give the shaft a stiffness")                                                                  \
  X(ELASTIC_FREQUENCY, "elastic-frequency", WARNING,                                               \
    "no robot swings that slowly or that fast: the stiffness is hardly meant",                     \
    "check units: N m/rad at the joint (not N m/deg, not N mm/rad), kg m^2 of the rotor")          \
  /* the doctor: loops */                                                                          \
  X(LOOP_RIGID, "loop-rigid", WARNING,                                                             \
    "no joint moves the ends of the loop against each other: it holds always, or never",           \
    "correct the bodies of the loop, or the joints between them; else remove the loop")            \
  X(LOOP_DRIVE, "loop-drive", WARNING,                                                             \
    "a loop takes freedoms away: motors at all of its joints work against each other",             \
    "state which of its joints have no motor (drive: passive), or that all have (drive: active)")  \
  X(LOOP_OPEN, "loop-open", ERROR,                                                                 \
    "no configuration was found that closes the loop: there is nothing to compute",                \
    "check lengths and frames of the loop; a start near a closed configuration helps")             \
  X(LOOP_LOCKED, "loop-locked", ERROR,                                                             \
    "the loops close, and leave nothing to move: the robot is a structure",                        \
    "lock fewer directions, or remove a loop; limb assemble names all that hold")                  \
  X(LOOP_REPEATED, "loop-repeated", WARNING,                                                       \
    "the loop says nothing that others do not say: how they share a load cannot be known",         \
    "remove it, unless it is there in the real robot")                                             \
  /* the doctor: names and structure */                                                            \
  X(UNUSED, "unused", NOTE, "it is defined and nothing refers to it", "remove it")                 \
  X(DANGLING, "dangling-reference", WARNING, "it refers to something that is not in the file",     \
    "correct the name, or remove the reference")                                                   \
  X(NAME_CLASH, "name-differs-by-case", NOTE, "names that differ by case only are easily mixed up",\
    "rename one of them")                                                                          \
  X(ROOT_MASS, "root-mass", NOTE,                                                                  \
    "the root has mass: it counts when the base moves, and not at all when it is fixed",           \
    "nothing to do")                                                                               \
  X(REPAIRED, "repaired", NOTE, "a figure was changed on demand", "nothing to do")                 \
  X(NOT_REPAIRED, "not-repaired", WARNING,                                                         \
    "the fault is not in the inertia: there is no nearest cure", "correct it by hand")             \
  /* writers */                                                                                    \
  X(EXTENSION, "extension", NOTE, "the language has no word for it: other readers will not see it",\
    "write limb YAML to keep everything")                                                          \
  X(REPHRASED, "rephrased", NOTE,                                                                  \
    "the language has no word for it: it is said in another way, and reads back as that",          \
    "write limb YAML to keep everything")                                                          \
  X(NOT_WRITTEN, "not-written", WARNING, "the language cannot say it",                             \
    "write limb YAML to keep everything")
// clang-format on

typedef enum limb_rule {
#define LIMB_X(id, name, severity, why, fix) RULE_##id,
  LIMB_RULE_LIST(LIMB_X)
#undef LIMB_X
    RULE_COUNT
} limb_rule;

#endif

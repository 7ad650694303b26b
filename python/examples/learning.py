"""Learning the inverse dynamics of an arm with JAX: a network alone, and one that learns what a model leaves over.

The real arm carries a load and has friction, of which the model knows nothing. limb.jax computes the model's torques
inside the loss, compiled with the network.
"""

import jax
import jax.numpy as jnp
import limb
import limb.jax
import numpy

WIDTH, STEPS, RATE = 32, 400, 3e-3
Network = list[tuple[jax.Array, jax.Array]]


def network(key: jax.Array, inputs: int, outputs: int) -> Network:
    """Two layers, the last one of zeros."""
    weights = jax.random.normal(key, (WIDTH, inputs)) / inputs**0.5
    return [(weights, jnp.zeros(WIDTH)), (jnp.zeros((outputs, WIDTH)), jnp.zeros(outputs))]


def answer(layers: Network, q: jax.Array, v: jax.Array, a: jax.Array) -> jax.Array:
    """Torques that a network predicts."""
    x = jnp.concatenate([jnp.sin(q), jnp.cos(q), v, jnp.tanh(20 * v), a], axis=-1)
    (W1, b1), (W2, b2) = layers
    return jnp.tanh(x @ W1.T + b1) @ W2.T + b2


def main() -> tuple[float, float]:
    """Prints and returns errors on states that were not learned from: of the network alone, and with the model."""
    jax.config.update("jax_enable_x64", True)
    model = limb.load("planar_2r")
    friction = {name: {"viscous": 0.3, "coulomb": 0.2} for name in model.joints}
    real = model.with_(payload=limb.Payload(list(model.frames)[-1], 0.5), joints=friction)
    known = limb.jax.Dynamics(model)
    random = numpy.random.default_rng(1)
    states = [random.uniform(-1, 1, (2000, model.nv)) * scale for scale in (numpy.pi, 3.0, 10.0)]
    torques = real.inverse_dynamics(*states)
    learned, others = slice(0, 1000), slice(1000, None)

    unit = numpy.sqrt((torques[learned] ** 2).mean(axis=0))

    def error(layers: Network, share: float, part: slice) -> jax.Array:
        q, v, a = (jnp.asarray(x[part]) for x in states)
        predicted = unit * answer(layers, q, v, a) + share * known.inverse_dynamics(q, v, a)
        return jnp.sqrt((((predicted - torques[part]) / unit) ** 2).mean())

    def train(share: float) -> float:
        @jax.jit
        def step(k: jax.Array, layers: Network, mean: Network, square: Network) -> tuple[Network, Network, Network]:
            g = jax.grad(error)(layers, share, learned)  # Adam
            mean = jax.tree.map(lambda m, x: 0.9 * m + 0.1 * x, mean, g)
            square = jax.tree.map(lambda s, x: 0.999 * s + 0.001 * x**2, square, g)
            rate = RATE * jnp.sqrt(1 - 0.999**k) / (1 - 0.9**k)
            return jax.tree.map(lambda w, m, s: w - rate * m / (jnp.sqrt(s) + 1e-8), layers, mean, square), mean, square

        layers = network(jax.random.key(0), 5 * model.nv, model.nv)
        mean = square = jax.tree.map(jnp.zeros_like, layers)
        for k in range(1, STEPS + 1):
            layers, mean, square = step(jnp.float64(k), layers, mean, square)
        return float(error(layers, share, others))

    alone, together = train(0.0), train(1.0)
    print("torques of the real arm:", unit.round(1), "N m rms")
    print(f"error of the network alone: {alone:.2%}, of model and network: {together:.2%}")
    return alone, together


if __name__ == "__main__":
    main()

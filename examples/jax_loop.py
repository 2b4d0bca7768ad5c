"""JAX: log from inside a jitted step, without waiting for the device."""

import jax
import jax.numpy as jnp

import runvitals as rv


def loss_of(weights, x, y):
    """Squared error."""
    return jnp.mean((x @ weights - y) ** 2)


@jax.jit
def train(weights, key):
    """200 steps in one compiled loop; each calls back with its numbers."""

    def body(step, weights):
        x = jax.random.normal(jax.random.fold_in(key, step), (64, 8))
        loss, gradient = jax.value_and_grad(loss_of)(weights, x, x.sum(1))
        values = {"train/loss": loss, "grad_norm": jnp.linalg.norm(gradient)}
        jax.debug.callback(
            lambda values, step: rv.log(values, int(step)), values, step, ordered=True
        )
        return weights - 0.02 * gradient

    return jax.lax.fori_loop(0, 200, body, weights)


with rv.init(project="jax", config={"learning_rate": 0.02}):
    train(jnp.zeros(8), jax.random.key(0)).block_until_ready()
    jax.effects_barrier()  # the last callbacks may still be on their way

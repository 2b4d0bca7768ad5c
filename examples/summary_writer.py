"""A script that writes event files, as CleanRL's do: only the import was changed."""

import math

from runvitals.integrations.tensorboard import SummaryWriter  # was torch.utils.tensorboard

writer = SummaryWriter("runs/CartPole-v1__ppo__1")
writer.add_text("hyperparameters", "|param|value|\n|-|-|\n|learning_rate|0.00025|\n|gamma|0.99|")
for step in range(128, 128 * 101, 128):
    done = step / (128 * 100)
    writer.add_scalar("charts/episodic_return", 20 + 450 * (1 - math.exp(-4 * done)), step)
    writer.add_scalar("charts/learning_rate", 2.5e-4 * (1 - done), step)
    writer.add_scalar("losses/approx_kl", 0.008 + 0.002 * math.sin(step), step)
    writer.add_scalar("losses/entropy", 0.68 - 0.15 * done, step)
writer.close()

"""Environments and data sets, and which part each belongs to: whole worlds are held out, never runs.

Levels of a random policy and of a finished one were measured with the makers' own healthy runs.
"""

from __future__ import annotations

from benchmarks.made.programs import World

# environments: mean return

CARTPOLE = World("cartpole", "look", poor=22, good=250)
FROZENLAKE = World("frozenlake", "look", poor=0.02, good=0.95)
REACH = World("reach", "look", poor=-26, good=-8)
SHOP = World("shop", "look", poor=2.5, good=9.0)
PENDULUM = World("pendulum", "look", poor=-1250, good=-350)
TAXI = World("taxi", "look", poor=-200, good=6)
ACROBOT = World("acrobot", "hold", poor=-500, good=-120)
CATCH = World("catch", "hold", poor=-0.7, good=0.9)
CLIFF = World("cliff", "hold", poor=-100, good=-16)
THERMOSTAT = World("thermostat", "hold", poor=-80, good=-6)
CORRIDOR = World("corridor", "hold", poor=0.05, good=0.95)
MAZE = World("maze", "hold", poor=-0.6, good=0.75)
SLIPPERYLAKE = World("slipperylake", "hold", poor=0.02, good=0.68)
BLACKJACK = World("blackjack", "hold", poor=-0.39, good=-0.1)

# tables of numbers: accuracy on examples that were never seen

DIGITS = World("digits", "look", poor=0.1, good=0.94)
RINGS = World("rings", "look", poor=0.5, good=0.95)
WINE = World("wine", "hold", poor=0.34, good=0.93)
CANCER = World("cancer", "hold", poor=0.6, good=0.93)

# made texts: cross-entropy per token on texts that were never seen, in nats

MARKOV = World("markov", "look", poor=2.77, good=1.25)
SUMS = World("sums", "look", poor=2.6, good=1.0)
BRACKETS = World("brackets", "hold", poor=1.8, good=1.15)
RECIPES = World("recipes", "hold", poor=3.1, good=0.8)

# made preferences: share of unseen pairs that are told apart rightly

VOWELS = World("vowels", "look", poor=0.5, good=0.9)
COLOURS = World("colours", "look", poor=0.5, good=0.9)
ORDER = World("order", "hold", poor=0.5, good=0.85)
POLITE = World("polite", "hold", poor=0.5, good=0.9)

# made tasks with a verifier: mean reward of sampled answers to unseen prompts

MANY_A = World("many-a", "look", poor=0.05, good=0.7)
FIRST_WORD = World("first-word", "look", poor=0.04, good=0.8)
BRIEF = World("brief", "hold", poor=0.1, good=0.85)
RISING = World("rising", "hold", poor=0.2, good=0.7)

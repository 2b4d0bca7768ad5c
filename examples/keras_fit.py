"""Keras, with whichever backend is there."""

import os

os.environ.setdefault("KERAS_BACKEND", "torch")
import keras
import numpy as np

from runvitals.integrations.keras import RunvitalsCallback

x = np.random.default_rng(0).normal(size=(512, 8)).astype("float32")
y = (x.sum(1) > 0).astype("int64")
model = keras.Sequential([keras.layers.Input((8,)), keras.layers.Dense(2)], name="points")
loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
model.compile(keras.optimizers.Adam(0.01), loss, metrics=["accuracy"])
callback = RunvitalsCallback(stop_on="critical")
model.fit(x, y, epochs=15, validation_split=0.2, verbose=0, callbacks=[callback])

"""What there is: metrics, settings, algorithms, kinds of training, symptoms, words and lists."""

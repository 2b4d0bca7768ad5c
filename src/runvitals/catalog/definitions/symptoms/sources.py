"""Where symptoms are from, and the lists of signs that they stand on there."""

GLOSSARY = "Training Metrics Glossary"
GUIDE = "Training Monitoring Guide"
TELEMETRY = "Training Metrics and Telemetry"
TABLE = "RL Metrics table"
REFERENCE = "TensorBoard Metrics Reference"

EARLY_WARNINGS = "Early warning signs"
TROUBLESHOOTING = "Troubleshooting signals"
TRAINING_PROBLEMS = "Training problems"
FAILURE_SIGNS = "Common failure signs"  # of a reward model

"""Rules about supervised fine-tuning."""

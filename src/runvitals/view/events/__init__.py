"""What a run logged beside numbers: histograms, texts and samples."""

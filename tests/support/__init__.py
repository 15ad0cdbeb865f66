"""What several tests share: samples, drivers and comparisons."""

"""Benchmark packs: whole studies that anybody can run again and cite, with stored baselines."""

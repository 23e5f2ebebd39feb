"""What could have been learnt: baselines, efficiency against them, feasibility and consistency."""

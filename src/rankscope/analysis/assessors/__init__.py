"""Those who judge: agreement, grades, preferences and what orders they give."""

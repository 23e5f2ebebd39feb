"""How people get on with the work: a questionnaire, and the times of their tasks."""

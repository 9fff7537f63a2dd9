"""Words, logs and tracebacks -> a symptom, in the field's own words. Pure."""

"""The site: docs/ made ready for the builder, notebooks as pages."""

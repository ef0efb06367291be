"""Settings every test shares."""

from hypothesis import settings

# Examples are drawn the same way in every run, and a busy machine is not a failure.
settings.register_profile("repository", deadline=None, derandomize=True)
settings.load_profile("repository")

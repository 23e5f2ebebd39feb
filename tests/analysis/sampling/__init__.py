from tests import strategies as strategies  # sets hypothesis up for every test here

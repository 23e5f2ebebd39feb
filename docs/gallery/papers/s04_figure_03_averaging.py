"""S04, figure 3: the same comparison for larger classes, in a collection of the same order (21,094 there)."""

from averaging import averaged
from base import base, save

save(averaged(base(), 16, "Three ways to average, classes of 16"), "s04-figure-03-averaging")

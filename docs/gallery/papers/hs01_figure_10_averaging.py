"""HS01, figure 10: means in boxes of recall or of precision stray from the mean along scope lines."""

from averaging import averaged
from base import base, save

save(averaged(base(), 8, "Three ways to average, classes of 8"), "hs01-figure-10-averaging")

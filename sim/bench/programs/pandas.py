# SPDX-License-Identifier: Apache-2.0
"""pandas and NumPy with a year of sensor readings: read from CSV, joined, grouped and smoothed."""
import subprocess

from .. import SEED, Trouble
from ..workplace import PYTHON

TITLE = "pandas and NumPy on sensor readings"
SCRIPT = f"""
import io, sys
import numpy as np, pandas as pd
random = np.random.default_rng({SEED})
count = 300_000
readings = pd.DataFrame({{
    "time": pd.date_range("2024-01-01", periods=count, freq="105s"),
    "station": random.choice(["Kiel", "Lyon", "Oslo", "Porto", "Turin", "Graz"], count),
    "temperature": np.round(12 + 9 * np.sin(np.arange(count) / 47_000) + random.normal(0, 2, count), 1),
    "pressure": np.round(1013 + random.normal(0, 1, count).cumsum() / 60, 2),
    "rain": np.where(random.random(count) < .08, np.round(random.gamma(.8, 2, count), 1), 0),
    "valid": random.random(count) < .99,
}})
readings = pd.read_csv(io.StringIO(readings.to_csv(index=False)), parse_dates=["time"])
readings["station"] = readings["station"].astype("category")
daily = readings.set_index("time").groupby("station", observed=True).resample("1D").mean(numeric_only=True)
smooth = readings[["temperature", "pressure", "rain"]].rolling(96).mean()
stations = pd.DataFrame({{"station": readings["station"].cat.categories, "height": [5, 173, 23, 104, 239, 353]}})
joined = readings.merge(stations, on="station")
spectrum = np.fft.rfft(readings["temperature"].to_numpy())
covariance = np.cov(joined[["temperature", "pressure", "rain", "height"]].to_numpy().T)
image = (np.add.outer(np.arange(1500), np.arange(1500)) % 251).astype(np.float32)
print("ready", flush=True)
sys.stdin.read()
"""


def at_work(place):
    if not PYTHON.exists():
        raise Trouble("pandas is not installed: run .tools/install-bench")
    process = place.start(PYTHON, "-c", SCRIPT, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    place.wait_for_line(process, "ready")
    return [process.pid]

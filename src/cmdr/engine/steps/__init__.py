"""The kinds of steps, one class each: how it is carried out, taken back, resumed, and recovered after a crash."""

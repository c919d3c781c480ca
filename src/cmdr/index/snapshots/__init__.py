"""Epochs: the columns of a tree at one moment, put in order, written once and vouched for."""

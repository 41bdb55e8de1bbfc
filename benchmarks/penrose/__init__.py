"""Diagrams of Penrose's: the graphs that its compiler hands to its autodiff, as functions of ours, side by side with
the original Rose.
"""

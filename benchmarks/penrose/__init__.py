"""Diagrams of Penrose's as the graphs that it differentiates: ours beside the original Rose, which it uses."""

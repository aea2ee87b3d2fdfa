"""Radau IIA of orders 5, 9 and 13 for stiff forces [hairer1996, IV.8], compiled."""

from .stepper import RadauStepper

__all__ = ["RadauStepper"]

"""Proofs of a net's play.

``enumeration`` follows every sequence of replies to a player; ``certificate`` states the result,
and ``recheck`` confirms it by other code; ``exploiter`` finds what refutes a net in training;
``regret`` measures a net where an exact judge decides.
"""

"""What lies beyond the theorems, computed: Scan and Snap, the open lab, real text.

Every room is imported by its name: ``from nta_beyond.scansnap import train_scanning``.
"""

"""Boards and games for the eye: text boards, SVG, the replay page and the live page."""

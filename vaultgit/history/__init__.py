"""What git holds. The one gate to git, and what is read through it."""

"""What the person has said yes to beforehand."""

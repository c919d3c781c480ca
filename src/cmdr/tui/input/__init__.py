"""From the keyboard to commands: key bindings, key forwarding, and the queue of actions."""

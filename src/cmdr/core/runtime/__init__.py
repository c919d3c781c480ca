"""The running program: its one instance, its control socket, its log file, and when it ends by itself."""

"""Commands of the program itself: quitting, dialogs, the palette, settings."""

"""Archives: their lists and contents, read with distrust. What an archive says of itself is never taken for granted."""

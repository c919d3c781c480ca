"""What commands return: plain data, each with its one text and its one JSON form."""

"""Commands of the two panes: state, going places, cursor, selection, view, tabs, the file under the cursor."""

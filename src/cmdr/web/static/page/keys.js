// Which key usually does what. Keys that browsers keep for themselves (Ctrl+T, Ctrl+W, Ctrl+N) are left to them.

/** @typedef {{id: string, title: string, keys: string[], bar?: string}} Action */

/** Every action below its section: its name in the settings, what it does, its keys, its word in the key bar. */
const TABLE = String.raw`
# Files
rename         | Rename; several by pattern                | F2 Shift+F6 | Rename
view           | View                                      | F3          | View
edit           | Edit                                      | F4          | Edit
new_file       | New file                                  | Shift+F4
copy           | Copy                                      | F5          | Copy
copy_here      | Copy under another name here              | Shift+F5
move           | Move                                      | F6          | Move
mkdir          | New folder                                | F7          | New folder
trash          | Move to the trash                         | F8 Delete   | Trash
delete         | Delete for good                           | Shift+F8 Shift+Delete
bulk_rename    | Rename many                               | Alt+r
info           | Info                                      | Alt+i Alt+Enter
copy_path      | Copy the path to the clipboard            | Alt+c
copy_name      | Copy the name to the clipboard            | Alt+n
download       | Download; several as a zip                | Alt+Shift+d
upload         | Upload into this folder                   | Alt+Shift+u
menu           | What can be done with it                  | ContextMenu Shift+F10
# Go
other_pane     | Other pane                                | Tab Shift+Tab
open           | Open                                      | Enter
parent         | Up one folder                             | Backspace Ctrl+ArrowUp
back           | Back                                      | Alt+ArrowLeft
forward        | Forward                                   | Alt+ArrowRight
visited        | Folders this tab has been in              | Alt+ArrowDown
root           | Root folder                               | Ctrl+_
home           | Home folder                               | Alt+h
go_to_path     | Go to path                                | Ctrl+g
find           | Find                                      | Ctrl+f Alt+F7
report         | Report on this folder                     | Alt+l
treemap        | What fills this folder                    | Alt+u
bookmarks      | Bookmarks and frequent folders            | Ctrl+\ Ctrl+d
bookmark_here  | Bookmark this folder                      | Alt+b
open_other     | Folder under the cursor in the other pane | Alt+o
same_folder    | This folder in the other pane             | Ctrl+o
swap           | Swap panes                                | Ctrl+u
volume         | Volumes                                   | Ctrl+v
left_volume    | Volumes, left pane                        | Alt+F1
right_volume   | Volumes, right pane                       | Alt+F2
refresh        | Read again                                | Ctrl+r
# Cursor
up             | Cursor up                                 | ArrowUp
down           | Cursor down                               | ArrowDown
left           | Column to the left, or up a page          | ArrowLeft
right          | Column to the right, or down a page       | ArrowRight
page_up        | Page up                                   | PageUp
page_down      | Page down                                 | PageDown
first          | First                                     | Home
last           | Last                                      | End
# Select
mark           | Select and go down                        | Insert
mark_stay      | Select                                    | Space
mark_up        | Select upwards                            | Shift+ArrowUp
mark_down      | Select downwards                          | Shift+ArrowDown
mark_page_up   | Select a page upwards                     | Shift+PageUp
mark_page_down | Select a page downwards                   | Shift+PageDown
mark_first     | Select up to the first                    | Shift+Home
mark_last      | Select down to the last                   | Shift+End
select_mask    | Select by mask                            | +
deselect_mask  | Deselect by mask                          | -
invert         | Invert the selection                      | *
select_all     | Select all                                | Ctrl+a
select_none    | Select nothing                            | Ctrl+Shift+a Alt+-
compare        | Compare the panes                         | Alt+d
# View
filter         | Filter                                    | /
sort           | Sort                                      | Ctrl+s
view_mode      | Brief or full                             | Ctrl+b
hidden         | Hidden files                              | Alt+.
folder_size    | Add up the folder under the cursor        | Ctrl+Space
preview        | Quick view in the other pane              | Ctrl+x
# Tabs
new_tab        | New tab                                   | Alt+t
close_tab      | Close tab                                 | Alt+w
next_tab       | Next tab                                  | Alt+PageDown
previous_tab   | Previous tab                              | Alt+PageUp
pin_tab        | Pin tab                                   | Alt+p
reopen_tab     | Reopen closed tab                         | Alt+Shift+t
# Work
help           | Keys                                      | F1          | Keys
palette        | All commands                              | F9 Ctrl+p   | Commands
undo           | Undo                                      | Ctrl+z
history        | History and undo                          | Ctrl+Shift+z Alt+z
jobs           | Jobs                                      | Ctrl+j
approvals      | What agents propose                       | Ctrl+y
agents         | Agents                                    | Alt+a
mention        | Mention to the coding agent               | Alt+m
stop_agents    | Stop all agents                           | Ctrl+k
settings       | Settings                                  | Alt+s
`;

/** @type {[string, Action[]][]} */
export const SECTIONS = TABLE.split('# ').slice(1).map((section) => {
  const [name, ...rows] = section.trim().split('\n');
  return [name, rows.map((row) => {
    const [id, title, keys, bar] = row.split('|').map((cell) => cell.trim());
    return { id, title, keys: keys.split(' '), bar };
  })];
});

/** Every action. */
export const ALL = SECTIONS.flatMap(([, actions]) => actions);

-- Whether a file has unsaved changes, nil when it is not open. Comes after find_buffer.lua.
local buf = find(...)
if not buf then return vim.NIL end
return vim.bo[buf].modified

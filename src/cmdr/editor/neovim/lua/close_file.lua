-- Closes a file. Comes after find_buffer.lua.
local buf = find(...)
if not buf then return false end
api.nvim_buf_delete(buf, {})
return true

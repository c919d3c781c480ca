-- Saves a file that is open. Comes after find_buffer.lua.
local buf = find(...)
if not buf then return false end
api.nvim_buf_call(buf, function() vim.cmd('silent write') end)
return true

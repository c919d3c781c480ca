-- Takes a file from disk again unless it has unsaved changes. Comes after find_buffer.lua.
local buf = find(...)
if not buf or vim.bo[buf].modified then return false end
vim.bo[buf].autoread = true
local inert = pcall(api.nvim_buf_get_var, buf, 'cmdr_inert')
quietly(function() api.nvim_buf_call(buf, function() vim.cmd('silent! checktime') end) end, inert)
return true

-- Selects a range in a buffer.
local buf, start, last, behind, empty = ...
if vim.api.nvim_get_current_buf() ~= buf then return end
if vim.fn.mode():match('^[vV\22]') then vim.cmd('normal! \27') end
vim.api.nvim_win_set_cursor(0, start)
if not empty then
  vim.cmd('normal! v')
  vim.api.nvim_win_set_cursor(0, vim.o.selection == 'exclusive' and behind or last)
end

-- Tells whenever the cursor or the selection moved.
local channel = ...
local group = vim.api.nvim_create_augroup('cmdr_selection_' .. channel, { clear = true })
vim.api.nvim_create_autocmd({ 'CursorMoved', 'CursorMovedI', 'ModeChanged', 'BufEnter' }, {
  group = group,
  pattern = '*',
  callback = function()
    if not pcall(vim.rpcnotify, channel, 'cmdr_selection') then  -- nobody listens any more
      vim.schedule(function() pcall(vim.api.nvim_del_augroup_by_id, group) end)
    end
  end,
})

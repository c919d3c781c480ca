-- Opens a file, in front unless somebody types. Comes after find_buffer.lua and keys.lua.
local path, front, quiet, waits, syntax = ...
local inert = syntax ~= vim.NIL
if front and not keys.calm(quiet) then  -- nothing opens over somebody who types
  keys.say(waits)
  front = false
end
if not front then
  local known = find(path)
  local buf
  quietly(function()
    buf = known or vim.fn.bufadd(path)
    vim.fn.bufload(buf)
    vim.bo[buf].buflisted = true
  end, inert)
  if inert and not known then show_inert(buf, syntax) end
  return { buf = buf, front = false, lines = api.nvim_buf_get_lines(buf, 0, -1, false) }
end
vim.cmd('stopinsert')
local function usable(win)
  return vim.bo[api.nvim_win_get_buf(win)].buftype == '' and not vim.wo[win].diff
    and api.nvim_win_get_config(win).relative == ''
end
if not usable(api.nvim_get_current_win()) then
  local target
  for _, win in ipairs(api.nvim_list_wins()) do
    if usable(win) then target = win break end
  end
  if target then api.nvim_set_current_win(target) else vim.cmd('tabnew') end
end
local buf = find(path)
if buf then
  api.nvim_set_current_buf(buf)
else
  quietly(function() vim.cmd('silent edit ' .. vim.fn.fnameescape(path)) end, inert)
  buf = api.nvim_get_current_buf()
  if inert then show_inert(buf, syntax) end
end
vim.bo[buf].buflisted = true
return { buf = buf, front = true, lines = api.nvim_buf_get_lines(buf, 0, -1, false) }

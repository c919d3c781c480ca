"""What runs inside Neovim to show a diff and hear the answer; kept to what 0.7.2 knows."""

OPEN = r"""
local channel, id, label, old_lines, new_lines, ends, syntax, hint, word, why, deaf = ...
local api = vim.api

local function tell(...)
  pcall(vim.rpcnotify, channel, 'cmdr_diff', id, ...)  -- the other end may have left
end

local function buffer(name, lines)
  local buf = api.nvim_create_buf(false, true)
  api.nvim_buf_set_name(buf, name)
  vim.bo[buf].bufhidden = 'hide'
  vim.bo[buf].undolevels = -1  -- undo must not go back to an empty buffer
  api.nvim_buf_set_lines(buf, 0, -1, true, lines)
  vim.bo[buf].undolevels = vim.o.undolevels
  vim.bo[buf].fixendofline = false
  vim.bo[buf].modified = false
  return buf
end

local function open()
  vim.cmd('stopinsert')
  local name = 'cmdr://' .. id .. '/' .. label
  local old = buffer(name .. ' (before)', old_lines)
  local new = buffer(name, new_lines)
  vim.bo[new].buftype = 'acwrite'
  vim.bo[new].endofline = ends
  vim.bo[old].modifiable = false
  local group = api.nvim_create_augroup('cmdr_diff_' .. id, { clear = true })

  local finished = false
  local function finish()
    if finished then return end
    finished = true
    _G.cmdr_diffs[id] = nil
    pcall(api.nvim_del_augroup_by_id, group)
    for _, buf in ipairs({ old, new }) do
      if api.nvim_buf_is_valid(buf) then
        for _, win in ipairs(vim.fn.win_findbuf(buf)) do pcall(api.nvim_win_close, win, true) end
        pcall(api.nvim_buf_delete, buf, { force = true })
      end
    end
  end
  _G.cmdr_diffs = _G.cmdr_diffs or {}
  _G.cmdr_diffs[id] = finish

  local function shown(buf)
    return api.nvim_buf_is_valid(buf) and #vim.fn.win_findbuf(buf) > 0
  end
  local function look()
    -- Later, when a closing window is really gone: a buffer that no window shows any more was closed.
    vim.schedule(function()
      if finished or (shown(old) and shown(new)) then return end
      tell('closed')
      finish()
    end)
  end

  api.nvim_create_autocmd('BufWriteCmd', { group = group, buffer = new, callback = function()
    local target = vim.fn.expand('<afile>')
    local lines = api.nvim_buf_get_lines(new, 0, -1, true)
    if target ~= api.nvim_buf_get_name(new) then  -- a copy elsewhere is no answer
      vim.fn.writefile(lines, target)
      return
    end
    if word ~= '' then
      local typed = vim.fn.input({ prompt = why .. ' Type "' .. word .. '" to accept: ', cancelreturn = '' })
      if finished then return end  -- answered elsewhere meanwhile
      if vim.trim(typed):lower() ~= word then
        api.nvim_echo({ { ' Not accepted.', 'WarningMsg' } }, true, {})
        return
      end
    end
    vim.bo[new].modified = false
    tell('accepted', lines, vim.bo[new].endofline)
  end })

  local begun = vim.loop.now()
  local function listens()  -- keys of the first moment were on their way to somewhere else
    return vim.loop.now() - begun > deaf
  end
  local function accept()
    if listens() then api.nvim_buf_call(new, function() vim.cmd('write') end) end
  end
  local function reject()
    if not listens() or finished then return end
    tell('closed')
    finish()
  end
  for _, buf in ipairs({ old, new }) do
    vim.keymap.set('n', '<CR>', accept, { buffer = buf, desc = 'accept the proposed edit' })
    vim.keymap.set('n', 'q', reject, { buffer = buf, desc = 'reject the proposed edit' })
    api.nvim_buf_create_user_command(buf, 'Accept', accept, {})
    api.nvim_buf_create_user_command(buf, 'Reject', reject, {})
  end

  vim.cmd('tab sbuffer ' .. old)
  local left = api.nvim_get_current_win()
  vim.cmd('diffthis')
  vim.cmd('rightbelow vertical sbuffer ' .. new)
  local right = api.nvim_get_current_win()
  vim.cmd('diffthis')
  for _, buf in ipairs({ old, new }) do vim.bo[buf].syntax = syntax end
  vim.wo[left].statusline = ' before'
  vim.wo[right].statusline = ' ' .. hint:gsub('%%', '%%%%')
  api.nvim_create_autocmd({ 'WinClosed', 'TabClosed', 'BufWinLeave', 'BufWipeout' },
    { group = group, pattern = '*', callback = look })
  vim.bo[new].modified = true  -- so that ZZ and :wqall, which write only changes, accept as well
  tell('opened')
end

local ok, problem = pcall(open)
if not ok then
  local finish = _G.cmdr_diffs and _G.cmdr_diffs[id]
  if finish then finish() end
  tell('failed', tostring(problem))
end
"""

CLOSE = r"""
local finish = _G.cmdr_diffs and _G.cmdr_diffs[...]
if finish then finish() end
"""

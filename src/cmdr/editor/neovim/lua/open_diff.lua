-- Shows a diff once nobody types, and tells what the person does with it. Comes after keys.lua.
local channel, id, label, old_lines, new_lines, ends, syntax, hint, word, why, before, waits, quiet, deaf = ...
local api = vim.api
_G.cmdr_diffs = _G.cmdr_diffs or {}

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

-- A write that somebody typed as a command: not one of a plugin that saves by itself, nor of 'autowrite'.
local verbs = [=[w%[rite]|wq%[all]|wa%[ll]|x%[it]|xa%[ll]|exi%[t]|up%[date]]=]
local write = vim.regex([=[\v^[: \t%]*(sil%[ent]!?\s+)?(]=] .. verbs .. [=[)\a@!]=])
local function writes(command)
  for part in (command .. '|'):gmatch('([^|]*)|') do
    if write:match_str(part) then return true end
  end
  return false
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

  local right
  local awake, command = false, ''
  local stop_waking = function() end
  local finished = false
  local function finish()
    if finished then return end
    finished = true
    _G.cmdr_diffs[id] = nil
    stop_waking()
    pcall(api.nvim_del_augroup_by_id, group)
    for _, buf in ipairs({ old, new }) do
      if api.nvim_buf_is_valid(buf) then
        for _, win in ipairs(vim.fn.win_findbuf(buf)) do pcall(api.nvim_win_close, win, true) end
        pcall(api.nvim_buf_delete, buf, { force = true })
      end
    end
  end
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
    if not awake then
      keys.say(' Not accepted: you were typing when this edit came up. Look at it, then :w')
      return
    end
    if not writes(command) or not vim.tbl_contains(api.nvim_tabpage_list_wins(0), right) then
      keys.say(' Not accepted: only :w typed in its own tab accepts this edit.')
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

  api.nvim_create_autocmd('CmdlineLeave', { group = group, pattern = ':', callback = function()
    if vim.v.event.abort then return end
    command = vim.fn.getcmdline()
    vim.schedule(function() command = '' end)  -- it has run by then
  end })

  local function reject()
    if not awake or finished then return end
    tell('closed')
    finish()
  end
  for _, buf in ipairs({ old, new }) do
    vim.keymap.set('n', 'q', reject, { buffer = buf, desc = 'reject the proposed edit' })
    api.nvim_buf_create_user_command(buf, 'Reject', reject, {})
  end

  vim.cmd('tab sbuffer ' .. old)
  local left = api.nvim_get_current_win()
  vim.cmd('diffthis')
  vim.cmd('rightbelow vertical sbuffer ' .. new)
  right = api.nvim_get_current_win()
  vim.cmd('diffthis')
  for _, buf in ipairs({ old, new }) do vim.bo[buf].syntax = syntax end
  vim.wo[left].statusline = ' ' .. before:gsub('%%', '%%%%')
  vim.wo[right].statusline = ' ' .. hint:gsub('%%', '%%%%')
  api.nvim_create_autocmd({ 'WinClosed', 'TabClosed', 'BufWinLeave', 'BufWipeout' },
    { group = group, pattern = '*', callback = look })
  vim.bo[new].modified = true  -- so that :x and :wqall, which write only changes, accept as well
  vim.bo[new].modifiable = false
  stop_waking = keys.after(deaf, false, function()
    awake = true
    vim.bo[new].modifiable = true
    tell('awake')
  end)
  tell('opened')
end

local function try()
  local ok, problem = pcall(open)
  if not ok then
    local finish = _G.cmdr_diffs[id]
    if finish then finish() end
    tell('failed', tostring(problem))
  end
end

if not keys.calm(quiet) then
  keys.say(waits)
  tell('waits')
end
local stop
_G.cmdr_diffs[id] = function()  -- closed before it stood
  _G.cmdr_diffs[id] = nil
  if stop then stop() end
end
stop = keys.after(quiet, true, try)

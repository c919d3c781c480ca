"""What runs inside Neovim for files, selections and diagnostics; kept to what 0.7.2 knows."""

from cmdr.editor.neovim.pause_lua import KEYS

_FIND = r"""
local uv, api = vim.uv or vim.loop, vim.api
local function is_file(buf)
  return api.nvim_buf_is_valid(buf) and vim.bo[buf].buftype == '' and api.nvim_buf_get_name(buf) ~= ''
end
local function find(path)
  local real = uv.fs_realpath(path) or path
  for _, buf in ipairs(api.nvim_list_bufs()) do
    if is_file(buf) and vim.fn.bufloaded(buf) == 1 then
      local name = api.nvim_buf_get_name(buf)
      if name == path or name == real or uv.fs_realpath(name) == real then return buf end
    end
  end
end
local function quietly(work, inert)
  -- Another Neovim's swap file would ask what to do, and everything would wait for the answer.
  local before, modelines, ignored = vim.o.shortmess, vim.o.modelines, vim.o.eventignore
  vim.o.shortmess = before .. 'A'
  if inert then
    -- Nothing in the file is obeyed, and nothing starts because of it: no plugin, no language server.
    vim.o.modelines, vim.o.eventignore = 0, 'all'
  end
  local ok, problem = pcall(work)
  vim.o.shortmess, vim.o.modelines, vim.o.eventignore = before, modelines, ignored
  if not ok then error(problem, 0) end
end
local function show_inert(buf, syntax)
  api.nvim_buf_set_var(buf, 'cmdr_inert', true)
  vim.bo[buf].syntax = syntax
end
"""

OPEN = (
    _FIND
    + KEYS
    + r"""
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
"""
)

SELECT = r"""
local buf, start, last, behind, empty = ...
if vim.api.nvim_get_current_buf() ~= buf then return end
if vim.fn.mode():match('^[vV\22]') then vim.cmd('normal! \27') end
vim.api.nvim_win_set_cursor(0, start)
if not empty then
  vim.cmd('normal! v')
  vim.api.nvim_win_set_cursor(0, vim.o.selection == 'exclusive' and behind or last)
end
"""

SELECTION = (
    _FIND
    + r"""
local buf = api.nvim_get_current_buf()
if not is_file(buf) then return vim.NIL end
local mode = vim.fn.mode()
local visual = mode:match('^[vV\22]') ~= nil
local cursor = vim.fn.getpos('.')
local anchor = visual and vim.fn.getpos('v') or cursor
local first, last = math.min(anchor[2], cursor[2]), math.max(anchor[2], cursor[2])
return {
  path = api.nvim_buf_get_name(buf),
  visual = visual,
  whole_lines = mode:sub(1, 1) == 'V',
  exclusive = vim.o.selection == 'exclusive',
  anchor = { anchor[2] - 1, anchor[3] - 1 },
  cursor = { cursor[2] - 1, cursor[3] - 1 },
  lines = api.nvim_buf_get_lines(buf, first - 1, last, false),
}
"""
)

EDITORS = (
    _FIND
    + r"""
local out = {}
for _, buf in ipairs(api.nvim_list_bufs()) do
  if is_file(buf) and vim.bo[buf].buflisted then
    table.insert(out, {
      path = api.nvim_buf_get_name(buf),
      active = buf == api.nvim_get_current_buf(),
      dirty = vim.bo[buf].modified,
    })
  end
end
return out
"""
)

DIRTY = (
    _FIND
    + r"""
local buf = find(...)
if not buf then return vim.NIL end
return vim.bo[buf].modified
"""
)

SAVE = (
    _FIND
    + r"""
local buf = find(...)
if not buf then return false end
api.nvim_buf_call(buf, function() vim.cmd('silent write') end)
return true
"""
)

RELOAD = (
    _FIND
    + r"""
local buf = find(...)
if not buf or vim.bo[buf].modified then return false end
vim.bo[buf].autoread = true
local inert = pcall(api.nvim_buf_get_var, buf, 'cmdr_inert')
quietly(function() api.nvim_buf_call(buf, function() vim.cmd('silent! checktime') end) end, inert)
return true
"""
)

CLOSE = (
    _FIND
    + r"""
local buf = find(...)
if not buf then return false end
api.nvim_buf_delete(buf, {})
return true
"""
)

DIAGNOSTICS = (
    _FIND
    + r"""
local path = ...
local wanted = nil
if path ~= vim.NIL then
  wanted = find(path)
  if not wanted then return {} end
end
local out = {}
for _, found in ipairs(vim.diagnostic.get(wanted)) do
  if is_file(found.bufnr) then
    local function line(number)
      return api.nvim_buf_get_lines(found.bufnr, number, number + 1, false)[1] or ''
    end
    local last = found.end_lnum or found.lnum
    table.insert(out, {
      path = api.nvim_buf_get_name(found.bufnr),
      message = found.message,
      severity = found.severity,
      source = found.source or vim.NIL,
      code = found.code ~= nil and tostring(found.code) or vim.NIL,
      start = { found.lnum, found.col or 0, line(found.lnum) },
      finish = { last, found.end_col or found.col or 0, line(last) },
    })
  end
end
return out
"""
)

WATCH = r"""
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
"""

-- What Neovim knows to be wrong in one file or in all. Comes after find_buffer.lua.
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

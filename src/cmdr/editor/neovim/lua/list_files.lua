-- All open files. Comes after find_buffer.lua.
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

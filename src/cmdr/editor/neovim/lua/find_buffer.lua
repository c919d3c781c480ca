-- What the scripts about files share: which buffers are files, and the buffer of a path.
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

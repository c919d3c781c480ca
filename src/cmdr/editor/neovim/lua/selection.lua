-- What is selected in the file in front. Comes after find_buffer.lua.
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

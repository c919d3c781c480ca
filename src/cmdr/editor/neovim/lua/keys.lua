-- Makes `keys`, once for a Neovim: when the last key came, and what waits for a pause.
local keys = _G.cmdr_keys
if not keys then
  local uv = vim.uv or vim.loop
  keys = { last = uv.hrtime(), tasks = {} }
  _G.cmdr_keys = keys

  function keys.idle()
    return (uv.hrtime() - keys.last) / 1e6
  end

  -- Whether nothing is being typed, neither keys now nor half of something: a text, a command, a motion.
  function keys.calm(ms)
    local mode = vim.api.nvim_get_mode()
    local between = mode.mode == 'nt' or mode.mode:match('^[nvVt\22]$')  -- a selection may be an agent's
    return between ~= nil and not mode.blocking and keys.idle() >= ms
  end

  local function later(task, ms)
    if task.armed then return end
    task.armed = true
    vim.defer_fn(function()
      task.armed = false
      if keys.tasks[task] then task.check() end
    end, math.max(1, math.ceil(ms)))
  end

  -- Run `work` once no key came for `ms`, and nothing is half typed where `between` says so; returns how to stop.
  function keys.after(ms, between, work)
    local task = {}
    function task.check()
      if keys.idle() < ms then return later(task, ms - keys.idle()) end
      if between and not keys.calm(ms) then return end  -- only a key ends this, and every key asks again
      keys.tasks[task] = nil
      work()
    end
    function task.key() later(task, ms) end
    keys.tasks[task] = true
    task.check()
    return function() keys.tasks[task] = nil end
  end

  -- One line that asks for nothing: a longer one would make Neovim wait for Enter.
  function keys.say(text)
    local mode = vim.api.nvim_get_mode().mode
    if mode:sub(1, 1) == 'c' or mode:sub(1, 1) == 'r' then return end
    while vim.fn.strdisplaywidth(text) > math.max(10, vim.v.echospace) do
      text = vim.fn.strcharpart(text, 0, vim.fn.strchars(text) - 1)
    end
    vim.api.nvim_echo({ { text, 'WarningMsg' } }, false, {})
  end

  vim.on_key(function()
    keys.last = uv.hrtime()
    for task in pairs(keys.tasks) do task.key() end
  end, vim.api.nvim_create_namespace('cmdr_keys'))
end

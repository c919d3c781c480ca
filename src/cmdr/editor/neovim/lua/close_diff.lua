-- Takes a diff off the screen.
local finish = _G.cmdr_diffs and _G.cmdr_diffs[...]
if finish then finish() end

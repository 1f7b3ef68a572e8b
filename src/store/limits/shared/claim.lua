-- Ids that belong to whoever claims them first. KEYS: the ids; ARGV: who claims them, for how long (ms). 1 = they are theirs, 0 = somebody else's.
local theirs = {}
for place, id in ipairs(KEYS) do
  if redis.call('SET', id, ARGV[1], 'NX', 'PX', ARGV[2]) or redis.call('GET', id) == ARGV[1] then
    theirs[place] = 1
  else
    theirs[place] = 0
  end
end
return theirs

-- The epoch of a domain, which only grows. KEYS: the epochs (a hash); ARGV: the domain, its epoch, a later one that is wrong ('' = none).
local known = redis.call('HGET', KEYS[1], ARGV[1])
if not known or known == ARGV[3] or tonumber(known) < tonumber(ARGV[2]) then
  redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
end
return 1

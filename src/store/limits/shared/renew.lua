-- Requests go on running: their leases end later. KEYS: the set of each; ARGV: the lease in ms, then the name of each.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local lease = tonumber(ARGV[1])
for n = 1, #KEYS do
  redis.call('ZADD', KEYS[n], string.format('%.0f', now + lease), ARGV[n + 1])
  redis.call('PEXPIRE', KEYS[n], lease)
end
return now

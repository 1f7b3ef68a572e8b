-- One decision about one request. All keys are of one identity and so of one slot of a cluster.
--
-- KEYS: the requests that run (a sorted set, by when their lease ends), then one list of admission times for each window, newest first.
-- ARGV: what to do (admit, peek, back, clear), the time ('' = this server's), cap (0 = none), the request's name, its lease in ms, max and
--       length in ms of each window, then the names of requests that have ended.
-- Gives {1, time} or {0, what is full (the window's number, 0 = requests that run), when there is room again, time}.
local now
if ARGV[2] == '' then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
else
  now = tonumber(ARGV[2])
end
local windows = #KEYS - 1

if ARGV[1] == 'back' then
  for w = 1, windows do
    redis.call('LPOP', KEYS[w + 1])
  end
  return {1, now}
end

if ARGV[1] == 'clear' then
  for w = 1, windows do
    redis.call('DEL', KEYS[w + 1])
  end
  return {1, now}
end

for over = 6 + 2 * windows, #ARGV do
  redis.call('ZREM', KEYS[1], ARGV[over])
end

local full, reset = nil, 0
for w = 1, windows do
  local key = KEYS[w + 1]
  local max, length = tonumber(ARGV[4 + 2 * w]), tonumber(ARGV[5 + 2 * w])
  local oldest = redis.call('LINDEX', key, -1)
  while oldest and tonumber(oldest) <= now - length do
    redis.call('RPOP', key)
    oldest = redis.call('LINDEX', key, -1)
  end
  local last = redis.call('LINDEX', key, max - 1)
  if last and (not full or tonumber(last) + length > reset) then
    full, reset = w, tonumber(last) + length
  end
end
if full then
  return {0, full, reset, now}
end

local cap = tonumber(ARGV[3])
if cap > 0 then
  redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
  if redis.call('ZCARD', KEYS[1]) >= cap then
    return {0, 0, now + 1000, now}
  end
end
if ARGV[1] == 'peek' then
  return {1, now}
end

for w = 1, windows do
  local key = KEYS[w + 1]
  local newest = redis.call('LINDEX', key, 0)
  local time = now
  if newest and tonumber(newest) > now then
    time = tonumber(newest)
  end
  redis.call('LPUSH', key, string.format('%.0f', time))
  -- A minute more than it counts.
  redis.call('PEXPIRE', key, tonumber(ARGV[5 + 2 * w]) + 60000)
end
if cap > 0 then
  local lease = tonumber(ARGV[5])
  redis.call('ZADD', KEYS[1], string.format('%.0f', now + lease), ARGV[4])
  redis.call('PEXPIRE', KEYS[1], lease)
end
return {1, now}

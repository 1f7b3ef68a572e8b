// From an item to a request: one queue per route, batches, retries, and beacons when the page goes away.
//
// Bodies go as text/plain, which needs no preflight. Every item carries its own id, so that a repeated request counts
// once; an item leaves its queue when the answer says that it is kept or never will be.

import { api, options } from "./options.js";

/** Characters of a request that are 60 KiB at most, which is what a beacon or a keepalive request may carry. */
const MAX_CHARACTERS = 20 * 1024;
const MAX_WAITING = 1000;
const LONGEST_WAIT = 30 * 1000;

const queues = {};

const url = ({ route }) => `${api + route}?client_id=${options.clientId}`;

/** Queues an item for a route; `isOne` for routes that take one object at once instead of an array in time. */
export function enqueue(route, item, isOne) {
  const queue = (queues[route] ||= { route, isOne, items: [] });
  const count = queue.items.push(JSON.stringify(item));
  if (count > MAX_WAITING) queue.items.shift();
  if (isOne || !options.enableBatching || count >= options.batchSize) flush(queue);
  else queue.timer ||= setTimeout(flush, options.batchTimeout, queue);
  return true;
}

// The body of one request: as much as fits, taken out of the queue into `items`.
function take(queue) {
  const { items, isOne, most } = queue;
  let size = 2;
  let count = 0;
  while (items[count] && count < (isOne || most || Infinity) && ((size += items[count].length + 1) < MAX_CHARACTERS || !count)) count++;
  queue.taken = items.splice(0, count);
  return count && (isOne ? queue.taken[0] : `[${queue.taken}]`);
}

// What is kept alive outlives the page, but is refused when it is larger than that. A network that is away answers
// with nothing.
const post = (queue, body) =>
  fetch(url(queue), { method: "POST", body, keepalive: body.length < MAX_CHARACTERS }).catch(() => 0);

async function flush(queue) {
  queue.timer = 0;
  if (queue.busy) return;
  queue.busy = true;
  for (let body; (body = take(queue)); ) {
    const { taken } = queue;
    const { ok, status } = await post(queue, body);
    if (ok) {
      queue.wait = 0;
    } else if (options.enableRetries && (!(status < 500) || status == 429)) {
      queue.items.unshift(...taken);
      queue.wait = Math.min(2 * queue.wait || options.initialRetryDelay, LONGEST_WAIT);
      await new Promise((done) => setTimeout(done, queue.wait * (0.85 + Math.random() * 0.3)));
    } else if (taken[1] && (status == 400 || status == 413)) {
      // One wrong item must not take the others with it.
      queue.items.unshift(...taken);
      queue.most = 1;
    } else {
      console.warn(status, taken);
    }
  }
  queue.most = 0;
  queue.busy = false;
}

/** Sends what waits. */
export function flushAll() {
  Object.values(queues).forEach(flush);
}

/** Hands what waits over to the browser, because the page goes away. */
export function handOver() {
  Object.values(queues).forEach((queue) => {
    for (let body; (body = take(queue)); ) navigator.sendBeacon(url(queue), body) || post(queue, body);
  });
}

/** Forgets what waits. */
export function discard() {
  Object.values(queues).forEach((queue) => (queue.items = []));
}

// Who this is: the browser's anonymous id, the session, the profile, and what the address said about the arrival.
// Nothing here is called, and so nothing stored, while tracking is off.

import { local, session, uuid } from "./browser.js";
import { lastSign } from "./engagement.js";

const IDLE = 30 * 60 * 1000;
/** Campaigns and, without a `u`, the ids of clicks on ads. */
const ARRIVAL = /^(utm_(source|medium|campaign|term|content)|(g|fb|tt|tw)clid|msclkid|li_fat_id)$/;

/** An ID that the address hands over: by default of another site of the same owner. */
export const handedOver = (parameter, pattern = /^(anon|sess)_[\da-f-]{36}$/) =>
  new URLSearchParams(location.search).get(parameter)?.match(pattern)?.[0];

export const anonymousId = () => (local.did = handedOver("anonId") || local.did || "anon_" + uuid());

/** The session's id; a new one after half an hour without an event or any other sign of life. */
export function sessionId() {
  const now = Date.now();
  const isFresh = now - Math.max(session.did_session_timestamp || 0, lastSign) < IDLE;
  const id = handedOver("sessionId") || (isFresh && session.did_session) || "sess_" + uuid();
  if (id != session.did_session) {
    session.did_session = id;
    session.did_session_pages = 0;
    delete session.did_profile_sent;
  }
  session.did_session_timestamp = now;
  return id;
}

/** Forgets who this is; the profile is another matter. */
export function forget() {
  delete local.did;
  delete local.did_params;
  delete session.did_session;
}

function pick(query, except) {
  const found = {};
  new URLSearchParams(query).forEach((value, key) => {
    if (ARRIVAL.test(key) && key[0] != except) found[key] = value.slice(0, 128);
  });
  return found;
}

/** What the address says about the campaign that brought the visitor. */
export const arrival = () => pick(location.search);

/** The same with the click ids of earlier visits, by which a later conversion finds its ad. */
export function attribution() {
  const clicks = String(new URLSearchParams(pick(location.search, "u")));
  if (clicks) local.did_params = clicks;
  return { ...pick(local.did_params), ...arrival() };
}

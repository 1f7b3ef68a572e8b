// Who the website says that the visitor is.

import { cut, local, session } from "./browser.js";
import { isOff } from "./consent.js";
import { send } from "./page.js";

/** Ties this browser to a profile; saying it again without traits costs nothing. */
export function identify(id, traits) {
  id = cut(id, 256);
  if (!id || isOff()) return;
  local.did_profile = id;
  if (!traits && session.did_profile_sent == id) return;
  if (send("/identify", { profileId: id, traits }, 1)) session.did_profile_sent = id;
}

/** Forgets the profile; the browser keeps its anonymous id. */
export function clearProfile() {
  delete local.did_profile;
  delete session.did_profile_sent;
}

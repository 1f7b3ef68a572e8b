// What the page asked for: defaults < window.databuddyConfig < window.pharosConfig < data-* attributes < the query
// string of the script's address.

const script = document.currentScript || document.querySelector("script[data-client-id]") || {};
const source = new URL(script.src || location);

/** The options in force, also `window.pharos.options`. */
export const options = {
  trackAttributes: true,
  trackOutgoingLinks: true,
  trackInteractions: true,
  trackPerformance: true,
  trackErrors: true,
  samplingRate: 1,
  enableRetries: true,
  initialRetryDelay: 500,
  enableBatching: true,
  batchSize: 10,
  batchTimeout: 5000,
  ...window.databuddyConfig,
  ...window.pharosConfig,
};

// Attributes and parameters are texts: numbers, lists, true and false are meant when they look like it, and an
// attribute without a value says yes.
function take(text, key) {
  let value = text || true;
  try {
    if (key != "clientId") value = JSON.parse(text);
  } catch {
    // A plain text.
  }
  options[key] = value;
}

for (const key in script.dataset) take(script.dataset[key], key);
if (script.src) source.searchParams.forEach(take);
options.trackWebVitals ??= options.trackPerformance;

/** Where requests go, without a final slash: the origin of the script unless the page says otherwise. */
export const api = options.apiUrl ? new URL(options.apiUrl, location).href.replace(/\/$/, "") : source.origin;

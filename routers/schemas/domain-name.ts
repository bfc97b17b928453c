/** RFC 1035, section 2.3.4; the whole name without the last dot. */
export const DOMAIN_NAME_MAX = 253;
/** A pasted address may be longer than its host name. */
export const DOMAIN_TEXT_MAX = 2_048;
/** RFC 1123, section 2.1: letters, digits and hyphens, 1 to 63 of them, no hyphen at an end. */
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const SCHEME = /^[a-z][a-z0-9+.-]{0,31}:\/\//i;
const CONTROL = /\p{Cc}/u;

/**
 * Returns the host name in a typed or pasted text, in lower case and ASCII, without scheme, port, path and last dot:
 * `https://Müller.example:8443/shop` gives `xn--mller-kva.example`. Returns null when there is none of two labels or
 * more. The URL parser does the conversion (UTS 46), in the browser as on the server.
 */
export function domainNameIn(text: string): string | null {
  if (text.length > DOMAIN_TEXT_MAX) return null;
  const typed = text.trim();
  // The parser silently drops control characters.
  if (CONTROL.test(typed)) return null;
  const scheme = SCHEME.exec(typed)?.[0] ?? '';
  // Without a scheme this is an address of mail, and its owner need not be the domain's.
  if (scheme === '' && /^[^/?#]*@/.test(typed)) return null;
  const host = hostOf(`http://${typed.slice(scheme.length)}`);
  const name = host?.endsWith('.') ? host.slice(0, -1) : host;
  if (name === undefined || name.length > DOMAIN_NAME_MAX) return null;
  const labels = name.split('.');
  // The parser turns an IP address in any spelling into digits and dots, which are not a name.
  if (labels.length < 2 || /^\d+$/.test(labels.at(-1) ?? '')) return null;
  return labels.every((label) => LABEL.test(label)) ? name : null;
}

function hostOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).hostname : undefined;
}

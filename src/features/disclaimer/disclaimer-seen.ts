import { DISCLAIMER_SEEN } from '../../../routers/schemas/disclaimer.ts';
import { DISCLAIMER_COOKIE_SECONDS } from '../../../routers/schemas/limits.ts';

/** Returns whether the disclaimer was seen in this browser: by the flag or by the cookie. */
export function readDisclaimerSeen(): boolean {
  return readFlag() || document.cookie.split('; ').includes(`${DISCLAIMER_SEEN}=true`);
}

/** Sets flag and cookie; returns whether the flag was stored, since a browser may refuse its storage. */
export function writeDisclaimerSeen(): boolean {
  const isSecure = location.protocol === 'https:' ? '; Secure' : '';
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser that is supported
  document.cookie = `${DISCLAIMER_SEEN}=true; Max-Age=${DISCLAIMER_COOKIE_SECONDS}; Path=/; SameSite=Lax${isSecure}`;
  try {
    localStorage.setItem(DISCLAIMER_SEEN, 'true');
  } catch {
    return false;
  }
  return readFlag();
}

function readFlag(): boolean {
  try {
    return localStorage.getItem(DISCLAIMER_SEEN) === 'true';
  } catch {
    return false;
  }
}

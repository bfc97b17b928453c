/** Returns whether a text is the scheme and host of a website, with nothing after them. */
export function isOrigin(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  const isWeb = url.protocol === 'http:' || url.protocol === 'https:';
  return isWeb && url.username === '' && url.href === `${url.origin}/` && !text.endsWith('?') && !text.endsWith('#');
}

/** Returns whether a text is the address of a mail server, with or without TLS. */
export function isSmtpUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  return (url.protocol === 'smtp:' || url.protocol === 'smtps:') && url.hostname !== '' && url.hash === '';
}

/** Returns whether a text is the base address of an API, which may have a path. */
export function isApiUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, search, hash } = new URL(text);
  return (protocol === 'http:' || protocol === 'https:') && username === '' && search === '' && hash === '';
}

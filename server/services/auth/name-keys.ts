/** Returns a name as it is stored and shown. */
export function spacesCollapsed(username: string): string {
  return username.trim().replaceAll(/ +/g, ' ');
}

/** What makes a user name unique: lower case, runs of spaces collapsed. */
export function usernameKey(username: string): string {
  return spacesCollapsed(username).toLowerCase();
}

/** What makes an address unique: no two accounts share one that differs in case alone. */
export function emailKey(email: string): string {
  return email.trim().toLowerCase();
}

/** What mail to one mailbox has in common: what stands behind a plus sign is the reader's own (RFC 5233). */
export function recipientKey(email: string): string {
  const key = emailKey(email);
  const at = key.lastIndexOf('@');
  const [mailbox = ''] = key.slice(0, at).split('+', 1);
  return `${mailbox}${key.slice(at)}`;
}

/** Returns a name in the form that is stored and shown. */
export function spacesCollapsed(username: string): string {
  return username.trim().replaceAll(/ +/g, ' ');
}

/** Returns the unique form of a user name: lower case, runs of spaces collapsed. */
export function usernameKey(username: string): string {
  return spacesCollapsed(username).toLowerCase();
}

/** Returns the unique form of an address: no two accounts have addresses that differ in case alone. */
export function emailKey(email: string): string {
  return email.trim().toLowerCase();
}

/** Returns the mailbox of an address: the part after a plus sign is the reader's own (RFC 5233). */
export function recipientKey(email: string): string {
  const key = emailKey(email);
  const at = key.lastIndexOf('@');
  const [mailbox = ''] = key.slice(0, at).split('+', 1);
  return `${mailbox}${key.slice(at)}`;
}

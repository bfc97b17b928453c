/** Returns whether a support address stands in for one that is not set: it leads to this computer alone. */
export function isPlaceholder(supportEmail: string): boolean {
  return ['@localhost', '@127.', '@['].some((end) => supportEmail.includes(end));
}

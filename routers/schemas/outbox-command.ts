/** A kind of mail that a person is told to look for, since it holds a link. */
export type LinkMail = 'confirm-email' | 'reset-password' | 'delete-account';

/**
 * Returns the command that shows the newest mail to an address, of a kind if one is given, on the computer that Fairlead
 * runs on. An address that a shell would read in another way is left out: then it shows the newest to anyone.
 */
export function outboxCommand(address: string, kind?: LinkMail): string {
  const to = /^\w[\w.+@-]*$/.test(address) && address;
  return ['npx fairlead outbox show', to, kind].filter(Boolean).join(' ');
}

/**
 * Returns the command that shows the newest mail to an address, on the computer that Fairlead runs on. An address that
 * a shell would read in another way is left out: then it shows the newest of all.
 */
export function outboxCommand(address: string): string {
  return `npx fairlead outbox show${/^\w[\w.+@-]*$/.test(address) ? ` ${address}` : ''}`;
}

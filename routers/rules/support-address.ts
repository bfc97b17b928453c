import { isLocal } from './this-machine.ts';

/** Returns whether a support address stands in for one that is not set: it leads to this computer alone. */
export function isPlaceholder(supportEmail: string): boolean {
  return isLocal(supportEmail.slice(supportEmail.lastIndexOf('@') + 1));
}

import type { Addresses } from '../../context.ts';
import { AppError } from '../../lib/errors.ts';
import { counterpartsOf, domainFault, isRegistrableDomain } from '../../lib/site-domain.ts';

/** Returns the error for a name that cannot be taken, at its field. */
export function nameRefused(message: string, hint?: string): AppError {
  return new AppError('validation_failed', message, { field: 'name', fieldErrors: { name: message }, hint });
}

/** Returns the refusal of a name that no account can have: `validation_failed` on `name`. */
export function unusableName({ sitesDomain, publicUrl }: Addresses, name: string): AppError | null {
  const fault = domainFault(name, { sitesDomain, publicHost: new URL(publicUrl).hostname });
  return fault === null ? null : nameRefused(fault);
}

/** Refuses names that no account can have. Throws `validation_failed` on `name`. */
export function requireUsableName(addresses: Addresses, name: string): void {
  const refused = unusableName(addresses, name);
  if (refused !== null) throw refused;
}

/** Returns the name with its counterpart: `www` and the registrable domain below it are one unit, proved at the latter. */
export function unitOf(name: string): { counterpart: string | null; unit: string } {
  const counterpart = counterpartsOf(name)[0] ?? null;
  return { counterpart, unit: counterpart === null || isRegistrableDomain(name) ? name : counterpart };
}

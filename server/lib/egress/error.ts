export type EgressFault = 'refused' | 'unknown_name' | 'silent' | 'too_slow' | 'too_large' | 'redirects' | 'connection';

/**
 * `refused`: the address may not be reached, and a retry changes nothing. `unknown_name`: the name servers know no
 * address of the name. The message is for a person.
 */
export class EgressError extends Error {
  readonly fault: EgressFault;

  constructor(fault: EgressFault, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'EgressError';
    this.fault = fault;
  }
}

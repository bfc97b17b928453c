import type { QueryOptions, Schema } from 'mongoose';

/**
 * Query option for the few reads that serve all accounts: jobs, the host, sign-in. Its value says which of them reads.
 */
type AcrossAccounts =
  | 'host'
  | 'jobs'
  | 'sign-in'
  | 'unique-name'
  | 'license-key'
  | 'shared-link'
  | 'payment-notice'
  | 'maintenance';

/** Lets maintenance read all accounts at once, as it looks for corruption and for what nothing needs any more. */
export const MAINTENANCE = { acrossAccounts: 'maintenance' } as const satisfies QueryOptions;

/** Stands as the `accountId` of a job or a mail that belongs to no account, such as a message for the operator. */
export const NO_ACCOUNT = 'nobody';

declare module 'mongoose' {
  interface QueryOptions<DocType = unknown> {
    acrossAccounts?: AcrossAccounts;
  }
}

const FILTERED = [
  'find',
  'findOne',
  'countDocuments',
  'distinct',
  'findOneAndUpdate',
  'findOneAndDelete',
  'findOneAndReplace',
  'updateOne',
  'updateMany',
  'deleteOne',
  'deleteMany',
  'replaceOne',
] as const;

/**
 * Guards a model whose documents belong to an account: a filter without `accountId` throws, unless the query says with
 * `.setOptions({ acrossAccounts: … })` why it reads all accounts.
 */
export function accountScope(schema: Schema): void {
  schema.pre([...FILTERED], function requireAccount() {
    if (this.getOptions().acrossAccounts !== undefined) return;
    if (!('accountId' in this.getFilter())) throw new Error(`A filter on ${this.model.modelName} lacks the account.`);
  });
}

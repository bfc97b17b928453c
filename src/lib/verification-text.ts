/**
 * A sample of the unchanged files is fetched as well (server/publishing/publication/verify.ts); the short text leaves it
 * out.
 */
export const LIVE_ONCE_COMPARED =
  'Your site is live once every new or changed file has been fetched back and compared.';

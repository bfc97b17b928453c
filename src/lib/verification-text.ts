/** Says what is fetched before a release counts as live; a sample of the other files is as well (services/releases/verify.ts). */
export const LIVE_ONCE_COMPARED =
  'Your site is live once every new or changed file has been fetched back and compared.';

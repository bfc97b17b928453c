/** The verbs of the router; those of the operator, on the command line, are in operate.ts. */
export { listLicenses } from './read.ts';
export { redeemLicense } from './redeem.ts';
export { revokeLicense, transferLicense } from './transfer.ts';

/** The procedures of the router; the operator's commands are in operate.ts. */
export { listLicenses } from './read.ts';
export { redeemLicense } from './redeem.ts';
export { revokeLicense, transferLicense } from './transfer.ts';

import * as z from 'zod/mini';
import { isLicenseKey, normalizeLicenseKey } from './license-key.ts';
import { paidPlanSchema } from './plans.ts';
import { idSchema } from './primitives.ts';
import { LICENSE_STATES } from './state-names.ts';

/** More than any way of writing a key takes. */
const TYPED_MAX = 100;

const licenseKeySchema = z
  .string()
  .check(
    z.minLength(1, 'Enter a license key'),
    z.maxLength(TYPED_MAX, 'This is too long to be a license key'),
    z.overwrite(normalizeLicenseKey),
    z.refine(isLicenseKey, 'This is not a whole license key. Compare it with the one you were given.'),
  );

export const redeemLicenseInput = z.strictObject({ key: licenseKeySchema });
export const transferLicenseInput = z.strictObject({ licenseId: idSchema });
export const revokeLicenseInput = z.strictObject({ licenseId: idSchema });

export const licenseStateSchema = z.enum(LICENSE_STATES);
/**
 * The status of a license that an account holds: the plan comes from it, it begins when another ends, its time is
 * over, a higher plan has replaced it, its rest waits for somebody to redeem it, it was transferred, or the operator
 * ended it.
 */
export const LICENSE_STATUSES = [
  'running',
  'waiting',
  'ended',
  'replaced',
  'transferring',
  'transferred',
  'revoked',
] as const;
export const licenseActSchema = z.enum(['created', 'redeemed', 'transferred', 'accepted', 'taken_back', 'revoked']);

const licenseSchema = z.strictObject({
  id: idSchema,
  /** The first eight characters of the key: enough to recognise it, too few to use it. */
  prefix: z.string(),
  plan: paidPlanSchema,
  status: z.enum(LICENSE_STATUSES),
  startsAt: z.date(),
  endsAt: z.date(),
  redeemedAt: z.date(),
  history: z.array(z.strictObject({ at: z.date(), what: licenseActSchema })),
});
export const licenseListSchema = z.strictObject({ items: z.array(licenseSchema) });
export const redeemedLicenseSchema = licenseSchema;
/** `key` is shown once; only its hash is stored. */
export const transferredLicenseSchema = z.strictObject({ license: licenseSchema, key: z.string() });

export type RedeemLicenseInput = z.infer<typeof redeemLicenseInput>;
export type TransferLicenseInput = z.infer<typeof transferLicenseInput>;
export type RevokeLicenseInput = z.infer<typeof revokeLicenseInput>;
export type LicenseAct = z.infer<typeof licenseActSchema>;
export type LicenseStatus = (typeof LICENSE_STATUSES)[number];
export type License = z.infer<typeof licenseSchema>;
export type TransferredLicense = z.infer<typeof transferredLicenseSchema>;

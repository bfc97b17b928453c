import * as z from 'zod/mini';
import { cursorSchema, idSchema, PAGE_SIZE_MAX, pageSizeSchema } from './primitives.ts';
import { CERTIFICATE_STATES } from './state-names.ts';

export const certificateStateSchema = z.enum(CERTIFICATE_STATES);

export const listCertificatesInput = z.optional(
  z.strictObject({
    domainId: z.optional(idSchema),
    /** The domains of one page: each has one certificate, and one more for its wildcard. */
    domainIds: z.optional(z.array(idSchema).check(z.minLength(1), z.maxLength(PAGE_SIZE_MAX))),
    /**
     * Limits the list to certificates that cannot be renewed, are late or have expired: the others renew
     * automatically.
     */
    needsCare: z.optional(z.literal(true)),
    cursor: z.optional(cursorSchema),
    limit: pageSizeSchema,
  }),
);
export const getCertificateInput = z.strictObject({ certificateId: idSchema });
export const issueCertificateInput = z.strictObject({ domainId: idSchema, wildcard: z.optional(z.boolean()) });
export const renewCertificateInput = z.strictObject({ certificateId: idSchema });
export const revokeCertificateInput = z.strictObject({ certificateId: idSchema });
export const rehearseCertificateInput = z.strictObject({ certificateId: idSchema });

/** One condition of a renewal, tried ahead of it. `unknown`: it could not be tried from here. */
export const rehearsalCheckSchema = z.strictObject({
  id: z.enum(['dns', 'challenge', 'caa', 'account', 'limits', 'staging']),
  verdict: z.enum(['pass', 'fail', 'unknown']),
  message: z.string(),
});
export const rehearsalSchema = z.strictObject({ at: z.date(), checks: z.array(rehearsalCheckSchema) });

export const certificateSchema = z.strictObject({
  id: idSchema,
  domainId: idSchema,
  names: z.array(z.string()),
  /** The names that the present certificate is not for; absent when there is none of these. */
  uncovered: z.optional(z.array(z.string())),
  state: certificateStateSchema,
  /** The serial number in hex; null until one was issued. */
  serial: z.nullable(z.string()),
  issuer: z.nullable(z.string()),
  /** False for a certificate of the app's own authority, which no browser trusts until its root is installed. */
  isPublic: z.boolean(),
  notBefore: z.nullable(z.date()),
  notAfter: z.nullable(z.date()),
  renewAt: z.nullable(z.date()),
  /** The reason why the last try failed; the previous certificate is still served. */
  problem: z.nullable(
    z.strictObject({
      type: z.string(),
      message: z.string(),
      /** The authority's own words. */
      detail: z.nullable(z.string()),
      link: z.nullable(z.string()),
      at: z.date(),
    }),
  ),
  nextTryAt: z.nullable(z.date()),
  rehearsal: z.nullable(rehearsalSchema),
  createdAt: z.date(),
});
export const certificateListSchema = z.strictObject({
  items: z.array(certificateSchema),
  nextCursor: z.nullable(cursorSchema),
  /** The root of the app's own authority, in PEM, when that one signs; people install it in a browser. */
  localRoot: z.nullable(z.string()),
});
export const certificateDetailsSchema = z.extend(certificateSchema, {
  chain: z.nullable(z.string()),
  history: z.array(z.strictObject({ at: z.date(), what: z.string(), detail: z.nullable(z.string()) })),
});

export type Certificate = z.infer<typeof certificateSchema>;
export type CertificateDetails = z.infer<typeof certificateDetailsSchema>;
export type CertificateList = z.infer<typeof certificateListSchema>;
export type ListCertificatesInput = z.infer<typeof listCertificatesInput>;
export type GetCertificateInput = z.infer<typeof getCertificateInput>;
export type IssueCertificateInput = z.infer<typeof issueCertificateInput>;
export type RenewCertificateInput = z.infer<typeof renewCertificateInput>;
export type RevokeCertificateInput = z.infer<typeof revokeCertificateInput>;
export type RehearseCertificateInput = z.infer<typeof rehearseCertificateInput>;
export type RehearsalCheck = z.infer<typeof rehearsalCheckSchema>;
export type Rehearsal = z.infer<typeof rehearsalSchema>;

import {
  getCertificate,
  issueCertificate,
  listCertificates,
  rehearseCertificate,
  renewCertificate,
  revokeCertificate,
} from '../server/domains/certificates/index.ts';
import {
  certificateDetailsSchema,
  certificateListSchema,
  getCertificateInput,
  issueCertificateInput,
  listCertificatesInput,
  rehearseCertificateInput,
  renewCertificateInput,
  revokeCertificateInput,
} from './schemas/certificates.ts';
import { protectedProcedure, router, writeProcedure } from './trpc.ts';

export const certificatesRouter = router({
  list: protectedProcedure
    .input(listCertificatesInput)
    .output(certificateListSchema)
    .query(({ ctx, input }) => listCertificates(ctx, input)),

  get: protectedProcedure
    .input(getCertificateInput)
    .output(certificateDetailsSchema)
    .query(({ ctx, input }) => getCertificate(ctx, input)),

  issue: writeProcedure
    .input(issueCertificateInput)
    .output(certificateDetailsSchema)
    .mutation(({ ctx, input }) => issueCertificate(ctx, input)),

  renew: writeProcedure
    .input(renewCertificateInput)
    .output(certificateDetailsSchema)
    .mutation(({ ctx, input }) => renewCertificate(ctx, input)),

  revoke: writeProcedure
    .input(revokeCertificateInput)
    .output(certificateDetailsSchema)
    .mutation(({ ctx, input }) => revokeCertificate(ctx, input)),

  rehearse: writeProcedure
    .input(rehearseCertificateInput)
    .output(certificateDetailsSchema)
    .mutation(({ ctx, input }) => rehearseCertificate(ctx, input)),
});

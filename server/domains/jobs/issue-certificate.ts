import type { JobHandler } from '../../queue/handler.ts';
import { runOrder } from '../certificates/issue.ts';

/** Orders a certificate, and tries again as long as it is refused. Its page says why, and when the next attempt is. */
export const issueCertificateJob: JobHandler<'issue-certificate'> = {
  neverGivesUp: true,
  async run({ providers, accountId, payload, signal, transaction }) {
    await runOrder({ providers, accountId, signal, transaction, certificateId: payload.certificateId });
  },
};

import type { JobHandler } from '../queue/handler.ts';
import { runOrder } from '../services/certificates/issue.ts';

/** Orders a certificate and comes back for as long as it is refused: its page says why, and when the next try is. */
export const issueCertificateJob: JobHandler<'issue-certificate'> = {
  neverGivesUp: true,
  async run({ providers, accountId, payload, signal, transaction }) {
    await runOrder({ providers, accountId, signal, transaction, certificateId: payload.certificateId });
  },
};

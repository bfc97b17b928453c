import { removeChallengeRecords } from '../../connections/challenge-records.ts';
import type { JobHandler } from '../../queue/handler.ts';
import { runOrder } from '../certificates/issue.ts';

/** Orders a certificate, and tries again as long as it is refused. Its page says why, and when the next attempt is. */
export const issueCertificateJob: JobHandler<'issue-certificate'> = {
  neverGivesUp: true,
  async run({ providers, accountId, payload, signal, transaction }) {
    const { certificateId } = payload;
    try {
      await runOrder({ providers, accountId, signal, transaction, certificateId });
    } finally {
      // A run that was killed may have left some, and this one may prove the names another way, or find no certificate.
      await removeChallengeRecords(providers, { accountId, certificateId }, signal);
    }
  },
};

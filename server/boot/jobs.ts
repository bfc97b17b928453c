import { forgotPasswordJob } from '../account/jobs/forgot-password.ts';
import { sendMailJob } from '../account/jobs/send-mail.ts';
import { deleteAccountJob } from '../account-data/jobs/delete-account.ts';
import { forgetVisitsJob } from '../analytics/jobs/forget-visits.ts';
import { rollUpVisitsJob } from '../analytics/jobs/roll-up-visits.ts';
import { checkConnectionJob } from '../connections/jobs/check-connection.ts';
import { checkConnectionsJob } from '../connections/jobs/check-connections.ts';
import { checkDeploymentJob } from '../diagnostics/jobs/check-deployment.ts';
import { checkDeploymentsJob } from '../diagnostics/jobs/check-deployments.ts';
import { runDiagnosticsJob } from '../diagnostics/jobs/run-diagnostics.ts';
import { eraseSomeDomains } from '../domains/detach.ts';
import { applyDnsJob } from '../domains/jobs/apply-dns.ts';
import { checkDomainJob } from '../domains/jobs/check-domain.ts';
import { checkDomainsJob } from '../domains/jobs/check-domains.ts';
import { detachDomainJob } from '../domains/jobs/detach-domain.ts';
import { issueCertificateJob } from '../domains/jobs/issue-certificate.ts';
import { rehearseRenewalsJob } from '../domains/jobs/rehearse-renewals.ts';
import { removeChallengesJob } from '../domains/jobs/remove-challenges.ts';
import { renewCertificatesJob } from '../domains/jobs/renew-certificates.ts';
import { expireSubscriptionsJob } from '../plans/jobs/expire-subscriptions.ts';
import { reconcilePaymentsJob } from '../plans/jobs/reconcile-payments.ts';
import { settleTestPaymentJob } from '../plans/jobs/settle-test-payment.ts';
import { syncPaymentsJob } from '../plans/jobs/sync-payments.ts';
import { collectGarbageJob } from '../publishing/jobs/collect-garbage.ts';
import { publishJob } from '../publishing/jobs/publish.ts';
import { recountDeploymentsJob } from '../publishing/jobs/recount-deployments.ts';
import { createRemoveDeploymentJob } from '../publishing/jobs/remove-deployment.ts';
import { removeDestinationJob } from '../publishing/jobs/remove-destination.ts';
import { removeOldReleasesJob } from '../publishing/jobs/remove-old-releases.ts';
import type { JobHandlers } from '../queue/handler.ts';
import { checkIntegrityJob } from '../store/jobs/check-integrity.ts';
import { reportCorruptionJob } from '../store/jobs/report-corruption.ts';

/**
 * Maps the name of each job to its handler. Two jobs with the same `key`, which the enqueuing service chooses, never
 * run at once.
 */
export const jobHandlers = {
  publish: publishJob,
  'remove-destination': removeDestinationJob,
  'remove-deployment': createRemoveDeploymentJob(eraseSomeDomains),
  'check-domain': checkDomainJob,
  'detach-domain': detachDomainJob,
  'check-domains': checkDomainsJob,
  'check-connection': checkConnectionJob,
  'check-connections': checkConnectionsJob,
  'check-deployment': checkDeploymentJob,
  'check-deployments': checkDeploymentsJob,
  'run-diagnostics': runDiagnosticsJob,
  'apply-dns': applyDnsJob,
  'issue-certificate': issueCertificateJob,
  'renew-certificates': renewCertificatesJob,
  'rehearse-renewals': rehearseRenewalsJob,
  'remove-challenges': removeChallengesJob,
  'delete-account': deleteAccountJob,
  'forgot-password': forgotPasswordJob,
  'settle-test-payment': settleTestPaymentJob,
  'sync-payments': syncPaymentsJob,
  'reconcile-payments': reconcilePaymentsJob,
  'send-mail': sendMailJob,
  'collect-garbage': collectGarbageJob,
  'check-integrity': checkIntegrityJob,
  'expire-subscriptions': expireSubscriptionsJob,
  'recount-deployments': recountDeploymentsJob,
  'report-corruption': reportCorruptionJob,
  'roll-up-visits': rollUpVisitsJob,
  'forget-visits': forgetVisitsJob,
  'remove-old-releases': removeOldReleasesJob,
} satisfies Required<JobHandlers>;

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
import { expireSubscriptionsJob } from '../plans/jobs/expire-subscriptions.ts';
import { reconcilePaymentsJob } from '../plans/jobs/reconcile-payments.ts';
import { settleTestPaymentJob } from '../plans/jobs/settle-test-payment.ts';
import { syncPaymentsJob } from '../plans/jobs/sync-payments.ts';
import type { JobHandlers } from '../queue/handler.ts';
import { applyDnsJob } from './apply-dns.ts';
import { checkDomainJob } from './check-domain.ts';
import { checkDomainsJob } from './check-domains.ts';
import { checkIntegrityJob } from './check-integrity.ts';
import { collectGarbageJob } from './collect-garbage.ts';
import { detachDomainJob } from './detach-domain.ts';
import { issueCertificateJob } from './issue-certificate.ts';
import { publishJob } from './publish.ts';
import { recountDeploymentsJob } from './recount-deployments.ts';
import { rehearseRenewalsJob } from './rehearse-renewals.ts';
import { removeChallengesJob } from './remove-challenges.ts';
import { removeDeploymentJob } from './remove-deployment.ts';
import { removeDestinationJob } from './remove-destination.ts';
import { removeOldReleasesJob } from './remove-old-releases.ts';
import { renewCertificatesJob } from './renew-certificates.ts';
import { reportCorruptionJob } from './report-corruption.ts';

/**
 * Maps the name of each job to its handler. Two jobs with the same `key`, which the enqueuing service chooses, never
 * run at once.
 */
export const jobHandlers = {
  publish: publishJob,
  'remove-destination': removeDestinationJob,
  'remove-deployment': removeDeploymentJob,
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

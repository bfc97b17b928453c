import { accountRouter } from './account.ts';
import { analyticsRouter } from './analytics.ts';
import { authRouter } from './auth.ts';
import { certificatesRouter } from './certificates.ts';
import { connectionsRouter } from './connections.ts';
import { contactRouter } from './contact.ts';
import { deploymentsRouter } from './deployments.ts';
import { diagnosticsRouter } from './diagnostics.ts';
import { disclaimerRouter } from './disclaimer.ts';
import { domainsRouter } from './domains.ts';
import { eventsRouter } from './events.ts';
import { feedbackRouter } from './feedback.ts';
import { licensesRouter } from './licenses.ts';
import { paymentsRouter } from './payments.ts';
import { recommendationsRouter } from './recommendations.ts';
import { releasesRouter } from './releases.ts';
import { simulationRouter } from './simulation.ts';
import { subscriptionRouter } from './subscription.ts';
import { tokensRouter } from './tokens.ts';
import { router } from './trpc.ts';
import { userRouter } from './user.ts';

export const appRouter = router({
  user: userRouter,
  auth: authRouter,
  subscription: subscriptionRouter,
  feedback: feedbackRouter,
  disclaimer: disclaimerRouter,
  events: eventsRouter,
  tokens: tokensRouter,
  certificates: certificatesRouter,
  diagnostics: diagnosticsRouter,
  connections: connectionsRouter,
  deployments: deploymentsRouter,
  releases: releasesRouter,
  recommendations: recommendationsRouter,
  simulation: simulationRouter,
  domains: domainsRouter,
  licenses: licensesRouter,
  payments: paymentsRouter,
  contact: contactRouter,
  analytics: analyticsRouter,
  account: accountRouter,
});

export type AppRouter = typeof appRouter;

import { accountRouter } from './account.ts';
import { authRouter } from './auth.ts';
import { connectionsRouter } from './connections.ts';
import { contactRouter } from './contact.ts';
import { deploymentsRouter } from './deployments.ts';
import { disclaimerRouter } from './disclaimer.ts';
import { eventsRouter } from './events.ts';
import { feedbackRouter } from './feedback.ts';
import { releasesRouter } from './releases.ts';
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
  connections: connectionsRouter,
  deployments: deploymentsRouter,
  releases: releasesRouter,
  contact: contactRouter,
  account: accountRouter,
});

export type AppRouter = typeof appRouter;

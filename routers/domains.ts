import {
  addDomain,
  applyPlan,
  checkDomain,
  checkDomainName,
  chooseWritableDomains,
  getDomain,
  lastPlan,
  listDomains,
  offerSetup,
  planDomain,
  removeDomain,
  undoPlan,
  updateDomain,
} from '../server/domains/index.ts';
import {
  addDomainInput,
  applyPlanInput,
  checkDomainInput,
  checkDomainNameInput,
  chooseWritableDomainsInput,
  domainListSchema,
  domainNameCheckSchema,
  domainSchema,
  getDomainInput,
  lastPlanInput,
  lastPlanSchema,
  listDomainsInput,
  planDomainInput,
  recordPlanSchema,
  removeDomainInput,
  removedDomainSchema,
  setupOfferSchema,
  undoPlanInput,
  updateDomainInput,
} from './schemas/domains.ts';
import { doneSchema } from './schemas/primitives.ts';
import { protectedProcedure, router, sessionProcedure, writeProcedure } from './trpc.ts';

export const domainsRouter = router({
  list: protectedProcedure
    .input(listDomainsInput)
    .output(domainListSchema)
    .query(({ ctx, input }) => listDomains(ctx, input)),

  get: protectedProcedure
    .input(getDomainInput)
    .output(domainSchema)
    .query(({ ctx, input }) => getDomain(ctx, input)),

  checkName: protectedProcedure
    .input(checkDomainNameInput)
    .output(domainNameCheckSchema)
    .query(({ ctx, input }) => checkDomainName(ctx, input)),

  lastPlan: protectedProcedure
    .input(lastPlanInput)
    .output(lastPlanSchema)
    .query(({ ctx, input }) => lastPlan(ctx, input)),

  setupOffer: protectedProcedure
    .input(getDomainInput)
    .output(setupOfferSchema)
    .query(({ ctx, input }) => offerSetup(ctx, input)),

  add: writeProcedure
    .input(addDomainInput)
    .output(domainSchema)
    .mutation(({ ctx, input }) => addDomain(ctx, input)),

  check: writeProcedure
    .input(checkDomainInput)
    .output(domainSchema)
    .mutation(({ ctx, input }) => checkDomain(ctx, input)),

  plan: writeProcedure
    .input(planDomainInput)
    .output(recordPlanSchema)
    .mutation(({ ctx, input }) => planDomain(ctx, input)),

  applyPlan: writeProcedure
    .input(applyPlanInput)
    .output(recordPlanSchema)
    .mutation(({ ctx, input }) => applyPlan(ctx, input)),

  undoPlan: writeProcedure
    .input(undoPlanInput)
    .output(recordPlanSchema)
    .mutation(({ ctx, input }) => undoPlan(ctx, input)),

  update: writeProcedure
    .input(updateDomainInput)
    .output(domainSchema)
    .mutation(({ ctx, input }) => updateDomain(ctx, input)),

  chooseWritable: sessionProcedure
    .input(chooseWritableDomainsInput)
    .output(doneSchema)
    .mutation(({ ctx, input }) => chooseWritableDomains(ctx, input)),

  remove: writeProcedure
    .input(removeDomainInput)
    .output(removedDomainSchema)
    .mutation(({ ctx, input }) => removeDomain(ctx, input)),
});

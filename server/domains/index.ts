export { addDomain, checkDomainName } from './add.ts';
export { removeDomain, updateDomain } from './change.ts';
export { checkDomain } from './check.ts';
export { chooseWritableDomains } from './choose.ts';
export { getDomain, listDomains } from './read.ts';
export { applyPlan, undoPlan } from './record-plan/apply-record-plan.ts';
export { lastPlan, planDomain } from './record-plan/plan-domain.ts';
export { offerSetup } from './setup-offer.ts';

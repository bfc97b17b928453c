import { type Check, fail, pass, warn } from '../check.ts';

/** Checks whether the certificate authority would accept an order right now. */
export const caSide: Check = {
  id: 'ca-side',
  why: 'Authorities limit how many certificates a domain gets. While a limit is reached, the current certificate stays in use.',
  applies: ({ own }) => own?.isServedHere === true && own.domainId !== null,
  async run(_subject, tools) {
    const trouble = await tools.authorityTrouble();
    if (trouble === null) return pass('The certificate authority takes orders for these names.');
    if (trouble.isNear)
      return warn(trouble.message, 'Wait before you order certificates for new names. Renewals continue.');
    const until =
      trouble.until === null ? '' : ` Next try ${trouble.until.toISOString().slice(0, 16).replace('T', ' ')} UTC.`;
    return fail(`${trouble.message}${until}`, 'Fairlead tries again automatically.');
  },
};

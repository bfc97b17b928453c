import { betaOffer } from '../../lib/prices.ts';

export type DisclaimerSection = { title: string; paragraphs: readonly string[] };

/** A change of these promises raises DISCLAIMER_VERSION in the contract, so that everybody is asked again. */
export const disclaimerSections: readonly DisclaimerSection[] = [
  {
    title: 'Beta Status',
    paragraphs: [
      'Fairlead is in beta. It is complete enough to publish real websites, and young enough that parts of it will still fail, be slow, or behave differently from one week to the next.',
      'Keep your own copy of everything you publish. Do not make Fairlead the only place where your files exist, and do not use it where an outage could harm people.',
    ],
  },
  {
    title: 'Limited Warranty',
    paragraphs: [
      'The service is provided as it is, without a warranty of any kind, as far as the law allows. We do not promise that it will be available without interruption or free of errors.',
      'Where the law does not allow a warranty to be excluded, it applies to the extent that the law requires. Nothing here limits rights that you have as a consumer.',
    ],
  },
  {
    title: 'Feature Changes',
    paragraphs: [
      'During the beta we add, change and remove features. If we can foresee that a change will affect what you have published, we announce it before we make it.',
      'A release that is live stays live while you publish the next one. Should a feature that you depend on be removed, your files remain yours and can be taken with you.',
    ],
  },
  {
    title: 'Beta Pricing',
    paragraphs: [
      `${betaOffer()}. It does not renew.`,
      'Every account may also start one 14-day Pro trial without a card. When a plan or a trial ends, nothing that you published is taken away: your deployments stay live and become read-only until you choose a plan.',
      'Prices may change after the beta. A price that you have already paid does not change for the time that it covers.',
    ],
  },
  {
    title: 'Feedback',
    paragraphs: [
      'We ask for your feedback, and we may use what you tell us to improve the product, without owing you anything for it. Giving feedback is always voluntary.',
      'Write nothing confidential into the feedback form: no passwords, no tokens, no private data of other people.',
    ],
  },
  {
    title: 'Data Security',
    paragraphs: [
      'Passwords are stored as salted hashes only. Credentials that you connect are encrypted at rest and never sent to a browser again. Files that are known to hold secrets are left out of a release unless you decide otherwise.',
      'No system is perfectly secure, and a beta is less secure than most. Publish only what everybody may see, and use a password here that you use nowhere else.',
    ],
  },
  {
    title: 'Support',
    paragraphs: [
      'Beta testers can reach us directly. We answer as soon as we can, usually within 24 hours, but we do not promise a time in which a problem will be solved.',
      'A report helps most when it says what you did, what you expected and what happened instead. If an error has details, send the request id that stands there.',
    ],
  },
  {
    title: 'Updates',
    paragraphs: [
      'This text may change. When it changes in a way that matters, you are asked to read and accept it again before you go on.',
      'By choosing Accept & Continue you confirm that you have read these eight sections and agree to take part in the beta program on these terms.',
    ],
  },
];

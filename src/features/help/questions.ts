import { HELD_SLUG_DAYS, HELD_SLUGS_MAX, RESET_LINK_MINUTES, TRIAL_DAYS } from '../../../routers/schemas/limits.ts';
import { outboxCommand } from '../../../routers/schemas/outbox-command.ts';
import { betaOffer } from '../../lib/prices.ts';
import type { Chapter } from './articles.ts';

/** Frequently Asked Questions: what this version does, in plain words. */
export const questions: readonly Chapter[] = [
  {
    title: 'Publishing',
    articles: [
      {
        id: 'what-can-i-publish',
        title: 'What can I publish?',
        paragraphs: [
          'A website as a browser gets it: HTML, styles, scripts, pictures, fonts, downloads. A folder or a ZIP of up to 1 GB unpacked, with up to 20,000 files of up to 500 MB each.',
          'A project that still has to be built (with a package.json and no finished pages) is recognised: build it first, and publish the folder that the build writes, often called dist or build.',
        ],
      },
      {
        id: 'do-i-need-git',
        title: 'Do I need Git, a terminal or an account elsewhere?',
        paragraphs: [
          'No. The built-in host needs nothing but your files. To publish to one of the six hosting platforms you need an account of your own there.',
        ],
      },
      {
        id: 'how-long',
        title: 'How long does it take?',
        paragraphs: [
          'A small site is live in seconds. A site that you publish again sends only the files that changed, and rolling back to an earlier release takes about a second on the built-in host, and up to ten minutes where a platform builds the site again.',
        ],
      },
      {
        id: 'close-the-tab',
        title: 'What happens when I close the tab in the middle?',
        paragraphs: [
          'Once all files have arrived, nothing: the release continues without you, and the deployment shows how it ended. While files are still on their way, what has arrived is kept, and the upload continues with what is missing when you come back.',
        ],
      },
      {
        id: 'secrets-in-folder',
        title: 'I have passwords in my folder. Are they published?',
        paragraphs: [
          'Files that usually hold secrets, such as .env, private keys or a .git folder, are left out and listed before you publish. You may publish a left-out file anyway, except private keys and .git.',
        ],
      },
      {
        id: 'down-while-publishing',
        title: 'Is my website down while I publish?',
        paragraphs: [
          'No. The old release stays live until every new or changed file of the new one has been fetched back and compared. A release that fails never takes down what is live.',
        ],
      },
    ],
  },
  {
    title: 'Domains and certificates',
    articles: [
      {
        id: 'address',
        title: 'Which address does my website get?',
        also: 'phone mobile localhost',
        paragraphs: [
          `Every deployment gets an address made from its name. On the built-in host, and on platforms that support it, each release has an address as well: the page of the release shows it once another release is live. On the built-in host you can change the address of a deployment. If the old one was live, it stays reserved for you for ${HELD_SLUG_DAYS} days. An account keeps at most ${HELD_SLUGS_MAX} old addresses, the latest ones.`,
          'An address that ends in .localhost opens on the computer that runs Fairlead, and nowhere else. A hosting platform gives your website an address that everybody can open.',
        ],
      },
      {
        id: 'own-domain',
        title: 'Can I use a domain of my own?',
        paragraphs: [
          'Yes. Add it on the Domains page or on the Domains tab of a deployment. Fairlead lists the DNS records to create, looks for them at your name servers, and serves the domain as soon as they prove that it is yours. Its SSL certificate is issued and renewed automatically.',
        ],
      },
    ],
  },
  {
    title: 'Plans and money',
    articles: [
      {
        id: 'trial',
        title: 'What does the trial cost?',
        also: 'price billing payment',
        paragraphs: [
          `Nothing. It is the Pro plan for ${TRIAL_DAYS} days, once for each account and email address, without a card. It ends automatically and does not renew.`,
        ],
      },
      {
        id: 'after-the-plan',
        title: 'What happens to my websites when a plan ends?',
        also: 'cancel expire delete',
        paragraphs: [
          'They stay live, with everything that you published. They become read-only: nothing can be published or changed until a plan is active again.',
        ],
      },
      {
        id: 'beta-offer',
        title: 'What is the beta offer?',
        also: 'price cost billing payment',
        paragraphs: [
          `${betaOffer()}. Early access, direct support and a Beta Tester badge come with it. It is chosen under Pricing & Trial, and does not renew.`,
        ],
      },
    ],
  },
  {
    title: 'Account and safety',
    articles: [
      {
        id: 'forgot-password',
        title: 'I forgot my password. What now?',
        paragraphs: [
          {
            sent: `Choose “Forgot your password?” on the Login screen. A link that works once, within ${RESET_LINK_MINUTES} minutes, goes to the email address of your account.`,
            kept: `Choose “Forgot your password?” on the Login screen. This Fairlead does not send email: it keeps a link that works once, within ${RESET_LINK_MINUTES} minutes, in its outbox. To see it, run ${outboxCommand('', 'reset-password')} on the computer where Fairlead runs.`,
          },
          'The new password logs out every browser and revokes every API token.',
        ],
      },
      {
        id: 'sign-out-elsewhere',
        title: 'How do I log out a browser that I no longer have?',
        also: 'logout sign out',
        paragraphs: [
          'The Account page lists every browser that is logged in: choose Log out beside it. A new password logs out all others at once.',
        ],
      },
      {
        id: 'cookies',
        title: 'Do you track my visitors?',
        paragraphs: [
          'Visits are counted, and nobody is tracked: Fairlead adds no cookies and no code to websites on the built-in host. No IP address is kept; visitors are told apart for one day, by a code that cannot be reversed. What your own pages load is up to you.',
        ],
      },
    ],
  },
  {
    title: 'For developers and operators',
    articles: [
      {
        id: 'from-code',
        title: 'Can I publish from a script?',
        paragraphs: [
          'Yes. With an API token, made in Settings, the typed client (createFairleadClient) calls every procedure that the app itself calls, real-time events included. Plain HTTP works as well.',
        ],
      },
      {
        id: 'self-host',
        title: 'Can I run Fairlead on my own machine?',
        paragraphs: [
          'Yes, with one command. The README names what it keeps on disk and every variable that changes its behaviour.',
        ],
      },
    ],
  },
];

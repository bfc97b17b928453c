import type { HostingPlatform, PlatformId } from './ids.ts';

/** One of a platform's own settings, for a form; options.ts has its rule under the same name. */
export type OptionField = {
  name: string;
  label: string;
  hint: string;
  /** The choices, of which the first is the default; without them, it is a text. */
  choices?: readonly OptionChoice[];
};

/** `price`: the price that a person agrees to pay, after "I agree to pay Heroku"; a consent to another one does not count. */
export type OptionChoice = { value: string; label: string; price?: string };

/** The option that holds a person's consent to a price. */
export const PAYMENT_CONSENT = 'paymentThere';

const repository = { name: 'repository', label: 'Repository (optional)' } as const;

const FIELDS: Record<HostingPlatform, readonly OptionField[]> = {
  netlify: [],
  vercel: [],
  'github-pages': [
    {
      ...repository,
      hint: 'Leave it empty to create one. In an existing repository the website gets a branch of its own, and replaces a website that the repository already publishes.',
    },
  ],
  render: [
    {
      ...repository,
      hint: 'Leave it empty to create one. In an existing repository at GitHub the website gets a branch of its own.',
    },
  ],
  heroku: [
    {
      name: 'dyno',
      label: 'Dyno',
      hint: 'What runs the website there, and what Heroku bills you for.',
      // Heroku Dev Center, "Dyno Types" and "Eco Dyno Hours".
      choices: [
        { value: 'basic', label: 'Basic: $7 a month, always on', price: '$7 a month for a Basic dyno' },
        {
          value: 'eco',
          label: 'Eco: $5 a month for all your Eco dynos together, sleeps without visitors',
          price: '$5 a month for all my Eco dynos together',
        },
      ],
    },
    {
      name: 'app',
      label: 'App (optional)',
      hint: 'Leave it empty to create one. An existing app serves this website instead of what it runs now.',
    },
  ],
  replit: [],
};

/** Returns the fields of a form besides the account and the consents. */
export function optionFieldsOf(platform: PlatformId): readonly OptionField[] {
  return platform === 'built-in' || platform === 'simulated' ? [] : FIELDS[platform];
}

import type { ChosenSelection } from '../../select/use-chosen-selection.ts';

export const GUIDED_STEPS = ['files', 'place', 'name', 'domain', 'check'] as const;
export type GuidedStep = (typeof GUIDED_STEPS)[number];

/** The questions, one a step, each with an explanation for a beginner. */
export const GUIDED_LABELS: Record<GuidedStep, { short: string; question: string; explanation: readonly string[] }> = {
  files: {
    short: 'Files',
    question: 'What do you want to publish?',
    explanation: [
      'A website is a folder of files. The page that visitors see first is called index.html.',
      'If a program made your website, choose the folder that the program wrote, often called dist, build or out. Nothing leaves your device before the last step.',
    ],
  },
  place: {
    short: 'Hosting',
    question: 'Where should it live?',
    explanation: [
      'A website lives on a host: a computer that is always on and shows it to anyone who opens its address.',
      'The built-in host is a part of Fairlead. There is no account to open and nothing to set up.',
    ],
  },
  name: {
    short: 'Name',
    question: 'What should it be called?',
    explanation: [
      'The name is what you see in your lists. The address is made from it, and is what visitors open.',
      'You can change both later.',
    ],
  },
  domain: {
    short: 'Domain',
    question: 'Do you have a domain of your own?',
    explanation: [
      'A domain is a name like example.com that you register with a company for a yearly fee. Visitors then open that name, and your site answers.',
      'Pointing it here takes a few DNS records where the domain is managed. After you publish, each is listed with its value, ready to copy.',
    ],
  },
  check: {
    short: 'Publish',
    question: 'Is everything right?',
    explanation: [
      'Nothing has been sent yet. When you publish, your files are sent, and each one is fetched back and compared with the original. Then your site is live.',
    ],
  },
};

/** Returns the step that the address asks for; before anything is chosen there is only the first. */
export function guidedStep(asked: string | null, { selection, isReading }: ChosenSelection): GuidedStep {
  const step = GUIDED_STEPS.find((known) => known === asked) ?? 'files';
  return selection === null && !isReading ? 'files' : step;
}

/** Returns the neighbour of a step; null at either end. */
export function stepBeside(step: GuidedStep, distance: -1 | 1): GuidedStep | null {
  return GUIDED_STEPS[GUIDED_STEPS.indexOf(step) + distance] ?? null;
}

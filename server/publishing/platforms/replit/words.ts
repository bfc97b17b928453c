import type { HandOff } from '../platform.ts';

export const ADDRESS_HINT = 'Enter the address that Replit shows, like https://name.replit.app.';

export function firstSteps(number: number, slug: string): HandOff['steps'] {
  return [
    { text: `Download release ${number} as a ZIP. It is ready to import.` },
    {
      text: 'Open the import page of Replit, choose ZIP, and upload the file.',
      url: 'https://replit.com/import',
    },
    {
      text: `In the new app press Publish and choose Static. Any name will do; “${slug}” would match this deployment. Replit may ask for a paid plan or credits.`,
    },
    { text: 'Copy the address that Replit shows, which ends in replit.app, enter it here, and press Check now.' },
  ];
}

/** Returns the steps of a later release: a second import would be a second app, at another address. */
export function furtherSteps(number: number): HandOff['steps'] {
  return [
    { text: `Download release ${number} as a ZIP and unpack it.` },
    {
      text: 'Replace the files of your app: open it at Replit, delete the old files, and upload the new ones in their place.',
      url: 'https://replit.com/',
    },
    { text: 'Press Republish in the app.' },
    { text: 'Press Check now. The address stays as it is: enter another one only if Replit shows another one.' },
  ];
}

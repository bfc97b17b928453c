import type { Chapter } from './articles.ts';

/** Help & Documentation: how each part is used. */
export const guides: readonly Chapter[] = [
  {
    title: 'Start',
    articles: [
      {
        id: 'first-website',
        title: 'Publish your first website',
        paragraphs: [
          '1. Register, read the disclaimer, and start the 14-day trial on the pricing page.',
          '2. Open New Deployment and drop the folder that holds index.html, or choose it with the button.',
          '3. Read what was found: what kind of site it is, its first page, what is left out and what looks wrong.',
          '4. Give it a name. The name makes its address; you see it before anything is published.',
          '5. Choose Publish and watch the steps. When it is live, Visit opens it.',
        ],
      },
      {
        id: 'check-first',
        title: 'Check a folder without publishing it',
        paragraphs: [
          'Drop it on Test & Simulation. It is read in the browser and you see what would be published, what is left out and what looks wrong. Nothing is sent.',
        ],
      },
      {
        id: 'other-ways',
        title: 'Publish at once, by questions, or stage by stage',
        paragraphs: [
          'Quick Deploy: drop a folder or a ZIP, and it is live under its own name. It asks first when something was found that you should decide, such as a missing start page or a private file. A folder that is dropped on the Dashboard leads there too.',
          'Guided Deployment: one question a step, each explained, and everything once more before anything is sent.',
          'All-in-One Deployment: files, platform, address, publishing and the look at the result on one page. The stages of a domain of your own are named there, and are not available in this version.',
        ],
      },
      {
        id: 'publish-again',
        title: 'Publish a change',
        paragraphs: [
          'Open the deployment, choose Publish again and drop the changed folder. Only the files that changed are sent. The release gets the next number, and what is live stays live until the new one has been seen to work.',
        ],
      },
    ],
  },
  {
    title: 'Releases',
    articles: [
      {
        id: 'steps',
        title: 'What the steps of a release do',
        paragraphs: [
          'Queued: it waits for its turn; one deployment runs one release at a time.',
          'Preparing: the list of files is checked against what the place takes, and what looks wrong is written to the log.',
          'Uploading and processing: the files go to where the deployment lives, and that place gets ready.',
          'Verifying: every new or changed file, and a random 100 of the others, is fetched at the address of the release and compared with yours. Then the public address is switched and checked once more.',
          'Each step has a log. A release that fails says what broke, what to do, and what is still live.',
        ],
      },
      {
        id: 'roll-back',
        title: 'Go back to an earlier release',
        paragraphs: [
          'On the deployment, or in the Deployment History, choose Roll back beside the release. Nothing is uploaded again, so it takes about a second. The release that was live stays in the list, and you can go forward to it just the same.',
        ],
      },
      {
        id: 'compare',
        title: 'See what changed',
        paragraphs: ['The page of a release lists which files were added, changed and removed against the one before.'],
      },
      {
        id: 'try-again',
        title: 'Cancel, and try again',
        paragraphs: [
          'A running release can be cancelled until the public address is switched. A failed or cancelled one can be tried again: that makes a new release of the same files.',
        ],
      },
    ],
  },
  {
    title: 'Files',
    articles: [
      {
        id: 'limits',
        title: 'Limits of a release',
        paragraphs: [
          '20,000 files, 500 MB a file, 1 GB in all, names of at most 512 bytes in at most 32 folders. A ZIP may be 500 MB as it is sent.',
        ],
      },
      {
        id: 'left-out',
        title: 'What is left out',
        paragraphs: [
          'Files that systems leave behind (.DS_Store, Thumbs.db, __MACOSX) and files that usually hold secrets (.env, keys, .git, database dumps). The list stands under what was found, before anything is sent.',
        ],
      },
      {
        id: 'not-found-page',
        title: 'A page of your own for addresses that do not exist',
        paragraphs: ['Put a 404.html at the top of the folder. It is shown with the status 404.'],
      },
      {
        id: 'single-page-apps',
        title: 'Single-page apps: React, Vue and the like',
        paragraphs: [
          'Build the app and publish what the build wrote, usually the folder dist or build.',
          'When the pages exist in the browser only, open the Settings of the deployment and switch Single-page app on: an address that names no file then opens your start page instead of “not found”. It takes effect at once, without a release.',
          'A line in _redirects does the same for a part of the site: /app/* /app/index.html 200',
        ],
      },
      {
        id: 'redirects-file',
        title: 'Redirects: the file _redirects',
        paragraphs: [
          'Put a file named _redirects, without an extension, at the top of the folder. Each line is a rule: where from, where to, and the status.',
          '/old /new 301 — the address moved for good; 301 is also meant where no status stands.',
          '/blog/:year/:slug /posts/:slug 302 — a name with a colon takes one part of the address along.',
          '/docs/* https://docs.example.com/:splat 301 — a star at the end takes the rest along.',
          '/app/* /app/index.html 200 — another file of the site answers, and the address stays.',
          'The first line that fits counts, and only where there is no file; an exclamation mark behind the status (301!) makes it count there too. Requests are not passed on to other servers, and rules by country, language, role or query are not followed. The log of the release says which lines are not followed, and why.',
        ],
      },
      {
        id: 'headers-file',
        title: 'Headers of your own: the file _headers',
        paragraphs: [
          'Put a file named _headers, without an extension, at the top of the folder. Write an address on a line of its own, and indented below it the headers that files there are sent with.',
          '/assets/* with Cache-Control: public, max-age=31536000 below it keeps these files in the browser for a year.',
          'An exclamation mark before a name takes a header away: ! X-Robots-Tag',
          'What describes the transfer itself, such as Content-Length, stays with the host. The log of the release says which lines are not followed, and why.',
        ],
      },
    ],
  },
  {
    title: 'Account and scripts',
    articles: [
      {
        id: 'api-tokens',
        title: 'API tokens',
        paragraphs: [
          'An API token lets a script or a build server work for you without your password. Open Settings, choose New token, give it a name, say whether it may publish and change things or only read, and how long it works.',
          'The token is shown once. Copy it into the secret store of your build server; nobody can show it again.',
          'Send it with each call as the header Authorization: Bearer, followed by the token. The typed client takes it as its token.',
          'Settings says when each token was last used, and Revoke ends one at once. Changing your password on the Account page leaves tokens as they are; a new password set through "Forgot your password?" revokes them all. Passwords, sessions and tokens themselves are out of reach of a token.',
        ],
      },
      {
        id: 'export',
        title: 'Take everything with you',
        paragraphs: [
          'Export everything, on the Account page, saves one ZIP with your identity, settings, deployments, releases with their logs, and the files of each release that is live. Files of other releases are on the pages of these releases: Download as ZIP.',
        ],
      },
    ],
  },
  {
    title: 'When something is wrong',
    articles: [
      {
        id: 'report',
        title: 'See how a deployment is',
        paragraphs: [
          'System Diagnostics says what is known of a deployment: what is live, when its files were last fetched and compared, whether a file is damaged and how the last release went. Analytics says how your releases went.',
        ],
      },
      {
        id: 'upload-stops',
        title: 'The upload stops or goes slowly',
        paragraphs: [
          'What has arrived is kept. When the connection is back the upload goes on with what is missing; “Try again” does it at once.',
        ],
      },
      {
        id: 'no-entry-page',
        title: 'My website shows "not found"',
        paragraphs: [
          'The folder needs an index.html at its top. When the pages are one folder deeper, drop that folder instead.',
        ],
      },
      {
        id: 'case',
        title: 'A picture that works on my computer is missing online',
        paragraphs: [
          'On the web Photo.jpg and photo.jpg are two names. What was found lists links whose capitals differ from the names of the files.',
        ],
      },
      {
        id: 'verification-failed',
        title: 'A release failed at Verifying',
        paragraphs: [
          'What was fetched back was not what you sent. The log names the file and what was seen. What was live before is live still. Try again; if it fails the same way, write to us with the address of the release.',
        ],
      },
    ],
  },
];

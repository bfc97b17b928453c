import { outboxCommand } from '../../../routers/schemas/outbox-command.ts';
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
          '1. Read the disclaimer. On Home, drop the folder that holds index.html.',
          '2. Read what was found: the kind of site, its start page, what is left out and what looks wrong.',
          '3. Choose “Register to publish” and start the 14-day trial: the folder stays chosen.',
          '4. Give it a name. Its address is made from the name; you see it before anything is published.',
          '5. Choose Publish and watch the steps. When it is live, Visit opens it.',
        ],
      },
      {
        id: 'check-first',
        title: 'Check a folder without publishing it',
        paragraphs: [
          'Drop it on Test & Simulation. It is read in the browser and you see what would be published, what is left out and what looks wrong. Nothing is sent.',
          'Set up a preflight on the same page: it goes through a deployment step by step, and says what would be sent and what would be refused. Nothing is created or published.',
        ],
      },
      {
        id: 'other-ways',
        title: 'Publish at once, question by question, or stage by stage',
        paragraphs: [
          'Quick Deploy: drop a folder or a ZIP, and it is live under its own name. It asks first if something needs your decision, such as a missing start page or a private file. A folder that you drop on the Dashboard opens Quick Deploy too.',
          'Guided Deployment: one question at a time, each explained, and a summary before anything is sent.',
          'All-in-One Deployment: files, platform, address, domain, publishing, DNS and certificate on one page that shows the state of each.',
        ],
      },
      {
        id: 'publish-again',
        title: 'Publish a change',
        paragraphs: [
          'Open the deployment, choose Publish again and drop the changed folder. Only the files that changed are sent. The release gets the next number, and what is live stays live until the new one has been checked.',
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
          'Send: the files go from your browser to the host, which prepares them. What looks wrong with them is written to the log. One deployment runs one release at a time; the next waits for its turn.',
          'Check: every new or changed file, and a random 100 of the others, is fetched from the address of the release and compared with yours.',
          'Switch on: visitors at the public address get the release, and it is checked there once more.',
          'Each step has a log. A release that fails says what broke, what to do, and what is still live.',
        ],
      },
      {
        id: 'roll-back',
        title: 'Roll back to an earlier release',
        also: 'rollback go back restore revert undo previous old version',
        paragraphs: [
          'Choose Roll back on the page of the live release or of the deployment, or beside a release in the deployment’s list or in Deployment History. You upload nothing again: on the built-in host it takes about a second, and where a platform builds the site again, up to ten minutes. A release from before a move is sent to the new platform first. The release that was live stays in the list, and you can return to it the same way.',
        ],
      },
      {
        id: 'compare',
        title: 'See what changed',
        paragraphs: [
          'The page of a release lists which files were added, changed and removed since the release that was live before, and how many had to be sent. Choose a changed text file to see which lines differ.',
        ],
      },
      {
        id: 'delete',
        title: 'Delete a website',
        also: 'remove unpublish take down',
        paragraphs: [
          'On the page of the deployment, open Settings and choose Delete. You first see what happens to its address, its domains and its sites at other platforms. It cannot be undone.',
        ],
      },
      {
        id: 'try-again',
        title: 'Cancel, and try again',
        paragraphs: [
          'A running release can be cancelled until the public address is switched. A failed or cancelled one can be tried again: that makes a new release with the same files.',
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
          'Up to 20,000 files, each up to 500 MB, and 1 GB in all. A file name can have 255 bytes, a path 1,024, and folders can be 32 levels deep. A ZIP can be up to 500 MB before it is unpacked.',
        ],
      },
      {
        id: 'left-out',
        title: 'What is left out',
        paragraphs: [
          'Files that operating systems leave behind (.DS_Store, Thumbs.db, __MACOSX, :Zone.Identifier), files that usually hold secrets (.env, keys, .git, database dumps) and the packages of a project (node_modules at the top). You see the list before anything is sent.',
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
          'When the pages exist in the browser only, open the Settings of the deployment and switch Single-page app on: unknown addresses then open your start page instead of “not found”. It takes effect at once, without a release.',
          'A line in _redirects does the same for a part of the site: /app/* /app/index.html 200',
        ],
      },
      {
        id: 'redirects-file',
        title: 'Redirects: the _redirects file',
        paragraphs: [
          'Put a file named _redirects, without an extension, at the top of the folder. Each line is a rule: the old address, the new one and the status.',
          '/old /new 301 — the address has moved permanently. Without a status, 301 is used.',
          '/blog/:year/:slug /posts/:slug 302 — a placeholder with a colon stands for one part of the old address, and the new one can use it.',
          '/docs/* https://docs.example.com/:splat 301 — a star at the end stands for the rest; :splat puts it in.',
          '/app/* /app/index.html 200 — another file of the site is shown, and the address stays.',
          'The first line that matches applies, and only where there is no file. An exclamation mark after the status (301!) makes it apply even where there is a file. Requests are not passed on to other servers, and rules by country, language, role or query are not followed. The log of the release says which lines are not followed, and why.',
        ],
      },
      {
        id: 'headers-file',
        title: 'Custom headers: the _headers file',
        paragraphs: [
          'Put a file named _headers, without an extension, at the top of the folder. Write an address on a line of its own and, indented below it, the headers to send with the files there.',
          '/assets/* with Cache-Control: public, max-age=31536000 below it keeps these files in the browser for a year.',
          'An exclamation mark before a name removes a header: ! X-Robots-Tag',
          'Headers that describe the transfer itself, such as Content-Length, are set by the host. The log of the release says which lines are not followed, and why.',
        ],
      },
    ],
  },
  {
    title: 'Domains and certificates',
    articles: [
      {
        id: 'own-domain',
        title: 'Put a website on your own domain',
        paragraphs: [
          '1. Open Domains, choose Add a domain, type the name and choose the deployment. A name and its www belong together: one serves, the other redirects to it.',
          '2. The page of the domain lists the records that it needs, each with Copy: a TXT record that proves that the domain is yours, and those that point it to the website. Create them where your DNS is managed, usually at the registrar.',
          '3. Choose Check now, or wait: Fairlead asks the name servers of the domain again automatically, and says which of them have each record.',
          '4. Once the records are seen the certificate is ordered, and the site is served over https.',
          'Records for mail (MX, SPF, DKIM) are never touched.',
        ],
      },
      {
        id: 'dns-connection',
        title: 'Let Fairlead write the DNS records',
        paragraphs: [
          'Connect your DNS provider in Settings, under DNS connections. On the page of the domain choose Set up for me: you see each record that would be added, replaced or removed before anything is written, and can undo it afterwards.',
        ],
      },
      {
        id: 'certificates',
        title: 'SSL certificates: issued and renewed',
        paragraphs: [
          'A domain on the built-in host gets its certificate automatically once its records point here, and it is renewed well before it expires. The SSL Certificates screen shows each with its dates, what a test of its renewal found, and what went wrong. On the other platforms the platform issues and renews it.',
          'If no public certificate authority is set up on this Fairlead, it signs certificates itself. Browsers trust them only once its root certificate is installed, so they are for trying things out.',
        ],
      },
      {
        id: 'install-root',
        title: 'Install the root certificate of this Fairlead',
        also: 'phone mobile',
        paragraphs: [
          'Download the root certificate on the SSL Certificates screen. Install it only if you trust whoever runs this Fairlead: your computer then trusts the certificates they sign for any website.',
          'Windows: rename the file to fairlead-root.crt and open it. Choose Install Certificate, Local Machine, and the store Trusted Root Certification Authorities.',
          'macOS: open the file in Keychain Access, add it to the keychain System, open it there and set Trust to Always Trust.',
          'Firefox, on every system: Settings, Privacy & Security, View Certificates, Authorities, Import; tick “Trust this CA to identify websites”.',
          'Debian and Ubuntu: copy the file to /usr/local/share/ca-certificates/fairlead-root.crt and run update-ca-certificates. Chrome: Settings, Privacy and security, Security, Manage certificates.',
          'Android and iOS: open the file on the device and install it as a CA certificate. On iOS, switch it on in Settings, General, About, Certificate Trust Settings as well.',
        ],
      },
      {
        id: 'domain-broken',
        title: 'A domain stopped working',
        paragraphs: [
          {
            sent: 'Fairlead checks each domain regularly. When a record is gone or was changed, the Dashboard says so, you get an email, and “Fix it” on the page of the domain leads to the records to set.',
            kept: `Fairlead checks each domain regularly. When a record is gone or was changed, the Dashboard says so, and “Fix it” on the page of the domain leads to the records to set. This Fairlead does not send email: it keeps the message in its outbox. To see it, run ${outboxCommand('')} on the computer where Fairlead runs.`,
          },
        ],
      },
    ],
  },
  {
    title: 'Hosting platforms',
    articles: [
      {
        id: 'connect-account',
        title: 'Connect your account at a hosting platform',
        paragraphs: [
          'Open Settings and choose Connect a platform under Hosting connections, or open the page of the platform from Home. It says where to create the token and what it must be allowed to do. The token is tested at once, stored encrypted and never shown again.',
          'When a platform no longer accepts the token, the Dashboard says so: choose Replace token there. What is live stays live.',
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
          'Send it with each call as the header Authorization: Bearer, followed by the token. With the typed client, pass it as token.',
          'Settings says when each token was last used, and Revoke ends one at once. Changing your password on the Account page leaves tokens as they are; a new password set through “Forgot your password?” revokes them all. A token cannot change passwords, sessions or tokens.',
        ],
      },
      {
        id: 'plans',
        title: 'Plans, payments and receipts',
        also: 'price cost billing invoice subscription trial upgrade',
        paragraphs: [
          'Pricing & Trial compares the plans, and starts the trial. Your own plan and its receipts are on the Account page.',
        ],
      },
      {
        id: 'appearance',
        title: 'Light or dark',
        also: 'theme mode colours colors',
        paragraphs: ['Choose System, Light or Dark in Settings, under Appearance. Each browser keeps its own choice.'],
      },
      {
        id: 'password',
        title: 'Change your password or email address',
        also: 'security sign out log out logout sessions confirm verify',
        paragraphs: [
          'On the Account page, under Password. Changing it logs out all other browsers. The same page lists where you are logged in.',
          'The email address is confirmed and changed there too, under Identity.',
        ],
      },
      {
        id: 'export',
        title: 'Take everything with you',
        also: 'delete account backup',
        paragraphs: [
          'Export everything, on the Account page, saves one ZIP with your identity, settings, deployments, releases with their logs, and the files of each release that is live. For the files of any other release, choose Download as ZIP on its page.',
        ],
      },
    ],
  },
  {
    title: 'When something is wrong',
    articles: [
      {
        id: 'report',
        title: 'Check a deployment’s health',
        paragraphs: [
          'System Diagnostics checks a domain name or a deployment now, from its name servers to the page itself. The first problem is shown at the top with what to do; where Fairlead can fix it, “Fix it” shows the change first, and the checks run again automatically. A report can be shared by a link that expires after a week.',
          'Below the report, the page shows what is already known of a deployment, without a new check: what is live, when its files were last fetched and compared, whether a file is damaged, how the last release went, and what was seen of its domains and certificates. Analytics says how your releases went, and who visits your sites on the built-in host.',
        ],
      },
      {
        id: 'upload-stops',
        title: 'The upload stops or goes slowly',
        paragraphs: [
          'What has arrived is kept. When the connection is back, the upload continues with what is missing; “Try again” does it at once.',
        ],
      },
      {
        id: 'no-entry-page',
        title: 'My website shows “not found”',
        paragraphs: [
          'The folder needs an index.html at its top. When the pages are one folder deeper, drop that folder instead.',
        ],
      },
      {
        id: 'case',
        title: 'A picture that works on my computer is missing online',
        paragraphs: [
          'On the web Photo.jpg and photo.jpg are two different names. Before you publish, you see each link whose capitals differ from those of its file.',
        ],
      },
      {
        id: 'verification-failed',
        title: 'A release failed while it was checked',
        paragraphs: [
          'What the host served was not what you sent. The log names the file and what was seen. What was live before is still live. Try again; if it fails the same way, write to us with the address of the release.',
        ],
      },
    ],
  },
];

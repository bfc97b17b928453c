import { useState } from 'react';
import { Redirect } from 'wouter';
import { useUser } from '../api/user.ts';
import { Button } from '../components/button.tsx';
import { Card } from '../components/card.tsx';
import { Page } from '../components/page/page.tsx';
import { hasNothingToAccept } from '../features/disclaimer/disclaimer-rules.ts';
import { readDisclaimerSeen } from '../features/disclaimer/disclaimer-seen.ts';
import { disclaimerSections } from '../features/disclaimer/disclaimer-text.ts';
import { ReleasePicture } from '../features/disclaimer/release-picture.tsx';
import { useAcceptDisclaimer } from '../features/disclaimer/use-accept-disclaimer.ts';
import { useWantedPage } from '../features/disclaimer/wanted-page.ts';
import { paths } from '../lib/paths/paths.ts';

export function DisclaimerScreen() {
  const { user, isLoading } = useUser();
  // The state when the screen opened: accepting moves on by itself, after the server has answered.
  const [wasSeen] = useState(readDisclaimerSeen);
  const wanted = useWantedPage();
  const { accept, isAccepting, hasAnswered } = useAcceptDisclaimer(wanted);

  if (!hasAnswered && hasNothingToAccept({ isSeen: wasSeen, user: isLoading ? undefined : user })) {
    return <Redirect to={paths.betaWelcome} replace state={wanted} />;
  }
  return (
    <Page className="sm:pt-12 lg:pb-6">
      <h1 className="text-2xl font-semibold">Beta Program Disclaimer</h1>
      <p className="mt-2 text-ink-muted text-pretty">
        Fairlead takes a folder of web files and puts it on the web. It is in beta: here is what to know first. You are
        asked once in each browser and for each account, and again only if this text changes.
      </p>
      <ReleasePicture />
      <Card className="mt-4 flex flex-col">
        <section
          aria-label="Beta Program Disclaimer"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard (WCAG 2.1.1)
          tabIndex={0}
          className="grid max-h-[max(15rem,min(34rem,calc(100dvh-30rem)))] gap-x-10 gap-y-4 overflow-y-auto overscroll-contain rounded-t-card mask-b-from-[calc(100%-3rem)] px-4 pt-5 pb-12 focus-visible:-outline-offset-2 sm:px-6 lg:grid-cols-2"
        >
          {disclaimerSections.map(({ title, paragraphs }, index) => (
            <section key={title}>
              <h2 className="font-semibold">
                <span className="mr-2 font-normal text-ink-faint tabular-nums" aria-hidden>
                  {index + 1}
                </span>
                {title}
              </h2>
              <SectionText paragraphs={paragraphs} />
            </section>
          ))}
        </section>
        <div className="flex justify-end border-t border-line p-4 sm:px-6">
          <Button
            variant="primary"
            onClick={accept}
            isBusy={isAccepting}
            busyLabel="Processing"
            className="max-sm:w-full"
          >
            Accept & Continue
          </Button>
        </div>
      </Card>
    </Page>
  );
}

/** The first sentence stays in view; the details open on request. */
function SectionText({ paragraphs: [first = '', ...others] }: { paragraphs: readonly string[] }) {
  const end = first.indexOf('. ') + 1;
  const sentence = end === 0 ? first : first.slice(0, end);
  const more = [...(end === 0 ? [] : [first.slice(end + 1)]), ...others];
  return (
    <details>
      <summary className="mt-1 cursor-pointer rounded-tight text-ink-muted text-pretty before:hidden">
        {sentence} <span className="text-accent underline">More</span>
      </summary>
      {more.map((paragraph) => (
        <p key={paragraph} className="mt-2 leading-6 text-ink-muted text-pretty">
          {paragraph}
        </p>
      ))}
    </details>
  );
}

import { ArrowLeft, Globe, Lightbulb, Lock, type LucideIcon, Route, Stethoscope, UserRound } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useEffect } from 'react';
import { Link } from 'wouter';
import { HOSTING_PLATFORMS } from '../../routers/schemas/platforms/ids.ts';
import { PLATFORMS } from '../../routers/schemas/platforms/list.ts';
import { Button } from '../components/button.tsx';
import { Card } from '../components/card.tsx';
import { Page } from '../components/page/page.tsx';
import { CONTACT_FORM, SupportNote, WriteToUs } from '../features/contact/support-email.tsx';
import { paths } from '../lib/paths/paths.ts';
import { LIVE_ONCE_COMPARED } from '../lib/verification-text.ts';

/** The form weighs 20 KB with its libraries, and comes at the end of a long page. */
const ContactForm = lazy(async () => ({ default: (await import('../features/contact/contact-form.tsx')).ContactForm }));

const features: readonly { icon: LucideIcon; title: string; text: string }[] = [
  {
    icon: Globe,
    title: 'Website Deployment',
    text: `Choose a folder or a ZIP. ${LIVE_ONCE_COMPARED} You can roll back to an earlier release.`,
  },
  {
    icon: Route,
    title: 'DNS Automation',
    text: 'A, CNAME and other records: created and managed for you if your DNS provider is connected, listed one by one if it is not.',
  },
  {
    icon: Lock,
    title: 'SSL Certificate Management',
    text: 'Certificates, issued and renewed for your own domains, with their expiry dates always shown.',
  },
  {
    icon: Lightbulb,
    title: 'AI-Powered Hosting Suggestions',
    text: 'Your files are read before anything is published: what kind of website it is, what looks wrong, and where it fits.',
  },
  {
    icon: Stethoscope,
    title: 'Diagnostics Tools',
    text: 'The health of each deployment, its domains and certificates, and what to do when something is wrong.',
  },
  {
    icon: UserRound,
    title: 'User Authentication',
    text: 'Deployments and their settings are stored with your account. You see every browser that is logged in and can log it out.',
  },
];

const technologies = ['React', 'Node.js', 'Express', 'TypeScript', 'Electron', 'Vite'] as const;

export function AboutScreen() {
  return (
    <Page width="reading" className="sm:pt-10">
      <Button asChild variant="quiet" className="-ml-3.5">
        <Link to={paths.home}>
          <ArrowLeft />
          Back to Home
        </Link>
      </Button>
      <h1 className="mt-4 text-2xl font-semibold">About Fairlead</h1>
      <Section title="Our Mission">
        <p className="text-lg text-ink-muted text-pretty">
          A person with a folder of web files and a domain name should have a website on that name in about a minute:
          without a terminal, without a Git account, with every wait in sight and every failure explained. Fairlead is
          for developers, for small businesses, and for people who never wanted to know what a server is.
        </p>
      </Section>
      <Section title="Key Features">
        <ul className="grid gap-4 sm:grid-cols-2">
          {features.map(({ icon: Icon, title, text }) => (
            <li key={title} className="rounded-card border border-line bg-surface-raised p-5">
              <h3 className="flex items-center gap-2.5 font-semibold">
                <Icon className="text-accent" />
                {title}
              </h3>
              <p className="mt-1.5 text-sm text-ink-muted text-pretty">{text}</p>
            </li>
          ))}
        </ul>
        <p className="mt-3 text-sm text-ink-muted">
          Fairlead is in beta. Anything unfinished is marked, and{' '}
          <Link to={paths.help} className="underline hover:text-ink">
            Help & Documentation
          </Link>{' '}
          says what each part does.
        </p>
      </Section>
      <Section title="Technology Stack">
        <Names names={technologies} />
      </Section>
      <Section title="Supported Platforms">
        <Names names={HOSTING_PLATFORMS.map((platform) => PLATFORMS[platform].title)} />
        <p className="mt-3 text-sm text-ink-muted">Or the built-in host: Fairlead serves your site itself.</p>
      </Section>
      <ContactSection />
    </Page>
  );
}

function ContactSection() {
  useEffect(() => {
    if (location.hash === `#${CONTACT_FORM}`) document.getElementById(CONTACT_FORM)?.scrollIntoView();
  }, []);
  return (
    <Section title="Contact Us">
      <p className="text-ink-muted">
        <WriteToUs />, or see the{' '}
        <Link to={paths.faq} className="font-medium text-accent underline underline-offset-4">
          Frequently Asked Questions
        </Link>
        . We'll get back to you within 24 hours.
      </p>
      <SupportNote />
      <Card aria-labelledby={CONTACT_FORM} className="mt-5 p-5 sm:p-6">
        <h3 id={CONTACT_FORM} className="mb-4 scroll-mt-20 font-semibold">
          Quick Contact Form
        </h3>
        <Suspense fallback={<FormPlaceholder />}>
          <ContactForm />
        </Suspense>
      </Card>
    </Section>
  );
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="mt-10">
      <h2 className="mb-3 text-lg font-semibold">{title}</h2>
      {children}
    </section>
  );
}

function Names({ names }: { names: readonly string[] }) {
  return (
    <ul className="flex flex-wrap gap-2">
      {names.map((name) => (
        <li key={name} className="rounded-control border border-line bg-surface-raised px-3 py-1.5 text-sm font-medium">
          {name}
        </li>
      ))}
    </ul>
  );
}

/** Has the height of the form that follows. */
function FormPlaceholder() {
  return <div className="h-88 sm:h-73" />;
}

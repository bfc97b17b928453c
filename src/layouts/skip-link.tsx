/** The first stop of the Tab key: it skips the navigation and leads to the content. */
export function SkipLink() {
  return (
    <a
      href="#content"
      className="sr-only rounded-control bg-accent px-3 py-2 text-base font-medium text-accent-ink focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-50 focus:px-3 focus:py-2"
    >
      Skip to content
    </a>
  );
}

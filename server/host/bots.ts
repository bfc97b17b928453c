/** The longest part of a name that is examined. */
const NAME_MAX = 400;

/**
 * Words in the names of programs that fetch pages without a person: crawlers, previews of links, checks (Fairlead's
 * own too), and the usual libraries. CUBOT is a make of telephones.
 */
const PROGRAMS =
  /(?<!cu)bot|crawl|spider|slurp|archiver|scrapy|scanner|fetcher|preview|validator|monitor|uptime|pingdom|lighthouse|headless|phantomjs|facebookexternalhit|embedly|whatsapp|curl|wget|python|aiohttp|httpx|go-http-client|java\/|libwww|httpclient|okhttp|node-fetch|fairlead|axios|undici|zgrab|masscan|nmap/i;

/** Returns whether a program asks, by its `User-Agent`; a request without one is not from a browser. */
export function isBot(userAgent: string | undefined): boolean {
  return userAgent === undefined || PROGRAMS.test(userAgent.slice(0, NAME_MAX));
}

import { dnsSuite } from '../support/dns-suite.ts';
import { cloudflareUnderTest } from '../support/standins/cloudflare/index.ts';

dnsSuite('Cloudflare', cloudflareUnderTest);

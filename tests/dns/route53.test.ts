import { dnsSuite } from '../support/dns-suite.ts';
import { route53UnderTest } from '../support/standins/route53/index.ts';

dnsSuite('Route 53', route53UnderTest);

import { dnsSuite } from '../support/dns-suite.ts';
import { digitalOceanUnderTest } from '../support/standins/digitalocean/index.ts';

dnsSuite('DigitalOcean', digitalOceanUnderTest);

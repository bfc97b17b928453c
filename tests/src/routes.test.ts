import { expect, test } from 'vitest';
import { isDisclaimerExempt } from '../../src/features/disclaimer/disclaimer-rules.ts';
import { isAuthScreen } from '../../src/lib/paths/paths.ts';
import { findRoute } from '../../src/routes.tsx';
import { ROUTES, routesOf } from '../specification/route-table.ts';

/** Each route is of the kind of which route-table.test.tsx shows one example to each visitor. */
test.each([...ROUTES, ...routesOf('0123456789abcdefghij', '')])(
  '$path is of the kind that the route table gives it',
  (row) => {
    const { route } = findRoute(row.path);
    expect({
      access: isAuthScreen(row.path) ? 'auth' : route.access,
      layout: route.layout,
      skeleton: route.skeleton,
      isExempt: isDisclaimerExempt(row.path),
    }).toEqual({ access: row.access, layout: row.layout, skeleton: row.skeleton, isExempt: row.exempt === true });
  },
);

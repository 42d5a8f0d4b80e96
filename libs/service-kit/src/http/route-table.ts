/** The routes of a service. They distinguish an unknown path (404) from a known one with another method (405). */
export class RouteTable {
  private readonly routes: { method: string; path: string; pattern: RegExp }[] = [];

  /** @param path in the router's notation: `/a/:id`, `/b/*`, with an optional expression `/c/:id(\\d+)`. */
  add(methods: readonly string[], path: string): void {
    const pattern = new RegExp(
      `^${path
        .replace(/\/+$/, '')
        .split('/')
        .map((segment) => (segment === '*' ? '.*' : segmentPattern(segment)))
        .join('/')}/?$`,
    );
    for (const method of methods) this.routes.push({ method, path, pattern });
  }

  /** Every route as `GET /a/:id`, sorted; without HEAD and OPTIONS, which follow from the others. */
  list(): string[] {
    const served = this.routes.filter(({ method }) => method !== 'HEAD' && method !== 'OPTIONS');
    return [...new Set(served.map(({ method, path }) => `${method} ${path}`))].sort();
  }

  /** The methods of this path in alphabetical order; none for an unknown path. */
  methodsOf(url: string): string[] {
    const path = url.split('?', 1)[0] ?? '';
    const methods = this.routes.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method);
    return [...new Set(methods)].sort();
  }
}

function segmentPattern(segment: string): string {
  return segment
    .split(/(:\w+(?:\([^)]*\))?\??|\*)/)
    .map((part) => {
      if (part === '*') return '.*';
      if (part.startsWith(':')) return /\(([^)]*)\)/.exec(part)?.[1] ?? '[^/]+';
      return part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    })
    .join('');
}

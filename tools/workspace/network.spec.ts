// Who reaches what in the rendered overlays, against the table of documented callers: each of them, and nobody else.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { apps } from './dockerfiles.mjs';
import { mayConnect, routed } from './network-policies.mjs';
import { find, overlays, podTemplate, rendered, settingsOf, type Manifest } from './rendered-manifests.js';
import { dependencies, insideCalls, insidePaths, outsideCalls, services } from './service-callers.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');

interface End {
  name: string;
  ip?: string;
  namespace?: { name: string; labels: Record<string, string> };
  labels?: Record<string, string>;
  ports?: Record<string, number>;
}

const elsewhere = (name: string, labels: Record<string, string>, podLabels: Record<string, string> = {}): End => ({
  name,
  namespace: { name: `of-${name.replaceAll(' ', '-')}`, labels },
  labels: podLabels,
});
const kubeSystem = { name: 'kube-system', labels: { 'kubernetes.io/metadata.name': 'kube-system' } };

const ends = {
  monitoring: [elsewhere('monitoring', { 'tradewind.example/role': 'monitoring' })],
  ingress: [elsewhere('proxies of the ingress', { 'tradewind.example/role': 'ingress' })],
  stranger: [
    elsewhere('pod of another namespace', {}),
    elsewhere('pod that calls itself identity', {}, { 'app.kubernetes.io/name': 'identity' }),
    { name: 'another pod of kube-system', namespace: kubeSystem, labels: { 'k8s-app': 'metrics-server' } },
  ],
  dns: [
    { name: 'kube-dns', namespace: kubeSystem, labels: { 'k8s-app': 'kube-dns' } },
    { name: 'node-local-dns', namespace: kubeSystem, labels: { 'k8s-app': 'node-local-dns' } },
    { name: 'NodeLocal DNSCache', ip: '169.254.20.10' },
    { name: 'metadata server', ip: '169.254.169.254' },
  ],
  'metadata server': [
    { name: 'metadata server', ip: '169.254.169.254' },
    { name: 'metadata server of the node', ip: '169.254.169.252' },
  ],
  'load balancer': [
    { name: 'front end of the load balancer', ip: '35.191.4.7' },
    { name: 'health check', ip: '130.211.3.250' },
  ],
  database: [{ name: 'database', ip: '10.20.0.3' }],
  internet: [
    { name: 'address on the internet', ip: '203.0.113.9' },
    { name: 'address beside the load balancer', ip: '130.211.4.1' },
  ],
  private: [
    { name: 'private address', ip: '172.16.3.4' },
    { name: 'another private address', ip: '192.168.7.1' },
    { name: 'address of a node', ip: '100.64.1.1' },
    { name: 'link-local address', ip: '169.254.1.1' },
  ],
} satisfies Record<string, End[]>;

/** The server, the migration and the other processes of each app that the overlay has. */
function podsOf(manifests: Manifest[]): (End & { app: string; isServer: boolean })[] {
  return manifests
    .filter(({ kind }) => ['Deployment', 'Job', 'CronJob'].includes(kind))
    .map((manifest) => {
      const { metadata, spec } = podTemplate(manifest);
      const ports = spec.containers.flatMap((container) => container.ports ?? []);
      return {
        name: manifest.metadata.name,
        app: metadata.labels['app.kubernetes.io/name']!,
        isServer: metadata.labels['app.kubernetes.io/component'] === 'server',
        namespace: { name: manifest.metadata.namespace!, labels: {} },
        labels: metadata.labels,
        ports: Object.fromEntries(ports.map(({ name, containerPort }) => [name, containerPort])),
      };
    });
}

const hostsOf = (manifests: Manifest[]) =>
  Object.fromEntries(
    services.map((app) => [app, (find(manifests, 'HTTPRoute', app)!.spec as { hostnames: string[] }).hostnames[0]!]),
  );

const isGke = (manifests: Manifest[]) =>
  (find(manifests, 'Gateway', 'edge')!.spec as { gatewayClassName: string }).gatewayClassName.startsWith('gke-');

const concrete = (path: string) => path.replaceAll(/\{[^}]*\}/g, 'x');

describe.each(overlays)('the network of the %s overlay', (overlay) => {
  const manifests = rendered(overlay);
  const pods = podsOf(manifests);
  const hosts = hostsOf(manifests);
  const edge: keyof typeof ends = isGke(manifests) ? 'load balancer' : 'ingress';

  it('admits every documented caller of every service, and nobody else', () => {
    const expected = new Set<string>();
    const expectCall = (from: End, service: string, port: string) => {
      const isCalled = ({ app, isServer, ports }: (typeof pods)[0]) =>
        app === service && (isServer || (port === 'metrics' && ports!['metrics'] !== undefined));
      for (const to of pods.filter(isCalled)) {
        if (from.name !== to.name) expected.add(`${from.name} -> ${to.name}:${to.ports![port]}`);
      }
    };
    for (const { service, port } of outsideCalls) for (const from of ends[edge]) expectCall(from, service, port);
    // Where the overlay has it. It calls nobody: browsers call the services.
    for (const from of ends[edge]) expectCall(from, 'console', 'http');
    for (const { caller, service, port } of insideCalls) {
      const callers: End[] = caller === 'monitoring' ? ends.monitoring : pods.filter(({ app }) => app === caller);
      expect(callers).not.toEqual([]);
      for (const from of callers) expectCall(from, service, port);
    }

    const found = new Set<string>();
    for (const from of [...Object.values(ends).flat(), ...pods]) {
      for (const to of pods) {
        if (from.name === to.name) continue;
        for (const port of [80, 443, 8080, 9080, 9229]) {
          if (mayConnect(manifests, from, to, port)) found.add(`${from.name} -> ${to.name}:${port}`);
        }
      }
    }
    expect([...found].sort()).toEqual([...expected].sort());
  });

  it('allows services what they need outside the namespace, and nothing else', () => {
    const expected = new Set<string>();
    for (const { callers, to, ports } of dependencies) {
      for (const from of pods.filter(({ app }) => callers.includes(app))) {
        // The load balancer and what is beside it are part of the internet.
        const targets =
          to === 'internet' ? [...ends.internet, ...ends['load balancer']] : ends[to as keyof typeof ends];
        for (const target of targets) {
          for (const port of ports) {
            expected.add(`${from.name} -> ${target.name}:${port}/TCP`);
            if (to === 'dns') expected.add(`${from.name} -> ${target.name}:${port}/UDP`);
          }
        }
      }
    }
    const found = new Set<string>();
    for (const from of pods) {
      for (const to of Object.values(ends).flat()) {
        for (const port of [22, 53, 80, 443, 988, 4318, 5432, 8080, 9200]) {
          for (const protocol of ['TCP', 'UDP']) {
            if (mayConnect(manifests, from, to, port, protocol))
              found.add(`${from.name} -> ${to.name}:${port}/${protocol}`);
          }
        }
      }
    }
    expect([...found].sort()).toEqual([...expected].sort());
  });

  it('routes every path that outside callers need to a port of its service', () => {
    for (const { service, path } of outsideCalls) {
      const backend = routed(manifests, { listener: 'https', host: hosts[service]!, path: concrete(path) });
      expect({ service, path, backend }).toEqual({
        service,
        path,
        backend: { service: `${service}-service`, port: 80 },
      });
      const { ports, selector } = find(manifests, 'Service', String(backend!.service))!.spec as {
        ports: { port: number; targetPort: string }[];
        selector: Record<string, string>;
      };
      const { targetPort } = ports.find(({ port }) => port === backend!.port)!;
      const behind = pods.filter(({ labels }) =>
        Object.entries(selector).every(([key, value]) => labels![key] === value),
      );
      expect(behind.map(({ app, isServer }) => ({ app, isServer }))).toEqual([{ app: service, isServer: true }]);
      expect(behind[0]!.ports![targetPort]).toBe(8080);
    }
  });

  it('routes no path that only inside callers need', () => {
    const isOutside = ({ service, path }: { service: string; path: string }) =>
      outsideCalls.some((call) => call.service === service && call.path === path);
    const inside = [
      ...insideCalls.filter((call) => !isOutside(call)),
      ...services.flatMap((service) => insidePaths.map((path) => ({ service, path }))),
    ];
    for (const { service, path } of inside) {
      expect(routed(manifests, { listener: 'https', host: hosts[service]!, path: concrete(path) })).toBeUndefined();
    }
    expect(routed(manifests, { listener: 'https', host: 'another.example.com', path: '/health' })).toBeUndefined();
    // Each host name is one service's.
    expect(new Set(Object.values(hosts)).size).toBe(services.length);
  });

  it('serves TLS only: plain http is redirected and reaches no service', () => {
    for (const { service, path } of outsideCalls) {
      expect(routed(manifests, { listener: 'http', host: hosts[service]!, path: concrete(path) })).toBeUndefined();
    }
    expect(find(manifests, 'HTTPRoute', 'https-redirect')!.spec).toMatchObject({
      rules: [{ filters: [{ type: 'RequestRedirect', requestRedirect: { scheme: 'https', statusCode: 301 } }] }],
    });
    const { listeners } = find(manifests, 'Gateway', 'edge')!.spec as { listeners: object[] };
    expect(listeners).toMatchObject([
      { name: 'http', protocol: 'HTTP', port: 80 },
      { name: 'https', protocol: 'HTTPS', port: 443 },
    ]);
  });

  it('gives outside callers addresses that the edge routes to the right service', () => {
    const addresses = services.flatMap((app) => {
      const settings = settingsOf(manifests, app);
      return (
        [
          ['OAUTH_ISSUER', 'identity', '/.well-known/openid-configuration'],
          ['PUSH_ENDPOINT', 'priority-api', ''],
          ['PUSH_AUDIENCE', 'priority-api', ''],
          ['SCHEDULER_AUDIENCE', 'coordinator', ''],
          ['WEBHOOK_BASE_URL', 'interactions', '/scraper/network/webhook'],
          ['PROFILE_WEBHOOK_URL', 'priority-webhook', ''],
        ] as const
      ).flatMap(([setting, service, path]) =>
        settings[setting]?.startsWith('https:') ? [{ app, setting, service, url: `${settings[setting]}${path}` }] : [],
      );
    });
    expect(addresses.length).toBeGreaterThanOrEqual(services.length);
    for (const { url, service, ...where } of addresses) {
      const { hostname: host, pathname: path } = new URL(url);
      expect({ ...where, backend: routed(manifests, { listener: 'https', host, path }) }).toEqual({
        ...where,
        backend: { service: `${service}-service`, port: 80 },
      });
    }
  });

  it('trusts as many proxies as are in front of the services', () => {
    // Google's balancer adds the client's address and its own to X-Forwarded-For; other proxies the client's alone.
    const hops = isGke(manifests) ? '2' : '1';
    for (const app of services) expect({ app, hops: settingsOf(manifests, app)['TRUST_PROXY'] }).toEqual({ app, hops });
  });
});

it('routes every address of the console to it', () => {
  const manifests = rendered('dev');
  const { hostnames } = find(manifests, 'HTTPRoute', 'console')!.spec as { hostnames: string[] };
  expect(Object.values(hostsOf(manifests))).not.toContain(hostnames[0]);
  for (const path of ['/', '/jobs/7', '/assets/index-abc.js', '/settings.json', '/signed-in']) {
    expect(routed(manifests, { listener: 'https', host: hostnames[0]!, path })).toEqual({
      service: 'console-service',
      port: 80,
    });
    expect(routed(manifests, { listener: 'http', host: hostnames[0]!, path })).toBeUndefined();
  }
});

describe('the network of OpenSearch', () => {
  const manifests = rendered('staging');
  const pods = podsOf(manifests);
  const { metadata, spec } = podTemplate(find(manifests, 'StatefulSet', 'opensearch')!);
  const node: End = {
    name: 'node',
    namespace: { name: 'tradewind-staging', labels: {} },
    labels: metadata.labels,
    ports: Object.fromEntries(spec.containers[0]!.ports!.map(({ name, containerPort }) => [name, containerPort])),
  };
  const searching = ({ app, isServer, name }: (typeof pods)[0]) =>
    app === 'graphql-gateway' && (isServer || name.endsWith('index-follow'));

  it('admits the gateways and the feeder, and beside them only its own nodes', () => {
    const found = [...Object.values(ends).flat(), ...pods, { ...node, name: 'another node' }].flatMap((from) =>
      [9200, 9300, 9600, 443]
        .filter((port) => mayConnect(manifests, from, node, port))
        .map((port) => `${from.name}:${port}`),
    );
    expect(found.sort()).toEqual(
      [...pods.filter(searching).map(({ name }) => `${name}:9200`), 'another node:9300'].sort(),
    );
    expect(pods.filter(searching)).toHaveLength(2);
  });

  it('lets a node reach names, its credentials and the bucket of its snapshots', () => {
    const targets = [...Object.values(ends).flat(), ...pods];
    const reached = targets.filter((to) =>
      [53, 80, 443, 988, 4318, 5432, 8080, 9080].some((port) => mayConnect(manifests, node, to, port)),
    );
    const allowed = [...ends.dns, ...ends['metadata server'], ...ends.internet, ...ends['load balancer']];
    expect([...new Set(reached.map(({ name }) => name))].sort()).toEqual(
      [...new Set(allowed.map(({ name }) => name))].sort(),
    );
  });

  it('is one range of private addresses where the cluster is managed elsewhere', () => {
    const policy = parse(read('deploy/kubernetes/components/opensearch-managed/network-policy.yaml')) as Manifest;
    policy.metadata.namespace = 'tradewind-staging';
    const managed: End = { name: 'managed cluster', ip: '10.20.0.9' };
    const others = manifests.filter((manifest) => !manifest.metadata.name.startsWith('opensearch'));
    for (const pod of pods) {
      expect(mayConnect(others, pod, managed, 9200)).toBe(false);
      expect(mayConnect([...others, policy], pod, managed, 9200)).toBe(searching(pod));
    }
  });
});

describe.each(['production', 'staging'])('the load balancer of the %s overlay', (overlay) => {
  const manifests = rendered(overlay);

  it('checks the readiness of each service, and waits long enough for its answers', () => {
    for (const service of services) {
      const targetRef = { group: '', kind: 'Service', name: `${service}-service` };
      expect(find(manifests, 'HealthCheckPolicy', service)!.spec).toEqual({
        targetRef,
        default: {
          checkIntervalSec: 5,
          timeoutSec: 3,
          healthyThreshold: 1,
          unhealthyThreshold: 2,
          config: { type: 'HTTP', httpHealthCheck: { requestPath: '/ready', portSpecification: 'USE_SERVING_PORT' } },
        },
      });
      expect(find(manifests, 'GCPBackendPolicy', service)!.spec).toEqual({
        targetRef,
        default: { timeoutSec: 60, connectionDraining: { drainingTimeoutSec: 60 } },
      });
    }
  });

  it('has an address, a certificate map and a TLS policy by the names that Terraform gives them', () => {
    const name = `tradewind-${overlay}`;
    expect(find(manifests, 'Gateway', 'edge')).toMatchObject({
      metadata: { annotations: { 'networking.gke.io/certmap': name } },
      spec: { addresses: [{ type: 'NamedAddress', value: name }] },
    });
    expect(find(manifests, 'GCPGatewayPolicy', 'edge')!.spec).toMatchObject({ default: { sslPolicy: name } });
    const terraform = read('deploy/terraform/edge.tf');
    for (const type of ['compute_global_address', 'certificate_manager_certificate_map', 'compute_ssl_policy']) {
      expect(terraform).toMatch(
        new RegExp(`resource "google_${type}" "edge" \\{\\n +name += "tradewind-\\$\\{var.environment\\}"`),
      );
    }
  });
});

describe('the table of callers', () => {
  const calls = [...outsideCalls, ...insideCalls];

  it('knows the six services', () => {
    expect([...services].sort()).toEqual([...apps].sort());
  });

  it.each(apps)('has a caller for every path in the documents of %s', (app) => {
    const called = new Set(calls.filter(({ service }) => service === app).map(({ path }) => shape(path)));
    const documented = documentedPaths(app);
    expect(documented.length).toBeGreaterThan(1);
    for (const path of documented) expect([...called]).toContain(shape(path));
  });

  it.each(apps)('has a caller for every controller of %s', (app) => {
    const folder = join(root, 'apps', app, 'src');
    const prefixes = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.controller.ts'))
      .flatMap((file) => [...readFileSync(join(folder, file), 'utf8').matchAll(/@Controller\('([^']+)'\)/g)])
      .map(([, prefix]) => `/${prefix!.replace(/:(\w+)/g, '{$1}')}`);
    const known = [...calls.filter(({ service }) => service === app).map(({ path }) => path), ...insidePaths];
    for (const prefix of prefixes) {
      expect({ prefix, isCalled: known.some((path) => `${path}/`.startsWith(`${prefix}/`)) }).toEqual({
        prefix,
        isCalled: true,
      });
    }
  });

  it.each(apps)('names no path of %s that its documents do not', (app) => {
    const documented = new Set(documentedPaths(app).map(shape));
    const text = read(`apps/${app}/README.md`);
    for (const { path, port } of calls.filter(({ service }) => service === app)) {
      if (port === 'metrics' || documented.has(shape(path))) continue;
      // Written there in a short form: "`POST /login/:uid/submit`, `/confirm`".
      expect(text).toContain(`/${path.split('/').at(-1)!}`);
    }
  });

  /** `/runs/{run_id}`, `/runs/:run_id` and `/runs/` as one. */
  function shape(path: string): string {
    return path.replaceAll(/\{[^}]*\}|:\w+/g, '*').replace(/(.)\/$/, '$1');
  }

  /** Of the OpenAPI document where there is one, and of the table "Surface" in the README. */
  function documentedPaths(app: string): string[] {
    const surface = /^## Surface\n([^]*?)^## /m.exec(read(`apps/${app}/README.md`))![1]!;
    const rows = surface.split('\n').filter((line) => line.startsWith('|'));
    const paths = rows.flatMap((row) =>
      [...row.matchAll(/(?:GET|POST|PUT|DELETE) (\/[^`\s,]*)/g)].map(([, path]) => path!),
    );
    try {
      const { paths: described } = JSON.parse(read(`apps/${app}/openapi.json`)) as { paths: object };
      paths.push(...Object.keys(described));
    } catch (error) {
      if ((error as { code?: string }).code !== 'ENOENT') throw error;
    }
    // Each service has a page of what there is for a browser; the edge leads to that of identity alone.
    return paths.filter((path) => !insidePaths.includes(path) && (path !== '/' || app === 'identity'));
  }
});

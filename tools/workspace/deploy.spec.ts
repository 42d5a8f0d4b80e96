// What `deploy/` promises, checked without a cluster, a cloud or a container engine. Where kubectl, kustomize or
// terraform is on the path they are asked too; what is checked without them covers every file all the same.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import hcl from '@cdktf/hcl2json';
import { validate as validateDockerfile } from 'dockerfile-utils';
import pg from 'pg';
import { parse, parseAllDocuments } from 'yaml';
import { profileBackupBucket } from '@tradewind/shared-types';
import { apps, imageApps } from './dockerfiles.mjs';
import { canRender, kubernetesDigest, render } from './kubernetes-manifests.mjs';
import {
  find,
  overlays,
  podTemplate,
  type PodTemplate,
  rendered,
  settingsOf,
  type Manifest,
} from './rendered-manifests.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');

const modelPackages: Record<string, string> = {
  'gateway.networking.k8s.io': '@kubernetes-models/gateway-api',
  'cert-manager.io': '@kubernetes-models/cert-manager',
};

const modelsOf = ({ apiVersion, kind }: Manifest) =>
  `${modelPackages[apiVersion.split('/')[0]!] ?? 'kubernetes-models'}/${apiVersion}/${kind}`;

describe.each(overlays)('the %s overlay', (overlay) => {
  const manifests = rendered(overlay);

  it('is valid against the schemas of Kubernetes', async () => {
    // Those of Google's own policies are in no package of a reasonable size; network.spec.ts compares these by value.
    for (const manifest of manifests.filter(({ apiVersion }) => !apiVersion.startsWith('networking.gke.io/'))) {
      const models = (await import(modelsOf(manifest))) as Record<
        string,
        new (value: Manifest) => { validate(): void }
      >;
      expect(() => new models[manifest.kind]!(manifest).validate()).not.toThrow();
    }
  });

  it('was rendered from the sources as they are now', () => {
    expect(read(`deploy/kubernetes/rendered/${overlay}.yaml`)).toContain(kubernetesDigest(overlay));
    if (canRender()) {
      expect(parseAllDocuments(render(overlay)).map((document) => document.toJS() as Manifest)).toEqual(manifests);
    }
  });

  it.each(apps)('gives %s every setting it reads, so that its configuration is accepted', async (app) => {
    const { AppConfig } = (await import(`../../apps/${app}/src/app.config.js`)) as {
      AppConfig: {
        new (env: Record<string, string>): unknown;
        settings: Record<string, { secret?: boolean; default?: unknown }>;
      };
    };
    const container = podTemplate(find(manifests, 'Deployment', `${app}-service`)!).spec.containers[0]!;
    const env: Record<string, string> = { PORT: '8080', HOST: '', METRICS_PORT: '', SERVICE_VERSION: '1.0.0' };
    Object.assign(env, settingsOf(manifests, app));
    for (const { name, value } of container.env ?? []) {
      // Replaces the cluster's own secret, whether the app needs it in this environment or not.
      const secret = createHash('sha256').update(name).digest('hex');
      const scheme = name.endsWith('DATABASE_URL') ? 'postgres' : 'https';
      env[name] = value ?? (name.endsWith('_URL') ? `${scheme}://user:${secret}@host/tradewind` : secret);
    }
    expect(Object.keys(AppConfig.settings).filter((name) => !(name in env))).toEqual([]);
    expect(() => new AppConfig(env)).not.toThrow();
  });

  it.each(apps)('runs %s without privileges and with a migration before it', (app) => {
    for (const manifest of [
      find(manifests, 'Deployment', `${app}-service`),
      find(manifests, 'Job', `${app}-migrate`),
    ]) {
      const pod = podTemplate(manifest!).spec;
      expect(pod.securityContext.runAsNonRoot).toBe(true);
      expect(pod.containers[0]!.securityContext).toMatchObject({
        readOnlyRootFilesystem: true,
        allowPrivilegeEscalation: false,
      });
      expect(pod.containers[0]!.resources).toHaveProperty('limits.memory');
    }
    for (const kind of ['Service', 'ServiceAccount', 'HorizontalPodAutoscaler', 'PodDisruptionBudget']) {
      expect(find(manifests, kind, `${app}-service`)).toBeDefined();
    }
  });

  it('contains no secret: every Secret is only referred to', () => {
    expect(manifests.filter(({ kind }) => kind === 'Secret')).toEqual([]);
  });

  it('can migrate before the rollout: whatever a migration Job needs is applied with it', () => {
    const isRollout = ({ metadata }: Manifest) => metadata.labels?.['tradewind.example/phase'] === 'rollout';
    expect(new Set(manifests.filter(isRollout).map(({ kind }) => kind))).toEqual(
      new Set(manifests.map(({ kind }) => kind).filter((kind) => ['Deployment', 'CronJob'].includes(kind))),
    );
    const first = manifests.filter((manifest) => !isRollout(manifest));
    for (const app of apps) {
      const pod = podTemplate(find(first, 'Job', `${app}-migrate`)!).spec;
      const configMap = pod.containers[0]!.envFrom?.find(({ configMapRef }) => configMapRef)?.configMapRef?.name;
      expect(find(first, 'ConfigMap', configMap!)).toBeDefined();
      expect(find(first, 'ServiceAccount', `${app}-service`)).toBeDefined();
    }
  });

  it('starts the monthly run in exactly one way', () => {
    const settings = manifests.find(
      ({ kind, metadata }) => kind === 'ConfigMap' && metadata.name.startsWith('coordinator-settings'),
    )!.data!;
    const isScheduled = settings['SCHEDULER_AUDIENCE'] !== '' && settings['SCHEDULER_SERVICE_ACCOUNT'] !== '';
    expect(isScheduled).toBe(find(manifests, 'CronJob', 'coordinator-monthly-run') === undefined);
    if (!isScheduled) return;
    // As in deploy/terraform/scheduler.tf and service-accounts.tf.
    expect(settings['SCHEDULER_AUDIENCE']).toMatch(/^https:\/\/.*\/run$/);
    expect(settings['SCHEDULER_SERVICE_ACCOUNT']).toMatch(new RegExp(`^tw-scheduler-${overlay}@`));
  });

  it('takes a pod out of the load balancer before it ends, and gives it time to finish its requests', () => {
    const edgeTimeouts = manifests.flatMap(({ kind, spec }) => {
      if (kind === 'GCPBackendPolicy') return [(spec as { default: { timeoutSec: number } }).default.timeoutSec];
      if (kind !== 'HTTPRoute') return [];
      const { rules } = spec as { rules: { timeouts?: { request: string } }[] };
      return rules.flatMap(({ timeouts }) => (timeouts ? [Number(/^(\d+)s$/.exec(timeouts.request)![1])] : []));
    });
    expect(edgeTimeouts).toHaveLength(apps.length);
    for (const app of apps) {
      const pod = podTemplate(find(manifests, 'Deployment', `${app}-service`)!).spec;
      const pauseSeconds = Number(settingsOf(manifests, app)['DRAIN_DELAY_MS']) / 1000;
      const shutdownSeconds = Number(settingsOf(manifests, app)['SHUTDOWN_TIMEOUT_MS']) / 1000;
      const closeSeconds = 5;
      // A balancer that asks every 5 s gives a pod up after two failures.
      expect(pauseSeconds).toBeGreaterThan(2 * 5);
      expect(shutdownSeconds).toBeGreaterThanOrEqual(Math.max(...edgeTimeouts) + closeSeconds);
      expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(pauseSeconds + shutdownSeconds);
    }
  });
});

it.each(overlays)('the services of the %s overlay keep idle connections longer than a balancer does', (overlay) => {
  const balancerMs = 600_000;
  for (const app of apps) {
    expect(Number(settingsOf(rendered(overlay), app)['KEEP_ALIVE_TIMEOUT_MS'])).toBeGreaterThan(balancerMs);
  }
});

describe('connections of the database', () => {
  /**
   * The pools that one process of an app opens, from its settings. A change that opens another pool in an app or a lib
   * adds it here; the next test counts the places.
   */
  const poolsOf = (app: string, settings: Record<string, string>): Record<string, number> => {
    const size = (name: string) => Number(settings[name]);
    const isEmbedded = settings['CLOUD'] === 'embedded';
    const publisher = 3;
    const dispatcher = 4;
    return {
      tables: size('DATABASE_POOL_SIZE'),
      ...(app === 'graphql-gateway' && {
        limits: size('DATABASE_POOL_SIZE'),
        data: size('DATA_POOL_SIZE'),
        ...(['auto', 'embedded'].includes(settings['FILTER_ENGINE']!) && { index: 1 }),
      }),
      ...('WAREHOUSE_POOL_SIZE' in settings && isEmbedded && { warehouse: size('WAREHOUSE_POOL_SIZE') }),
      ...(app === 'coordinator' && isEmbedded && { publisher, dispatcher }),
    };
  };

  it('are opened in these places of the code, and in no others', () => {
    const folders = [
      ...readdirSync(join(root, 'libs')).map((lib) => `libs/${lib}/src`),
      ...apps.map((app) => `apps/${app}/src`),
    ];
    const places = folders
      .filter((folder) => !folder.includes('testkit'))
      .flatMap((folder) =>
        readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
          .filter((file) => file.endsWith('.ts') && !file.endsWith('spec.ts'))
          .flatMap((file) => {
            const opened =
              /new (?:pg\.(?:Pool|Client)|WatchedClient)\(|new PgBoss\(|new (?:typeorm\.)?DataSource\(|(?<!function )openDb\(|openEmbeddedBroker\(\{/;
            return opened.test(read(`${folder}/${file}`)) ? [`${folder}/${file}`] : [];
          }),
      );
    expect(places.sort()).toEqual([
      'apps/graphql-gateway/src/data-store/data-store.ts',
      'apps/graphql-gateway/src/rate-limit/limits.store.ts',
      'apps/graphql-gateway/src/search-index/search-index.feeders.ts', // Of a command.
      'libs/cloud-ports/src/embedded-broker.ts',
      'libs/cloud-ports/src/factories.ts', // Of a command.
      'libs/cloud-ports/src/push-dispatcher.embedded.ts',
      'libs/cloud-ports/src/queue.embedded.ts',
      'libs/cloud-ports/src/warehouse.postgres.ts',
      'libs/filter-engine/src/embedded/build-index.worker.ts',
      'libs/service-kit/src/database/database.module.ts',
      'libs/service-kit/src/database/migrate.ts', // Before the service starts, and closed again.
      'libs/service-kit/src/database/open-db.ts',
    ]);
  });

  it.each(overlays)(
    'fit into the limit of PostgreSQL, with every pod of the %s overlay during a rollout',
    async (overlay) => {
      const manifests = rendered(overlay);
      // PostgreSQL keeps some for superusers, Cloud SQL for itself, and operators run commands.
      const reserved = 40;
      const connections = apps.map((app) => {
        const pools = Object.values(poolsOf(app, settingsOf(manifests, app)));
        expect(pools.filter((size) => !(size > 0))).toEqual([]);
        const { maxReplicas } = find(manifests, 'HorizontalPodAutoscaler', `${app}-service`)!.spec as {
          maxReplicas: number;
        };
        const { strategy } = find(manifests, 'Deployment', `${app}-service`)!.spec as {
          strategy: { rollingUpdate: { maxSurge: number } };
        };
        const scheduled = manifests.filter(
          ({ kind, metadata }) => kind === 'CronJob' && metadata.name.startsWith(`${app}-`),
        ).length;
        // Its own, and one for the tables of an embedded warehouse.
        const migration = 2;
        // One for each entity, and the pools of its settings.
        const feeder = find(manifests, 'Deployment', `${app}-index-follow`);
        const { replicas = 0 } = (feeder?.spec ?? {}) as { replicas?: number };
        const own = feeder && podTemplate(feeder).spec.containers[0]!.env!.filter(({ value }) => value !== undefined);
        const feederSettings = { ...settingsOf(manifests, app) };
        for (const { name, value } of own ?? []) feederSettings[name] = value!;
        const feederPools = Object.values(poolsOf(app, feederSettings));
        const feeding = replicas * feederPools.reduce((sum, size) => sum + size, 4);
        const processes = maxReplicas + strategy.rollingUpdate.maxSurge + scheduled;
        return processes * pools.reduce((sum, size) => sum + size, 0) + migration + feeding;
      });
      const most = connections.reduce((sum, count) => sum + count, 0);
      const limit = Number(await variableDefault('database_max_connections'));
      expect(most).toBeLessThanOrEqual(limit - reserved);
    },
  );
});

describe('the console in an overlay', () => {
  const manifests = rendered('dev');
  const settings = settingsOf(manifests, 'console');
  const origin = `https://${(find(manifests, 'HTTPRoute', 'console')!.spec as { hostnames: string[] }).hostnames[0]}`;
  const pod = podTemplate(find(manifests, 'Deployment', 'console-service')!).spec;

  it('accepts its settings, which name each service as the edge does', async () => {
    const settingsFile = '../../apps/console/server/console-settings.js';
    const { readConsoleSettings } = (await import(settingsFile)) as {
      readConsoleSettings: (env: Record<string, string>) => Record<string, unknown>;
    };
    const hosts = apps.map((app) => (find(manifests, 'HTTPRoute', app)!.spec as { hostnames: string[] }).hostnames[0]);
    const names = apps.map(
      (app) => `${app === 'graphql-gateway' ? 'GATEWAY' : app.replace('-', '_').toUpperCase()}_URL`,
    );
    const read = readConsoleSettings({ ...settings, ENVIRONMENT: 'production' });
    expect(names.map((name) => read[name])).toEqual(hosts.map((host) => `https://${host}`));
  });

  it('may call each service from a browser, with tokens that are bound to its key', () => {
    for (const app of apps) expect(settingsOf(manifests, app)['CORS_ORIGINS']).toBe(origin);
    expect(settingsOf(manifests, 'identity')['DPOP']).toBe('true');
  });

  it('is nowhere else, and then no origin is allowed', () => {
    for (const overlay of ['production', 'staging']) {
      expect(find(rendered(overlay), 'Deployment', 'console-service')).toBeUndefined();
      for (const app of apps) expect(settingsOf(rendered(overlay), app)['CORS_ORIGINS']).toBe('');
    }
  });

  it('runs without privileges and without a secret, and serves on while the edge forgets it', () => {
    expect(pod.securityContext.runAsNonRoot).toBe(true);
    expect(pod.containers[0]!.securityContext).toMatchObject({
      readOnlyRootFilesystem: true,
      allowPrivilegeEscalation: false,
    });
    expect(JSON.stringify(pod)).not.toMatch(/secret/i);
    // A balancer that asks every 5 s gives a pod up after two failures.
    const pauseSeconds = pod.containers[0]!.lifecycle!.preStop.sleep.seconds;
    expect(pauseSeconds).toBeGreaterThan(2 * 5);
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(pauseSeconds + 5);
  });
});

describe('OpenSearch in an overlay', () => {
  const manifests = rendered('staging');
  const [feeder, server] = ['index-follow', 'service'].map((part) =>
    podTemplate(find(manifests, 'Deployment', `graphql-gateway-${part}`)!),
  ) as [PodTemplate, PodTemplate];
  const nodes = find(manifests, 'StatefulSet', 'opensearch')!;
  const envOf = ({ spec }: PodTemplate) => spec.containers[0]!.env!;

  it('has three nodes of which any one may be lost: on machines of their own, with a copy of each shard', () => {
    expect(nodes.spec).toMatchObject({ replicas: 3, podManagementPolicy: 'Parallel' });
    expect(podTemplate(nodes).spec).toMatchObject({
      securityContext: { runAsNonRoot: true },
      topologySpreadConstraints: expect.arrayContaining([
        expect.objectContaining({ topologyKey: 'kubernetes.io/hostname', whenUnsatisfiable: 'DoNotSchedule' }),
      ]),
    });
    expect(find(manifests, 'PodDisruptionBudget', 'opensearch')!.spec).toMatchObject({ maxUnavailable: 1 });
    expect(Number(settingsOf(manifests, 'graphql-gateway')['OPENSEARCH_REPLICAS'])).toBeGreaterThan(0);
  });

  it('has another user for the feeder, whose password no gateway has', () => {
    expect(settingsOf(manifests, 'graphql-gateway')).toMatchObject({
      FILTER_ENGINE: 'opensearch',
      OPENSEARCH_USER: 'tradewind-gateway',
    });
    expect(envOf(feeder)).toContainEqual({ name: 'OPENSEARCH_USER', value: 'tradewind-feeder' });
    expect(JSON.stringify(feeder)).toContain('graphql-gateway-feeder-secrets');
    expect(JSON.stringify(server)).not.toContain('feeder');
    expect(feeder.spec.containers[0]!.securityContext).toMatchObject({
      readOnlyRootFilesystem: true,
      allowPrivilegeEscalation: false,
    });
  });

  it('gives the feeder every secret that its configuration needs, and two processes of which one leads', async () => {
    const settingsFile = '../../apps/graphql-gateway/src/app.config.js';
    const { AppConfig } = (await import(settingsFile)) as {
      AppConfig: new (env: Record<string, string>) => unknown;
    };
    const env: Record<string, string> = { PORT: '8080', HOST: '', METRICS_PORT: '', SERVICE_VERSION: '1.0.0' };
    Object.assign(env, settingsOf(manifests, 'graphql-gateway'));
    for (const { name, value } of envOf(feeder)) {
      const secret = createHash('sha256').update(name).digest('hex');
      const scheme = name.endsWith('DATABASE_URL') ? 'postgres' : 'https';
      env[name] = value ?? (name.endsWith('_URL') ? `${scheme}://user:${secret}@host/tradewind` : secret);
    }
    expect(() => new AppConfig(env)).not.toThrow();
    expect(find(manifests, 'Deployment', 'graphql-gateway-index-follow')!.spec).toMatchObject({ replicas: 2 });
  });

  it('lets the gateway search and nothing else, and the feeder touch its own indexes alone', () => {
    const config = manifests.find(
      ({ kind, metadata }) => kind === 'ConfigMap' && metadata.name.startsWith('opensearch-config'),
    )!.data!;
    type Role = {
      cluster_permissions: string[];
      index_permissions: { index_patterns: string[]; allowed_actions: string[] }[];
    };
    const roles = parse(config['roles.yml']!) as Record<string, Role>;
    const { tradewind_gateway: gateway, tradewind_feeder: feeding } = roles as {
      tradewind_gateway: Role;
      tradewind_feeder: Role;
    };
    expect(Object.keys(roles).sort()).toEqual(['_meta', 'tradewind_feeder', 'tradewind_gateway']);
    const actionsOf = (role: Role) => [
      ...role.cluster_permissions,
      ...role.index_permissions.flatMap(({ allowed_actions: actions }) => actions),
    ];
    expect(new Set(actionsOf(gateway))).toEqual(new Set(['indices:data/read/search', 'indices:data/read/msearch']));
    expect(actionsOf(feeding).filter((action) => /^[*]|^indices:[*]|^cluster:/.test(action))).toEqual([]);
    const prefix = settingsOf(manifests, 'graphql-gateway')['OPENSEARCH_PREFIX']!;
    for (const { index_patterns: patterns } of [...gateway.index_permissions, ...feeding.index_permissions])
      for (const pattern of patterns) expect(pattern.startsWith(`${prefix}-`)).toBe(true);
    expect(parse(config['roles_mapping.yml']!)).toMatchObject({
      tradewind_gateway: { users: ['tradewind-gateway'] },
      tradewind_feeder: { users: ['tradewind-feeder'] },
    });
  });

  it('writes what it refused to its log, without the values of filters', () => {
    const config = manifests.find(
      ({ kind, metadata }) => kind === 'ConfigMap' && metadata.name.startsWith('opensearch-config'),
    )!.data!;
    const settings = parse(config['opensearch.yml']!) as Record<string, unknown>;
    // An index of each day would not be made, because no write makes an index.
    expect(settings['plugins.security.audit.type']).toBe('log4j');
    expect(parse(config['audit.yml']!)).toMatchObject({
      config: { enabled: true, audit: { enable_rest: true, enable_transport: true, log_request_body: false } },
    });
    expect(podTemplate(nodes).spec.containers[0]!.volumeMounts).toContainEqual(
      expect.objectContaining({ mountPath: '/usr/share/opensearch/config/opensearch-security/audit.yml' }),
    );
  });

  it('speaks TLS on both ports, and makes no index because of a write', () => {
    const config = manifests.find(
      ({ kind, metadata }) => kind === 'ConfigMap' && metadata.name.startsWith('opensearch-config'),
    )!.data!;
    const settings = parse(config['opensearch.yml']!) as Record<string, unknown>;
    const folder = podTemplate(nodes).spec.containers[0]!.volumeMounts as { name: string; mountPath: string }[];
    expect(folder).toContainEqual(
      expect.objectContaining({ name: 'certificates', mountPath: '/usr/share/opensearch/config/certificates' }),
    );
    for (const layer of ['http', 'transport'])
      expect(settings[`plugins.security.ssl.${layer}.pemkey_filepath`]).toBe('certificates/tls.key');
    expect(settings['plugins.security.ssl.http.enabled']).toBe(true);
    expect(settings['action.auto_create_index']).toBe('+tradewind-builds,-*');
    expect(settings['cluster.initial_cluster_manager_nodes']).toHaveLength(3);
  });
});

describe('the compose file', () => {
  const compose = parse(read('deploy/compose/compose.yaml'), { merge: true }) as {
    services: Record<
      string,
      { image: string; command?: string[]; environment: Record<string, string>; ports?: string[] }
    >;
  };

  it('has the six apps and opens ports on the loopback interface alone', () => {
    expect(Object.keys(compose.services)).toEqual(expect.arrayContaining(apps));
    for (const { ports } of Object.values(compose.services)) {
      for (const port of ports ?? []) expect(port).toMatch(/^127\.0\.0\.1:/);
    }
  });

  it('makes what Terraform makes elsewhere: the bucket, and the queue that the coordinator uses', () => {
    const { bucket, topology, coordinator } = compose.services;
    expect(bucket!.command!.join(' ')).toContain(`name: '${profileBackupBucket}'`);
    expect(topology!.command).toEqual(['queue', 'ensure']);
    expect(topology!.environment).toEqual(coordinator!.environment);
  });

  it.each(apps)('gives %s settings that its configuration accepts', async (app) => {
    const { AppConfig } = (await import(`../../apps/${app}/src/app.config.js`)) as {
      AppConfig: new (env: Record<string, string>) => unknown;
    };
    expect(() => new AppConfig(compose.services[app]!.environment)).not.toThrow();
  });
});

async function variableDefault(name: string): Promise<unknown> {
  const { variable } = (await hcl.parse('variables.tf', read('deploy/terraform/variables.tf'))) as {
    variable: Record<string, { default?: unknown }[]>;
  };
  return variable[name]![0]!.default;
}

describe('Terraform', () => {
  const files = readdirSync(join(root, 'deploy/terraform')).filter((file) => file.endsWith('.tf'));

  it('parses', async () => {
    for (const file of files) await expect(hcl.parse(file, read(`deploy/terraform/${file}`))).resolves.toBeDefined();
  });

  it('is formatted', () => {
    // `terraform fmt` itself where it is installed; everywhere the rules that our files could break.
    const terraform = spawnSync('terraform', ['fmt', '-check', '-recursive', join(root, 'deploy/terraform')]);
    if (terraform.error === undefined) expect(terraform.status).toBe(0);
    for (const file of files) {
      const text = read(`deploy/terraform/${file}`);
      expect(text).not.toMatch(/\t|[ ]+$|\n\n\n/m);
      expect(text.endsWith('}\n')).toBe(true);
    }
  });

  it('has one table with a schema for each warehouse table', async () => {
    const { warehouseTables } = await import('@tradewind/cloud-ports');
    const tables = Object.keys(warehouseTables).sort();
    const files = readdirSync(join(root, 'deploy/terraform/schemas')).sort();
    expect(files).toEqual(['clustering', 'views', ...tables].sort().map((name) => `${name}.json`));
    const clustering = JSON.parse(read('deploy/terraform/schemas/clustering.json')) as Record<string, string[]>;
    expect(Object.keys(clustering).sort()).toEqual(tables);
    for (const table of tables) {
      const columns = (JSON.parse(read(`deploy/terraform/schemas/${table}.json`)) as { name: string }[]).map(
        ({ name }) => name,
      );
      expect(columns).toEqual(expect.arrayContaining([...clustering[table]!, 'ingested_at']));
    }
  });

  it('makes each view over a table that it makes too', () => {
    const views = JSON.parse(read('deploy/terraform/schemas/views.json')) as Record<string, string>;
    const tables = JSON.parse(read('deploy/terraform/schemas/clustering.json')) as Record<string, string[]>;
    expect(Object.keys(views).length).toBeGreaterThan(Object.keys(tables).length);
    for (const query of Object.values(views)) {
      const from = [...query.matchAll(/from `([^`]*)`/g)].map(([, path]) => path);
      expect(from).toHaveLength(1);
      expect(Object.keys(tables).map((table) => `{project}.{dataset}.${table}`)).toContain(from[0]);
    }
  });

  it('makes the queue that the coordinator expects', async () => {
    // By its path as a value: a type import from an app is no reference that this project has.
    const settingsFile = '../../apps/coordinator/src/app.config.js';
    const { AppConfig } = (await import(settingsFile)) as {
      AppConfig: { settings: Record<string, { default?: unknown }> };
    };
    const setting = (name: string) => AppConfig.settings[name]!.default;
    const { resource } = (await hcl.parse('queue.tf', read('deploy/terraform/queue.tf'))) as {
      resource: Record<string, Record<string, Record<string, unknown>[]>>;
    };
    const { push } = resource['google_pubsub_subscription'] as { push: Record<string, unknown>[] };
    expect(push[0]).toMatchObject({
      name: setting('QUEUE_SUBSCRIPTION'),
      ack_deadline_seconds: setting('QUEUE_ACK_DEADLINE_SECONDS'),
      retry_policy: [
        {
          minimum_backoff: `${Number(setting('QUEUE_BACKOFF_MS_MIN')) / 1000}s`,
          maximum_backoff: `${Number(setting('QUEUE_BACKOFF_MS_MAX')) / 1000}s`,
        },
      ],
      dead_letter_policy: [{ max_delivery_attempts: setting('QUEUE_MAX_DELIVERY_ATTEMPTS') }],
    });
    const topics = Object.values(resource['google_pubsub_topic']!).map(([topic]) => topic!['name']);
    expect(topics).toContain(setting('QUEUE_DEAD_LETTER_TOPIC'));
  });

  it('makes the bucket that priority-webhook writes to by default', async () => {
    const settingsFile = '../../apps/priority-webhook/src/app.config.js';
    const { AppConfig } = (await import(settingsFile)) as {
      AppConfig: { settings: Record<string, { default?: unknown }> };
    };
    const { resource } = (await hcl.parse('object-store.tf', read('deploy/terraform/object-store.tf'))) as {
      resource: Record<string, Record<string, Record<string, unknown>[]>>;
    };
    expect(resource['google_storage_bucket']!['profile_backups']![0]!['name']).toBe('${var.profile_backup_bucket}');
    expect(await variableDefault('profile_backup_bucket')).toBe(AppConfig.settings['OBJECT_STORE_BUCKET']!.default);
    expect(AppConfig.settings['OBJECT_STORE_BUCKET']!.default).toBe(profileBackupBucket);
  });

  it('makes a scheduler, and its account, only where the coordinator has an audience', async () => {
    const { resource, locals } = (await hcl.parse('scheduler.tf', read('deploy/terraform/scheduler.tf'))) as {
      resource: Record<string, Record<string, Record<string, unknown>[]>>;
      locals: Record<string, unknown>[];
    };
    expect(locals[0]!['scheduled']).toBe('${var.scheduler_audience == "" ? 0 : 1}');
    for (const block of Object.values(resource).flatMap((blocks) => Object.values(blocks))) {
      expect(block[0]!['count']).toBe('${local.scheduled}');
    }
    expect(await variableDefault('scheduler_audience')).toBe('');
    const { http_target: target } = resource['google_cloud_scheduler_job']!['monthly_run']![0]! as {
      http_target: { uri: string; oidc_token: { audience: string }[] }[];
    };
    expect(target[0]).toMatchObject({
      uri: '${var.scheduler_audience}',
      oidc_token: [{ audience: '${var.scheduler_audience}' }],
    });
  });

  it('gives the services an address of the database that they can connect by', async () => {
    const { resource } = (await hcl.parse('database.tf', read('deploy/terraform/database.tf'))) as {
      resource: Record<string, Record<string, Record<string, unknown>[]>>;
    };
    const [version] = resource['google_secret_manager_secret_version']!['database_url']!;
    const folder = mkdtempSync(join(tmpdir(), 'database-ca-'));
    writeFileSync(join(folder, 'ca.pem'), 'the authority');
    const mounted = '/etc/tradewind/database';
    const written = String(version!['secret_data']).replaceAll(/\$\{[^}]*\}/g, 'x');
    expect(written).toContain(`sslrootcert=${mounted}/ca.pem`);
    const { host, port, database, ssl } = new pg.Client(written.replace(mounted, folder));
    rmSync(folder, { recursive: true });
    expect({ host, port, database }).toEqual({ host: 'x', port: 5432, database: 'x' });
    // The chain is checked, against the authority of this instance; the name is not, since it is no address.
    const { checkServerIdentity, ...rest } = ssl as unknown as { checkServerIdentity: () => unknown };
    expect(rest).toEqual({ ca: 'the authority' });
    expect(checkServerIdentity()).toBeUndefined();
    for (const manifest of rendered('production').filter(({ kind }) =>
      ['Deployment', 'Job', 'CronJob'].includes(kind),
    )) {
      const { containers, volumes } = podTemplate(manifest).spec;
      expect(containers[0]!.volumeMounts).toContainEqual({ name: 'database-ca', mountPath: mounted, readOnly: true });
      expect(volumes).toContainEqual({ name: 'database-ca', configMap: { name: 'database-ca', optional: true } });
    }
    const [instance] = resource['google_sql_database_instance']!['main']!;
    expect(instance!['settings']).toMatchObject([
      { ip_configuration: [{ ssl_mode: 'ENCRYPTED_ONLY', server_ca_mode: 'GOOGLE_MANAGED_INTERNAL_CA' }] },
    ]);
    // PostgreSQL 16 and newer would be made in an edition that has no custom machine types.
    expect(instance!['settings']).toMatchObject([{ tier: '${var.database_tier}', edition: 'ENTERPRISE' }]);
  });

  it('makes a bucket for snapshots of OpenSearch, and its account, only where it has a name', async () => {
    const { resource, locals } = (await hcl.parse('opensearch.tf', read('deploy/terraform/opensearch.tf'))) as {
      resource: Record<string, Record<string, Record<string, unknown>[]>>;
      locals: Record<string, unknown>[];
    };
    expect(locals[0]!['snapshots']).toBe('${var.opensearch_snapshot_bucket == "" ? 0 : 1}');
    for (const block of Object.values(resource).flatMap((blocks) => Object.values(blocks)))
      expect(block[0]!['count']).toBe('${local.snapshots}');
    expect(await variableDefault('opensearch_snapshot_bucket')).toBe('');
    expect(resource['google_service_account_iam_member']!['opensearch_identity']![0]!['member']).toContain(
      '${var.kubernetes_namespace}/opensearch]',
    );
  });

  it('grants these rights and no others', async () => {
    type Blocks = Record<string, Record<string, { role?: string }[]>>;
    const grants: string[] = [];
    for (const file of files) {
      const { resource = {} } = (await hcl.parse(file, read(`deploy/terraform/${file}`))) as { resource?: Blocks };
      for (const [type, blocks] of Object.entries(resource)) {
        expect(type).not.toMatch(/_iam_(policy|binding)$/);
        if (!type.endsWith('_iam_member')) continue;
        for (const [name, [block]] of Object.entries(blocks)) grants.push(`${type}.${name}: ${block!.role}`);
      }
    }
    expect(grants.sort()).toEqual([
      'google_bigquery_dataset_iam_member.sees_tables: roles/bigquery.metadataViewer',
      'google_bigquery_table_iam_member.reads: roles/bigquery.dataViewer',
      'google_bigquery_table_iam_member.writes: ${google_project_iam_custom_role.appender.name}',
      'google_project_iam_member.queries: roles/bigquery.jobUser',
      'google_pubsub_subscription_iam_member.agent_acknowledges: roles/pubsub.subscriber',
      'google_pubsub_topic_iam_member.agent_publishes_dead_letters: roles/pubsub.publisher',
      'google_pubsub_topic_iam_member.coordinator_publishes: roles/pubsub.publisher',
      'google_pubsub_topic_iam_member.coordinator_views: roles/pubsub.viewer',
      'google_secret_manager_secret_iam_member.database_url: roles/secretmanager.secretAccessor',
      'google_service_account_iam_member.agent_signs_pushes: roles/iam.serviceAccountTokenCreator',
      'google_service_account_iam_member.opensearch_identity: roles/iam.workloadIdentityUser',
      'google_service_account_iam_member.workload_identity: roles/iam.workloadIdentityUser',
      'google_storage_bucket_iam_member.opensearch_snapshots: roles/storage.objectAdmin',
      'google_storage_bucket_iam_member.webhook_creates: roles/storage.objectCreator',
      'google_storage_bucket_iam_member.webhook_reads: roles/storage.objectViewer',
    ]);
  });
});

describe.each(imageApps)('the Dockerfile of %s', (app) => {
  const text = read(`apps/${app}/Dockerfile`);

  it('passes the rules of a linter', () => {
    expect(validateDockerfile(text)).toEqual([]);
  });

  it('runs without root, with a health check, and with Node as the process that receives signals', () => {
    const last = text.slice(text.lastIndexOf('FROM '));
    expect(last).toContain('USER 65532:65532');
    expect(last).toContain('HEALTHCHECK');
    expect(last).toMatch(/ENTRYPOINT \["node", /);
    expect(last).not.toMatch(/^RUN/m);
  });

  it('installs the packages of every lib that the app needs and of no other', () => {
    const manifest = JSON.parse(read(`apps/${app}/package.json`)) as { dependencies: Record<string, string> };
    const needed = new Set<string>();
    const visit = (dependencies: Record<string, string> = {}) => {
      for (const name of Object.keys(dependencies).filter((key) => key.startsWith('@tradewind/'))) {
        const lib = name.slice('@tradewind/'.length);
        if (needed.has(lib)) continue;
        needed.add(lib);
        visit((JSON.parse(read(`libs/${lib}/package.json`)) as { dependencies?: Record<string, string> }).dependencies);
      }
    };
    visit(manifest.dependencies);
    const installed = text.slice(text.indexOf(' AS packages'));
    const copied = new Set([...installed.matchAll(/^COPY libs\/([\w-]+)\/package\.json/gm)].map(([, lib]) => lib));
    expect(copied).toEqual(needed);
    for (const lib of copied) expect(statSync(join(root, 'libs', lib!)).isDirectory()).toBe(true);
  });
});

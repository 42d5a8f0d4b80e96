// What `deploy/` promises, checked without a cluster, a cloud or a container engine.
// Where kubectl, kustomize or terraform is on the path they are asked too; what is checked without them covers every file all the same.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import hcl from '@cdktf/hcl2json';
import { validate as validateDockerfile } from 'dockerfile-utils';
import pg from 'pg';
import { parse, parseAllDocuments } from 'yaml';
import { profileBackupBucket } from '@tradewind/shared-types';
import { canRender, kubernetesDigest, render } from './kubernetes-manifests.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const overlays = ['production', 'staging', 'dev'] as const;
const apps = readdirSync(join(root, 'apps'));

interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string; labels?: Record<string, string> };
  data?: Record<string, string>;
  spec?: Record<string, unknown>;
}

interface PodSpec {
  containers: {
    env?: { name: string; value?: string; valueFrom?: { secretKeyRef: { key: string; optional?: boolean } } }[];
    envFrom?: { configMapRef?: { name: string }; secretRef?: { name: string } }[];
    securityContext: { readOnlyRootFilesystem: boolean; allowPrivilegeEscalation: boolean };
    resources: unknown;
  }[];
  securityContext: { runAsNonRoot: boolean };
}

const rendered = (overlay: string) =>
  parseAllDocuments(read(`deploy/kubernetes/rendered/${overlay}.yaml`)).map((document) => document.toJS() as Manifest);

const find = (manifests: Manifest[], kind: string, name: string) =>
  manifests.find((manifest) => manifest.kind === kind && manifest.metadata.name === name);

/** The pod template of a Deployment, Job or CronJob. */
function podSpec(manifest: Manifest): PodSpec {
  const spec = manifest.spec as {
    template?: { spec: PodSpec };
    jobTemplate?: { spec: { template: { spec: PodSpec } } };
  };
  return (spec.template ?? spec.jobTemplate!.spec.template).spec;
}

describe.each(overlays)('the %s overlay', (overlay) => {
  const manifests = rendered(overlay);

  it('is valid against the schemas of Kubernetes', async () => {
    for (const manifest of manifests) {
      const models = (await import(`kubernetes-models/${manifest.apiVersion}/${manifest.kind}`)) as Record<
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
    const container = podSpec(find(manifests, 'Deployment', `${app}-service`)!).containers[0]!;
    const configMap = container.envFrom?.find(({ configMapRef }) => configMapRef)?.configMapRef?.name;
    const env: Record<string, string> = { PORT: '8080', HOST: '', METRICS_PORT: '', SERVICE_VERSION: '1.0.0' };
    Object.assign(env, find(manifests, 'ConfigMap', configMap!)!.data);
    for (const { name, value } of container.env ?? []) {
      // Stands in for the cluster's own secret, whether the app needs it in this environment or not.
      env[name] = value ?? createHash('sha256').update(name).digest('hex');
    }
    expect(Object.keys(AppConfig.settings).filter((name) => !(name in env))).toEqual([]);
    expect(() => new AppConfig(env)).not.toThrow();
  });

  it.each(apps)('runs %s without privileges and with a migration before it', (app) => {
    for (const manifest of [
      find(manifests, 'Deployment', `${app}-service`),
      find(manifests, 'Job', `${app}-migrate`),
    ]) {
      const pod = podSpec(manifest!);
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

  it('holds no secret: every Secret is somebody else’s and only referred to', () => {
    expect(manifests.filter(({ kind }) => kind === 'Secret')).toEqual([]);
  });

  it('can migrate before the rollout: whatever a migration Job needs is applied with it', () => {
    const isRollout = ({ metadata }: Manifest) => metadata.labels?.['tradewind.example/phase'] === 'rollout';
    expect(new Set(manifests.filter(isRollout).map(({ kind }) => kind))).toEqual(
      new Set(manifests.map(({ kind }) => kind).filter((kind) => ['Deployment', 'CronJob'].includes(kind))),
    );
    const first = manifests.filter((manifest) => !isRollout(manifest));
    for (const app of apps) {
      const pod = podSpec(find(first, 'Job', `${app}-migrate`)!);
      const configMap = pod.containers[0]!.envFrom?.find(({ configMapRef }) => configMapRef)?.configMapRef?.name;
      expect(find(first, 'ConfigMap', configMap!)).toBeDefined();
      expect(find(first, 'ServiceAccount', `${app}-service`)).toBeDefined();
    }
  });

  it('starts the monthly run by exactly one means', () => {
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

  it('lets services reach one another only along the arrows of the architecture', () => {
    const arrows = manifests
      .filter(({ kind, metadata }) => kind === 'NetworkPolicy' && metadata.name.endsWith('-arrows'))
      .flatMap(({ metadata, spec }) =>
        ((spec as { egress: { to: { podSelector?: { matchLabels: Record<string, string> } }[] }[] }).egress ?? [])
          .flatMap(({ to }) =>
            to.flatMap(({ podSelector }) => podSelector?.matchLabels['app.kubernetes.io/name'] ?? []),
          )
          .map((target) => `${metadata.name.replace(/-arrows$/, '')} -> ${target}`),
      );
    expect(arrows.sort()).toEqual([
      'coordinator -> identity',
      'coordinator -> priority-api',
      'coordinator -> priority-webhook',
      'graphql-gateway -> identity',
      'interactions -> identity',
      'priority-api -> identity',
      'priority-api -> priority-webhook',
      'priority-webhook -> identity',
    ]);
    const denyAll = find(manifests, 'NetworkPolicy', 'deny-all');
    expect(denyAll?.spec).toEqual({ podSelector: {}, policyTypes: ['Ingress', 'Egress'] });
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

  it('gives the services an address of the database that they can connect by', async () => {
    const { resource } = (await hcl.parse('database.tf', read('deploy/terraform/database.tf'))) as {
      resource: Record<string, Record<string, Record<string, unknown>[]>>;
    };
    const [version] = resource['google_secret_manager_secret_version']!['database_url']!;
    const url = String(version!['secret_data']).replaceAll(/\$\{[^}]*\}/g, 'x');
    const { host, port, database, ssl } = new pg.Client(url);
    expect({ host, port, database }).toEqual({ host: 'x', port: 5432, database: 'x' });
    // Encrypted; Cloud SQL signs its certificate itself, which `sslmode=require` alone would have the driver refuse.
    expect(ssl).toEqual({ rejectUnauthorized: false });
    const [instance] = resource['google_sql_database_instance']!['main']!;
    // PostgreSQL 16 and newer would be made in an edition that has no custom machine types.
    expect(instance!['settings']).toMatchObject([{ tier: '${var.database_tier}', edition: 'ENTERPRISE' }]);
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
      'google_service_account_iam_member.workload_identity: roles/iam.workloadIdentityUser',
      'google_storage_bucket_iam_member.webhook_creates: roles/storage.objectCreator',
      'google_storage_bucket_iam_member.webhook_reads: roles/storage.objectViewer',
    ]);
  });
});

describe.each(apps)('the Dockerfile of %s', (app) => {
  const text = read(`apps/${app}/Dockerfile`);

  it('has nothing that a linter objects to', () => {
    expect(validateDockerfile(text)).toEqual([]);
  });

  it('ends without root, with a health check and with Node as the process that gets the signals', () => {
    const last = text.slice(text.lastIndexOf('FROM '));
    expect(last).toContain('USER 65532:65532');
    expect(last).toContain('HEALTHCHECK');
    expect(last).toMatch(/ENTRYPOINT \["node", /);
    expect(last).not.toMatch(/^RUN/m);
  });

  it('copies every lib that the app needs and no other', () => {
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
    const copied = new Set([...text.matchAll(/^COPY libs\/([\w-]+)\/package\.json/gm)].map(([, lib]) => lib));
    expect(copied).toEqual(needed);
    for (const lib of copied) expect(statSync(join(root, 'libs', lib!)).isDirectory()).toBe(true);
  });
});

// The rendered overlays, for the tests that read them.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments } from 'yaml';

export const overlays = ['production', 'staging', 'dev'] as const;

export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: {
    name: string;
    namespace?: string;
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
  };
  data?: Record<string, string>;
  spec?: Record<string, unknown>;
}

export interface PodSpec {
  terminationGracePeriodSeconds?: number;
  volumes?: object[];
  containers: {
    env?: { name: string; value?: string; valueFrom?: { secretKeyRef: { key: string; optional?: boolean } } }[];
    envFrom?: { configMapRef?: { name: string }; secretRef?: { name: string } }[];
    securityContext: { readOnlyRootFilesystem: boolean; allowPrivilegeEscalation: boolean };
    lifecycle?: { preStop: { sleep: { seconds: number } } };
    ports?: { name: string; containerPort: number }[];
    volumeMounts?: object[];
    resources: unknown;
  }[];
  securityContext: { runAsNonRoot: boolean };
}

export interface PodTemplate {
  metadata: { labels: Record<string, string> };
  spec: PodSpec;
}

export const rendered = (overlay: string): Manifest[] =>
  parseAllDocuments(
    readFileSync(fileURLToPath(new URL(`../../deploy/kubernetes/rendered/${overlay}.yaml`, import.meta.url)), 'utf8'),
  ).map((document) => document.toJS() as Manifest);

export const find = (manifests: Manifest[], kind: string, name: string) =>
  manifests.find((manifest) => manifest.kind === kind && manifest.metadata.name === name);

/** The pod template of a Deployment, Job or CronJob. */
export function podTemplate(manifest: Manifest): PodTemplate {
  const spec = manifest.spec as { template?: PodTemplate; jobTemplate?: { spec: { template: PodTemplate } } };
  return spec.template ?? spec.jobTemplate!.spec.template;
}

/** What the server of an app gets to see as its environment, without the secrets. */
export function settingsOf(manifests: Manifest[], app: string): Record<string, string> {
  const container = podTemplate(find(manifests, 'Deployment', `${app}-service`)!).spec.containers[0]!;
  const configMap = container.envFrom?.find(({ configMapRef }) => configMapRef)?.configMapRef?.name;
  const plain = (container.env ?? []).flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]]));
  return {
    ...find(manifests, 'ConfigMap', configMap!)!.data,
    ...(Object.fromEntries(plain) as Record<string, string>),
  };
}

// What rendered manifests let through: NetworkPolicies between two ends, and HTTPRoutes from a host name and a path.
import { BlockList } from 'node:net';

/**
 * An end of a connection: a pod with labels, its ports and its namespace, or an address that is no pod's.
 * @typedef {{name: string, ip?: string, namespace?: {name: string, labels: Record<string, string>},
 *   labels?: Record<string, string>, ports?: Record<string, number>}} End
 */

const contains = (cidr, ip) => {
  const list = new BlockList();
  const [address, prefix] = cidr.split('/');
  list.addSubnet(address, Number(prefix));
  return list.check(ip);
};

function selects(selector, labels) {
  for (const [key, value] of Object.entries(selector.matchLabels ?? {})) if (labels[key] !== value) return false;
  for (const { key, operator, values } of selector.matchExpressions ?? []) {
    if (operator !== 'In') throw new Error(`Selectors by ${operator} are not understood here`);
    if (!values.includes(labels[key])) return false;
  }
  return true;
}

function isPeer({ ipBlock, podSelector, namespaceSelector }, end, ownNamespace) {
  if (ipBlock) {
    if (end.ip === undefined) return false;
    return contains(ipBlock.cidr, end.ip) && !(ipBlock.except ?? []).some((cidr) => contains(cidr, end.ip));
  }
  if (!end.namespace) return false;
  if (namespaceSelector ? !selects(namespaceSelector, end.namespace.labels) : end.namespace.name !== ownNamespace) {
    return false;
  }
  return podSelector === undefined || selects(podSelector, end.labels);
}

/** Whether the policies of one direction that select `pod` let the connection through. */
function passes(manifests, direction, pod, other, target, { port, protocol }) {
  const policies = manifests.filter(
    ({ kind, metadata, spec }) =>
      kind === 'NetworkPolicy' &&
      metadata.namespace === pod.namespace.name &&
      spec.policyTypes.includes(direction === 'ingress' ? 'Ingress' : 'Egress') &&
      selects(spec.podSelector, pod.labels),
  );
  if (policies.length === 0) return true;
  return policies.some(({ spec }) =>
    (spec[direction] ?? []).some((rule) => {
      const peers = rule[direction === 'ingress' ? 'from' : 'to'];
      if (peers && !peers.some((peer) => isPeer(peer, other, pod.namespace.name))) return false;
      return (
        rule.ports === undefined ||
        rule.ports.some(
          (allowed) =>
            (allowed.protocol ?? 'TCP') === protocol &&
            (typeof allowed.port === 'string' ? target.ports?.[allowed.port] : allowed.port) === port,
        )
      );
    }),
  );
}

/**
 * Whether `from` may open a connection to `to`.
 * @param {End} from
 * @param {End} to
 */
export function mayConnect(manifests, from, to, port, protocol = 'TCP') {
  const connection = { port, protocol };
  return (
    (!from.namespace || passes(manifests, 'egress', from, to, to, connection)) &&
    (!to.namespace || passes(manifests, 'ingress', to, from, to, connection))
  );
}

/**
 * The backend that the edge sends a request to: `{service, port}`, or undefined when no route of the listener takes it.
 */
export function routed(manifests, { listener, host, path }) {
  for (const { spec } of manifests.filter(({ kind }) => kind === 'HTTPRoute')) {
    if (!spec.parentRefs.some(({ name, sectionName }) => name === 'edge' && sectionName === listener)) continue;
    if (spec.hostnames && !spec.hostnames.includes(host)) continue;
    for (const { matches = [{ path: { type: 'PathPrefix', value: '/' } }], backendRefs = [] } of spec.rules) {
      const isMatch = matches.some(({ path: { type, value } }) => {
        if (type === 'Exact') return path === value;
        if (type !== 'PathPrefix') throw new Error(`Matches by ${type} are not understood here`);
        const prefix = value.replace(/\/$/, '');
        return path === prefix || path.startsWith(`${prefix}/`);
      });
      if (isMatch && backendRefs.length > 0) return { service: backendRefs[0].name, port: backendRefs[0].port };
    }
  }
  return undefined;
}
